import { setImmediate } from 'node:timers/promises';
import { type FileKind, sum } from '../../format/header.ts';
import type { Saving } from '../../format/save.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import type { FuseParameters } from '../../kinds/fuse/file.ts';
import { buildShards, ShardBuilder, type ShardPlace } from '../../kinds/fuse/sharded/build.ts';
import { shardBytes } from '../../kinds/fuse/sharded/file.ts';
import { buildInThreads } from '../parallel/shard-threads.ts';
import {
  type BuiltOnDisk,
  contentOf,
  type DiskContent,
  type MakeContent,
  type MapBuiltOnDisk,
  type ShardTask,
} from './content.ts';
import { SpillFile } from './spill-file.ts';

/** So many keys are added between two calls of `onProgress`. */
const STEP_KEYS = 1e6;

/** The progress of `buildOnDisk`. */
export interface DiskProgress {
  /** The number of keys so far, duplicates included. */
  readonly keys: number;
  /**
   * The number of shards that have been built. It goes back to 0, with fewer `shards`, if there are so many duplicates
   * that the shards must be built again.
   */
  readonly built: number;
  /** The number of shards to build; 0 until all keys are there. */
  readonly shards: number;
}

/** How a build works, whatever it builds. */
export interface DiskSettings {
  readonly folder: string;
  readonly threads: number;
  readonly onProgress: (progress: DiskProgress) => void;
  readonly signal: AbortSignal | undefined;
}

/** Builds a filter or a map in a temporary file. */
export class DiskBuild {
  readonly #engine: Engine;
  readonly #settings: DiskSettings;
  readonly #file: SpillFile;
  readonly #content: DiskContent;
  /** Memory for hashing keys, and the file. */
  readonly #region: Region;
  readonly #stop = new AbortController();
  readonly #follow = (): void => this.stop(this.#settings.signal?.reason);
  #told = 0;
  isOpen = true;
  /** Whether all chunks of the file were taken. */
  isTaken = false;

  constructor(engine: Engine, make: MakeContent, settings: DiskSettings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#file = new SpillFile(settings.folder);
    try {
      const file = this.#file;
      this.#content = make({
        write: (...block) => this.#orStop(() => file.write(...block)),
        read: (...place) => file.read(...place),
      });
      this.#region = engine.reserve(1);
    } catch (error) {
      this.#file.close();
      throw error;
    }
    const { signal } = settings;
    signal?.addEventListener('abort', this.#follow);
    if (signal?.aborted) this.#follow();
  }

  /** Aborts when the signal of the options does, or when `stop` is called. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the build early, with this error. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /**
   * Ends the build if this throws, because `fill` may catch the error. Keys would be missing then: the one that is being
   * written is remembered as one that has been.
   */
  #orStop(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }

  /** Adds what `addMany` was given. */
  add(keys: unknown, values: unknown): void {
    const { onProgress } = this.#settings;
    const { buckets } = this.#content;
    this.#content.add(this.#region, keys, values, () => {
      if (buckets.count < this.#told + STEP_KEYS) return;
      this.#told = buckets.count;
      this.#orStop(() => onProgress({ keys: buckets.count, built: 0, shards: 0 }));
    });
  }

  /** Builds all shards, in any order: see `buildShards`. */
  async *#shards(
    task: ShardTask,
    begin: (shards: number) => void,
  ): AsyncGenerator<ShardPlace & { readonly parameters: FuseParameters; readonly cells: Uint8Array }> {
    const { threads } = this.#settings;
    const { buckets, shards: wanted } = this.#content;
    if (threads > 1) {
      yield* buildInThreads(threads, task, buckets, wanted, begin, this.signal);
      return;
    }
    const builder = new ShardBuilder(this.#engine, contentOf(task));
    // Node handles timers and signals between two of these, but not before the first one.
    const letOthersRun = async (): Promise<void> => {
      await setImmediate();
      this.signal.throwIfAborted();
    };
    try {
      await letOthersRun();
      for (const { filled, ...shard } of buildShards(builder, buckets, wanted, begin)) {
        yield { ...shard, cells: builder.view(filled) };
        await letOthersRun();
      }
    } finally {
      builder.dispose();
    }
  }

  /** Builds all shards, and writes them to the temporary file. */
  async build(): Promise<{
    readonly file: FileKind;
    readonly saving: Saving;
    readonly built: BuiltOnDisk | MapBuiltOnDisk;
  }> {
    const { onProgress } = this.#settings;
    const content = this.#content;
    const task = content.task();
    const { bits } = task;
    const keys = content.buckets.count;
    let all: FuseParameters[] = [];
    let offsets: number[] = [];
    let built = 0;
    const begin = (shards: number): void => {
      [all, offsets, built] = [new Array(shards), new Array(shards), 0];
      this.#file.dropShards();
      onProgress({ keys, built, shards });
    };
    for await (const { index, shards, parameters, cells } of this.#shards(task, begin)) {
      all[index] = parameters;
      offsets[index] = this.#file.addShard(cells, shardBytes(parameters, bits));
      onProgress({ keys, built: ++built, shards });
    }
    const { parameters, own, told } = content.describe(all);
    const segments = all.map((each, i) => this.#segment(offsets[i] as number, shardBytes(each, bits)));
    return {
      file: content.file,
      saving: { parameters, own, cellBits: bits, segments: segments as object as Saving['segments'] },
      built: { ...told, byteLength: sum(segments.map(({ byteLength }) => byteLength)) } as BuiltOnDisk | MapBuiltOnDisk,
    };
  }

  #segment(offset: number, byteLength: number): Saving['segments'][number] {
    const { instance } = this.#region;
    return {
      byteLength,
      instance,
      disposed: false,
      view: (from, to) => {
        const bytes = new Uint8Array(to - from);
        this.#file.readTo(bytes, offset + from);
        return bytes;
      },
    };
  }

  close(): void {
    this.isOpen = false;
    this.#settings.signal?.removeEventListener('abort', this.#follow);
    this.#region.dispose();
    this.#file.close();
  }
}

import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { changeAll } from '../../filters/batch.ts';
import type { FilterClass } from '../../filters/kind.ts';
import { requireClassOf } from '../../filters/load.ts';
import type { FilterParameters } from '../../format/header.ts';
import { type Saving, toChunks } from '../../format/save.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import { fingerprintsOf } from '../../kinds/fuse/build.ts';
import type { FuseParameters } from '../../kinds/fuse/file.ts';
import { buildShards, HashBuckets, ShardBuilder, type ShardPlace } from '../../kinds/fuse/sharded/build.ts';
import { headerOf, SHARDED_FUSE_FILE, shardBytes } from '../../kinds/fuse/sharded/file.ts';
import {
  readShardedOptions,
  type ShardedFuseFilter,
  type ShardedFuseFilterOptions,
  type ShardedSettings,
} from '../../kinds/fuse/sharded/filter.ts';
import { mustBe, requireFunction, requireInteger, requireSignal } from '../../util/checks/validate.ts';
import { untilAborted } from '../../util/until-aborted.ts';
import { findTarget, requirePath, writeTarget } from '../file/replace.ts';
import { buildInThreads } from '../parallel/shard-threads.ts';
import { MOST_THREADS } from '../parallel/thread.ts';
import { SpillFile } from './spill-file.ts';

/** Options of `buildOnDisk`: those of `ShardedFuseFilter.from`, and these. */
export type DiskOptions = ShardedFuseFilterOptions & {
  /**
   * An existing folder for the temporary file, which takes at most 8 bytes per key, duplicates included, and the size of
   * the filter; default that of the system, which may be in memory.
   */
  folder?: string | undefined;
  /**
   * How many shards are built at the same time, 1 … 64. Default: 1, in this thread. More are built in threads of their
   * own, each of which takes the memory for a shard; then the event loop stays free.
   */
  threads?: number | undefined;
  /**
   * Called after each million keys, when all are there, and after each shard. If it throws, the promise rejects with
   * that error.
   */
  onProgress?: ((progress: DiskProgress) => void) | undefined;
  /**
   * Stops the work. The promise then rejects with the signal's reason. In one thread, that is noticed between two calls
   * of `addMany`, two shards or two chunks; with more `threads`, at once while shards are built.
   */
  signal?: AbortSignal | undefined;
};

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

/** Takes the keys of a filter that is being built. */
export interface KeySink {
  /**
   * Adds many keys. They are hashed and the hashes written to disk before it returns.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @throws TypeError | RangeError if one of `keys` is not a key; TypeError after `fill` has ended; the error of the file
   *   system, or of `onProgress`; the reason of the signal
   */
  addMany<K>(keys: ManyKeys<K>): this;
}

/** What was built. */
export interface BuiltOnDisk
  extends Pick<
    ShardedFuseFilter,
    'kind' | 'capacity' | 'errorRate' | 'seed' | 'cellCount' | 'cellBits' | 'byteLength' | 'shards'
  > {}

/** Where a file goes: to a path, or to a function that takes its chunks. */
export type DiskTarget = string | URL | ((chunks: Iterable<Uint8Array<ArrayBuffer>>) => Promise<unknown>);

/** What `fill` must do. */
const WAITING = 'it must return a promise that resolves when all are there; was an await forgotten?';

/** So many keys are added between two calls of `onProgress`. */
const STEP_KEYS = 1e6;

interface Settings extends ShardedSettings {
  readonly folder: string;
  readonly threads: number;
  readonly onProgress: (progress: DiskProgress) => void;
  readonly signal: AbortSignal | undefined;
}

function readOptions(options: DiskOptions, engine: Engine): Settings {
  const settings = readShardedOptions(options, engine, ['folder', 'threads', 'onProgress', 'signal']);
  const { folder = tmpdir(), threads = 1, onProgress = () => {}, signal } = options;
  if (typeof folder !== 'string') throw new TypeError(mustBe('folder', 'a string', folder));
  requireInteger('threads', threads, 1, MOST_THREADS);
  requireFunction('onProgress', onProgress);
  return { ...settings, folder, threads, onProgress, signal: requireSignal('signal', signal) };
}

/** Checks where the file goes, and returns what writes it there. A function need not take notice of the signal. */
async function writerTo(
  target: DiskTarget,
): Promise<(chunks: Iterable<Uint8Array<ArrayBuffer>>, signal: AbortSignal) => Promise<unknown>> {
  if (typeof target === 'function') return (chunks, signal) => untilAborted(target(chunks), signal);
  const found = await findTarget(requirePath('target', target));
  return (chunks) => writeTarget(found, chunks);
}

/** Builds a filter in a temporary file. */
class DiskBuild {
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #file: SpillFile;
  readonly #hashes: HashBuckets;
  /** Memory for hashing keys, and the file. */
  readonly #region: Region;
  readonly #stop = new AbortController();
  readonly #follow = (): void => this.stop(this.#settings.signal?.reason);
  #told = 0;
  isOpen = true;

  constructor(engine: Engine, settings: Settings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#file = new SpillFile(settings.folder);
    try {
      this.#region = engine.reserve(1);
    } catch (error) {
      this.#file.close();
      throw error;
    }
    this.#hashes = new HashBuckets(this.#file);
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

  add(keys: unknown): void {
    const { seed, onProgress } = this.#settings;
    const region = this.#region;
    const hashes = this.#hashes;
    changeAll({ region, seed }, keys, (count) => {
      hashes.add(region.instance, count);
      if (hashes.count < this.#told + STEP_KEYS) return;
      this.#told = hashes.count;
      onProgress({ keys: hashes.count, built: 0, shards: 0 });
    });
  }

  /** Builds all shards, in any order: see `buildShards`. */
  async *#shards(
    begin: (shards: number) => void,
  ): AsyncGenerator<ShardPlace & { readonly parameters: FuseParameters; readonly cells: Uint8Array }> {
    const { bits, shards: wanted, threads } = this.#settings;
    if (threads > 1) {
      yield* buildInThreads(threads, { bits }, this.#hashes, wanted, begin, this.signal);
      return;
    }
    const builder = new ShardBuilder(this.#engine, fingerprintsOf(bits));
    // Node handles timers and signals between two of these, but not before the first one.
    const letOthersRun = async (): Promise<void> => {
      await setImmediate();
      this.signal.throwIfAborted();
    };
    try {
      await letOthersRun();
      for (const { filled, ...shard } of buildShards(builder, this.#hashes, wanted, begin)) {
        yield { ...shard, cells: builder.view(filled) };
        await letOthersRun();
      }
    } finally {
      builder.dispose();
    }
  }

  /** Builds all shards, and writes them to the file. */
  async build(): Promise<Saving & { readonly parameters: FilterParameters; readonly shards: number }> {
    const { bits, seed, onProgress } = this.#settings;
    const keys = this.#hashes.count;
    let own: FuseParameters[] = [];
    let offsets: number[] = [];
    let built = 0;
    const begin = (shards: number): void => {
      [own, offsets, built] = [new Array(shards), new Array(shards), 0];
      this.#file.dropShards();
      onProgress({ keys, built, shards });
    };
    for await (const { index, shards, parameters, cells } of this.#shards(begin)) {
      own[index] = parameters;
      offsets[index] = this.#file.addShard(cells, shardBytes(parameters, bits));
      onProgress({ keys, built: ++built, shards });
    }
    const { cellCount, hashes, capacity, errorRate } = headerOf({ shards: own }, bits);
    const segments = own.map((each, i) => this.#segment(offsets[i] as number, shardBytes(each, bits)));
    return {
      parameters: { cellCount, hashes, seed, capacity, errorRate },
      cellBits: bits,
      own: { shards: own },
      segments: segments as object as Saving['segments'],
      shards: own.length,
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

/** Lets `fill` add all keys. Keys that come later make the build fail, because they would be missing. */
async function fillAll(build: DiskBuild, fill: (keys: KeySink) => unknown): Promise<void> {
  const { signal } = build;
  let [isOpen, hasKeys] = [true, false];
  const sink: KeySink = {
    addMany(keys) {
      if (!isOpen) build.stop(new TypeError(`keys were added after fill had ended: ${WAITING}`));
      signal.throwIfAborted();
      hasKeys = true;
      build.add(keys);
      return sink;
    },
  };
  try {
    const filling = fill(sink) as PromiseLike<unknown> | undefined;
    const isWaiting = typeof filling?.then === 'function';
    if (!hasKeys && !isWaiting) throw new TypeError(`fill returned before it added keys: ${WAITING}`);
    await untilAborted(filling, signal);
  } finally {
    isOpen = false;
  }
}

/** Yields chunks, unless the build has stopped or ended: they are read from its file. */
function* untilStopped<T>(chunks: Iterator<T>, build: DiskBuild): Generator<T, void, undefined> {
  for (;;) {
    build.signal.throwIfAborted();
    if (!build.isOpen) throw new TypeError('chunks were taken after target had ended');
    const next = chunks.next();
    if (next.done) return;
    yield next.value;
  }
}

/**
 * Builds a filter of more keys than memory can hold, in Node, Bun or Deno, and saves it. Hashes of the keys go to a
 * temporary file; then one shard after another is built of them. The file is the same, byte for byte, as that of
 * `ShardedFuseFilter.from` with the same keys.
 *
 * ```ts
 * const fill = (keys: KeySink) => addLines(keys, createReadStream('leaked.txt'));
 * await buildOnDisk(ShardedFuseFilter, fill, 'leaked.bloom', { errorRate: 0.001 });
 * ```
 *
 * It takes half a GB of memory for each thread, for up to 2^32 distinct keys, and on the disk 8 bytes for each key and
 * the size of the filter. The disk is freed however the work ends; on Windows, if the process is killed, it is not.
 *
 * More exactly: buffers take 16 MB, and in each thread a shard takes 8 bytes for each of its distinct keys, and for each
 * of its cells 13 bytes and those of the cell itself; there are 1.13 cells for each key. Duplicates among the keys take
 * room on the disk, and in memory only those of a 256th of the keys at a time.
 *
 * Building a shard blocks the event loop for some seconds, unless the option `threads` is more than 1. Then threads of
 * Node, Bun or Deno build shards, on WebAssembly and each in memory of its own. The module then starts
 * `parallel/shard-worker.js`, which lies beside it, so it must not be bundled.
 *
 * A file that is there is replaced as `saveFile` of `bloomery/file` does it: atomically.
 *
 * @param Class the class of the filter, on either engine, with a secret or without
 * @param fill adds all keys to what it is given, and returns a promise that resolves when it has
 * @param target the path of the file, or a `file:` URL; or a function that takes the chunks of the file, such as one that
 *   uploads it, and returns a promise that resolves when it has them all
 * @returns what the filter is, which is not loaded
 * @throws TypeError | RangeError if an argument or an option is wrong, or if one of the keys is not a key;
 *   FilterMemoryError if there are too many keys for a shard, or no memory; the error of `fill`, of `target` or of the
 *   file system; the reason of the signal if it is aborted. The promise rejects.
 */
export async function buildOnDisk(
  Class: FilterClass<ShardedFuseFilter>,
  fill: (keys: KeySink) => unknown,
  target: DiskTarget,
  options: DiskOptions = {},
): Promise<BuiltOnDisk> {
  requireClassOf(SHARDED_FUSE_FILE.id, 'ShardedFuseFilter', Class);
  requireFunction('fill', fill);
  const { engine } = Class;
  const settings = readOptions(options, engine);
  settings.signal?.throwIfAborted();
  const write = await writerTo(target);
  const build = new DiskBuild(engine, settings);
  try {
    await fillAll(build, fill);
    const built = await build.build();
    const { parameters, cellBits, segments, shards } = built;
    const { cellCount, seed, capacity, errorRate } = parameters;
    await write(untilStopped(toChunks(SHARDED_FUSE_FILE, built), build), build.signal);
    const byteLength = segments.reduce((sum, segment) => sum + segment.byteLength, 0);
    return { kind: 'sharded-fuse', capacity, errorRate, seed, cellCount, cellBits, byteLength, shards };
  } finally {
    build.close();
  }
}

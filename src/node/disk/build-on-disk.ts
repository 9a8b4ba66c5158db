import { tmpdir } from 'node:os';
import { type FilterClass, KIND } from '../../filters/kind.ts';
import { requireClassOf } from '../../filters/load.ts';
import { toChunks } from '../../format/save.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import { SHARDED_FUSE_FILE } from '../../kinds/fuse/sharded/file.ts';
import type { ShardedFuseFilter, ShardedFuseFilterOptions } from '../../kinds/fuse/sharded/filter.ts';
import { FUSE_MAP_FILE } from '../../kinds/fuse-map/file.ts';
import type { FuseMap, FuseMapOptions } from '../../kinds/fuse-map/filter.ts';
import type { MapValues } from '../../kinds/fuse-map/values.ts';
import { mustBe, requireFunction, requireInteger, requireSignal } from '../../util/checks/validate.ts';
import { untilAborted } from '../../util/until-aborted.ts';
import { findTarget, requirePath, writeTarget } from '../file/replace.ts';
import { MOST_THREADS } from '../parallel/thread.ts';
import { type BuiltOnDisk, filterContent, type MapBuiltOnDisk, mapContent } from './content.ts';
import { DiskBuild, type DiskProgress, type DiskSettings } from './disk-build.ts';

/** Options of `buildOnDisk` for a filter: those of `ShardedFuseFilter.from`, and those of the disk. */
export type DiskOptions = ShardedFuseFilterOptions & OnDisk;

/** Options of `buildOnDisk` for a map: those of `FuseMap.from`, and those of the disk. */
export type DiskMapOptions = FuseMapOptions & OnDisk;

/** How something is built on a disk. */
interface OnDisk {
  /**
   * An existing folder for the temporary file, which takes at most 8 bytes per key, or 16 for a map, duplicates
   * included, plus the size of the filter or map; default the system's folder for temporary files, which may be in
   * memory.
   */
  folder?: string | undefined;
  /**
   * How many shards are built at the same time, 1 … 64. Default: 1, in this thread. If more, each is built in a thread
   * of its own, which takes the memory for a shard, and the event loop stays free. Up to 16.7 million keys are one
   * shard, unless `shards` is given, so more threads are no faster.
   */
  threads?: number | undefined;
  /**
   * Called after each million keys, when all keys have been added, and after each shard. If it throws, the promise
   * rejects with that error.
   */
  onProgress?: ((progress: DiskProgress) => void) | undefined;
  /**
   * Stops the work. The promise then rejects with the signal's reason. In one thread, that is noticed between two calls
   * of `addMany`, two shards or two chunks; with more `threads`, at once while shards are built.
   */
  signal?: AbortSignal | undefined;
}

/** Takes the keys of a filter that is being built. */
export interface KeySink {
  /**
   * Adds many keys. They are hashed before it returns; full blocks of hashes go to the disk.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @throws TypeError | RangeError if one of `keys` is not a key; TypeError after `fill` has ended; the error of the file
   *   system, or of `onProgress`, which ends the build; the reason of the signal
   */
  addMany<K>(keys: ManyKeys<K>): this;
}

/** Takes the keys of a map that is being built, and their values. */
export interface EntrySink {
  /**
   * Adds many keys, each with the value at the same place. They are hashed before it returns; full blocks of hashes and
   * values go to the disk.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param values an array of as many integers, 0 … 2^32 − 1
   * @throws TypeError | RangeError if one of `keys` is not a key, one of `values` not such an integer, if there are not as
   *   many values as keys, or if the values leave no room for the error rate; and as `addMany` of a `KeySink`
   */
  addMany<K>(keys: ManyKeys<K>, values: MapValues): this;
}

/** Where a file goes: to a path, or to a function that takes its chunks. */
export type DiskTarget = string | URL | ((chunks: Iterable<Uint8Array<ArrayBuffer>>) => Promise<unknown>);

/** What `fill` and `target` must do. */
const WAITING = 'it must return a promise that resolves when all are there; was an await forgotten?';

/** The options that filters and maps in memory do not have. */
const DISK_OPTIONS = ['folder', 'threads', 'onProgress', 'signal'] as const satisfies (keyof DiskOptions)[];

function readOptions(options: DiskOptions | DiskMapOptions): DiskSettings {
  const { folder = tmpdir(), threads = 1, onProgress = () => {}, signal } = options;
  if (typeof folder !== 'string') throw new TypeError(mustBe('folder', 'a string', folder));
  requireInteger('threads', threads, 1, MOST_THREADS);
  requireFunction('onProgress', onProgress);
  return { folder, threads, onProgress, signal: requireSignal('signal', signal) };
}

/** Checks where the file goes, and returns what writes it there. A function need not take notice of the signal. */
async function writerTo(
  target: DiskTarget,
): Promise<(chunks: Iterable<Uint8Array<ArrayBuffer>>, signal: AbortSignal) => Promise<unknown>> {
  if (typeof target === 'function') return (chunks, signal) => untilAborted(target(chunks), signal);
  const found = await findTarget(requirePath('target', target));
  return (chunks) => writeTarget(found, chunks);
}

/** Lets `fill` add all keys. Keys that come later make the build fail, because they would be missing. */
async function fillAll(build: DiskBuild, fill: (keys: never) => unknown): Promise<void> {
  const { signal } = build;
  let [isOpen, hasKeys] = [true, false];
  const sink = {
    addMany(keys: unknown, values: unknown) {
      if (!isOpen) build.stop(new TypeError(`keys were added after fill had ended: ${WAITING}`));
      signal.throwIfAborted();
      hasKeys = true;
      build.add(keys, values);
      return sink;
    },
  };
  try {
    const filling = fill(sink as never) as PromiseLike<unknown> | undefined;
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
    if (next.done) break;
    yield next.value;
  }
  build.isTaken = true;
}

/**
 * Builds a filter of more keys than memory can hold, in Node, Bun or Deno, and saves it. Hashes of the keys go to a
 * temporary file; then one shard after another is built from them. The resulting file is the same, byte for byte, as
 * that of `ShardedFuseFilter.from` with the same keys.
 *
 * ```ts
 * const fill = (keys: KeySink) => addLines(keys, createReadStream('leaked.txt'));
 * await buildOnDisk(ShardedFuseFilter, fill, 'leaked.bloom', { errorRate: 0.001 });
 * ```
 *
 * It takes half a GB of memory for each thread, for up to 2^32 distinct keys, and on the disk 8 bytes for each key plus
 * the size of the filter. The space on the disk is freed however the work ends, except on Windows if the process is
 * killed.
 *
 * More exactly: buffers take 16 MB, and in each thread a shard takes 8 bytes for each of its distinct keys, and for
 * each of its cells 13 bytes and those of the cell itself; there are 1.13 cells for each key. Duplicates among the keys
 * take room on the disk; in memory, only the duplicates in a 256th of the keys do at a time.
 *
 * Building a shard blocks the event loop for some seconds, unless the option `threads` is more than 1. Then threads of
 * Node, Bun or Deno build shards, on WebAssembly and each in memory of its own. The module then starts
 * `parallel/shard-worker.js`, which lies beside it, so it must not be bundled.
 *
 * An existing file is replaced atomically, as by `saveFile` of `bloomery/file`.
 *
 * @param Class the class of the filter, on either engine, with a secret or without
 * @param fill adds all keys to what it is given, and returns a promise that resolves when it has
 * @param target the path of the file, or a `file:` URL; or a function that takes the chunks of the file, such as one that
 *   uploads it, and returns a promise that resolves when it has them all
 * @returns what the filter is, which is not loaded
 * @throws TypeError | RangeError if an argument or an option is wrong, or if one of the keys is not a key; TypeError if
 *   `fill` or `target` ends too early; FilterMemoryError if there are too many keys for a shard, or no memory; the error
 *   of `fill`, of `target` or of the file system; the reason of the signal if it is aborted. The promise rejects.
 */
export function buildOnDisk(
  Class: FilterClass<ShardedFuseFilter>,
  fill: (keys: KeySink) => unknown,
  target: DiskTarget,
  options?: DiskOptions,
): Promise<BuiltOnDisk>;
/**
 * Builds a map of more keys than memory can hold in the same way. The file is the same, byte for byte, as that of
 * `FuseMap.from` with the same keys and values.
 *
 * ```ts
 * const fill = async (entries: EntrySink) => {
 *   for await (const { keys, values } of batches) entries.addMany(keys, values);
 * };
 * await buildOnDisk(FuseMap, fill, 'lists.bloom', { errorRate: 0.001 });
 * ```
 *
 * It takes two thirds of a GB of memory for each thread up to 10^9 keys, 1 GB for 2^32, and on the disk 16 bytes for each
 * key and the size of the map. More exactly: buffers take 34 MB, and in each thread a shard takes 16 bytes for each of its
 * keys, for each of its cells 17 bytes and those of the cell itself, and 16 bytes for each of a 256th of all keys.
 *
 * @param fill adds all keys and values to what it is given, 2^32 at most, and returns a promise that resolves when it has
 * @returns what the map is, which is not loaded
 * @throws RangeError if a key has two values, with both positions among all keys, as from `FuseMap.from`
 */
export function buildOnDisk(
  Class: FilterClass<FuseMap>,
  fill: (entries: EntrySink) => unknown,
  target: DiskTarget,
  options?: DiskMapOptions,
): Promise<MapBuiltOnDisk>;
export async function buildOnDisk(
  Class: FilterClass<ShardedFuseFilter> | FilterClass<FuseMap>,
  fill: (sink: never) => unknown,
  target: DiskTarget,
  options: DiskOptions | DiskMapOptions = {},
): Promise<BuiltOnDisk | MapBuiltOnDisk> {
  const isMap = Class?.[KIND]?.id === FUSE_MAP_FILE.id;
  requireClassOf((isMap ? FUSE_MAP_FILE : SHARDED_FUSE_FILE).id, 'ShardedFuseFilter or FuseMap', Class);
  requireFunction('fill', fill);
  const { engine } = Class;
  const content = (isMap ? mapContent : filterContent)(options, engine, DISK_OPTIONS);
  const settings = readOptions(options);
  settings.signal?.throwIfAborted();
  const write = await writerTo(target);
  const build = new DiskBuild(engine, content, settings);
  try {
    await fillAll(build, fill);
    const { file, saving, built } = await build.build();
    await write(untilStopped(toChunks(file, saving), build), build.signal);
    if (!build.isTaken) throw new TypeError(`target ended before it took all chunks: ${WAITING}`);
    return built;
  } finally {
    build.close();
  }
}

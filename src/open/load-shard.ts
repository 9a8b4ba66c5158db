import { requireOptions } from '../checks/options.ts';
import { mustBe, requireInteger, requireSignal } from '../checks/validate.ts';
import { type FilterClass, KIND } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import { requireSaved, sum } from '../format/header.ts';
import type { Region } from '../kernel/region.ts';
import type { BinaryFuseFilter } from '../kinds/fuse.ts';
import { CELLS_PER_KEY, errorRateOf, FUSE_FILE, type FuseParameters } from '../kinds/fuse-file.ts';
import { cellsIn } from '../kinds/fuse-sizing.ts';
import { SHARDED_FUSE_FILE, type ShardedParameters } from '../kinds/sharded-fuse-file.ts';
import { untilAborted } from '../until-aborted.ts';
import { type CheckedSource, closeAfterError, requireSource } from './checked-source.ts';
import { type FileHead, readFileHead } from './file-head.ts';
import type { LookupOptions } from './open-filter.ts';
import type { RangeSource } from './source.ts';

/** The most bytes of one read. */
const READ_BYTES: number = 2 ** 20;

function requireFuse(Class: unknown): void {
  const { [KIND]: kind } = (Class ?? {}) as Partial<FilterClass<unknown>>;
  if (typeof Class === 'function' && kind?.id === FUSE_FILE.id) return;
  throw new TypeError(mustBe('Class', 'BinaryFuseFilter', Class));
}

/** Reads the bytes from `offset` on into a region. */
async function fill(region: Region, source: CheckedSource, offset: number, signal?: AbortSignal): Promise<void> {
  for (let at = 0; at < region.byteLength; at += READ_BYTES) {
    const length = Math.min(READ_BYTES, region.byteLength - at);
    const bytes = await untilAborted(source.read(offset + at, length, signal), signal);
    region.view(at, at + length).set(bytes);
  }
}

async function load<F extends BinaryFuseFilter>(
  Class: FilterClass<F>,
  index: number,
  source: CheckedSource,
  signal: AbortSignal | undefined,
): Promise<F> {
  const { engine } = Class;
  const choose = (): { kind: typeof SHARDED_FUSE_FILE; engine: typeof engine } => ({ kind: SHARDED_FUSE_FILE, engine });
  const { head } = (await readFileHead(source, choose, signal)) as FileHead<ShardedParameters>;
  const { own, lengths, cellBits, bodyOffset, parameters } = head;
  requireInteger('index', index, 0, own.shards.length - 1);
  const shard = own.shards[index] as FuseParameters;
  const cellCount = cellsIn(shard);
  const region = engine.reserve(Math.ceil((cellCount * cellBits) / 8));
  try {
    await fill(region, source, bodyOffset + sum(lengths.slice(0, index)), signal);
    const used = (cellCount * cellBits) % 8;
    const last = region.bytes[region.byteLength - 1] ?? 0;
    requireSaved(used === 0 || last >> used === 0, `bits behind the last cell of shard ${index} are set`);
    const { seed } = parameters;
    const { count } = shard;
    return wrap(Class, {
      parameters: { cellCount, hashes: CELLS_PER_KEY, seed, capacity: count, errorRate: errorRateOf(count, cellBits) },
      cellBits,
      own: shard,
      segments: [region],
    });
  } catch (error) {
    region.dispose();
    throw error;
  }
}

/**
 * Loads one shard of a saved `ShardedFuseFilter`: the filter of those keys for which `ShardedFuseFilter.shardOf` gives its
 * number. So a process with little memory can look up many keys, sorted by shards, and each of several processes can
 * answer for some shards.
 *
 * ```ts
 * const shard = ShardedFuseFilter.shardOf(key, { shards: 16 });
 * const filter = await loadShard(BinaryFuseFilter, shard, fileSource('leaked.bloom'));
 * filter.has(key);
 * ```
 *
 * Of the file, its head and the shard are read. The head is checked; the checksum of the whole file is not, so damage
 * makes answers wrong: `verify()` of an opened filter finds it.
 *
 * @param Class the class `BinaryFuseFilter`, on either engine; with a secret, the one that `keyed` made
 * @param index the number of the shard, from 0
 * @param source what gives ranges of the file, or a promise of that; it is closed in the end
 * @throws SavedFilterError unless the file begins with a valid head, and has the length that it says; TypeError | RangeError
 *   if an argument is wrong; FilterMemoryError if there is no memory for the shard; SourceError, or the error of the
 *   source, if the file cannot be read; the reason of the signal. The promise rejects.
 */
export async function loadShard<F extends BinaryFuseFilter>(
  Class: FilterClass<F>,
  index: number,
  source: RangeSource | Promise<RangeSource>,
  options: LookupOptions = {},
): Promise<F> {
  try {
    requireFuse(Class);
    const signal = requireSignal('signal', requireOptions(options, '{ signal }', ['signal'])['signal']);
    const checked = requireSource(await untilAborted(source, signal));
    const filter = await load(Class, index, checked, signal);
    await checked.close();
    return filter;
  } catch (error) {
    await closeAfterError(source);
    throw error;
  }
}

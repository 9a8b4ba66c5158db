import type { FilterClass } from '../filters/kind.ts';
import { requireClassOf } from '../filters/load.ts';
import { Checksum, PART_BYTES } from '../format/checksum.ts';
import { sum, writeHead } from '../format/header.ts';
import type { Engine } from '../kernel/region.ts';
import { CELLS_PER_KEY, errorRateOf, FUSE_FILE, type FuseParameters } from '../kinds/fuse/file.ts';
import type { BinaryFuseFilter } from '../kinds/fuse/filter.ts';
import { SHARDED_FUSE_FILE, type ShardedParameters } from '../kinds/fuse/sharded/file.ts';
import { cellsIn } from '../kinds/fuse/sizing.ts';
import { FilterMemoryError } from '../util/checks/errors.ts';
import { requireOptions } from '../util/checks/options.ts';
import { requireInteger, requireSignal, showBytes } from '../util/checks/validate.ts';
import { untilAborted } from '../util/until-aborted.ts';
import { type CheckedSource, closeAfterError, requireSource } from './checked-source.ts';
import { type FileHead, type HeadReader, readFileHead } from './file-head.ts';
import type { LookupOptions } from './open-filter.ts';
import type { RangeSource } from './source.ts';

/** A class that loads files of fuse filters. */
interface FuseClass<F> extends FilterClass<F> {
  fromBytes(bytes: Uint8Array): F;
}

/** Memory for a shard and the head of its file. No larger filter could be made of it. */
function memoryFor(headBytes: number, shardBytes: number, { maxBytes }: Engine): Uint8Array<ArrayBuffer> {
  if (shardBytes > maxBytes) {
    const [needed, most] = [shardBytes, maxBytes].map(showBytes);
    throw new FilterMemoryError(`a shard of ${needed} is too large: at most ${most} fit into a filter`, shardBytes);
  }
  try {
    return new Uint8Array(headBytes + shardBytes);
  } catch (cause) {
    throw new FilterMemoryError(`no memory for a shard of ${showBytes(shardBytes)}`, shardBytes, { cause });
  }
}

/** Reads a shard as the file of the fuse filter that it is. */
async function fileOf(
  index: number,
  source: CheckedSource,
  engine: Engine,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const choose = (): HeadReader => ({ kind: SHARDED_FUSE_FILE, engine });
  const { head } = (await readFileHead(source, choose, signal)) as FileHead<ShardedParameters>;
  const { own, lengths, cellBits, bodyOffset, parameters } = head;
  requireInteger('index', index, 0, own.shards.length - 1);
  const shard = own.shards[index] as FuseParameters;
  const { count } = shard;
  const { seed } = parameters;
  const cellCount = cellsIn(shard);
  const bytes = writeHead(FUSE_FILE, {
    parameters: { cellCount, hashes: CELLS_PER_KEY, seed, capacity: count, errorRate: errorRateOf(count, cellBits) },
    cellBits,
    own: shard,
  });
  const checksum = new Checksum(bytes);
  const file = memoryFor(bytes.length, Math.ceil((cellCount * cellBits) / 8), engine);
  const start = bodyOffset + sum(lengths.slice(0, index)) - bytes.length;
  const region = engine.reserve(1);
  try {
    for (let at = bytes.length; at < file.length; at += PART_BYTES) {
      const length = Math.min(PART_BYTES, file.length - at);
      const part = await untilAborted(source.read(start + at, length, signal), signal);
      file.set(part, at);
      checksum.push(file.subarray(at, at + length), region.instance);
    }
    file.set(checksum.seal(region.instance));
    return file;
  } finally {
    region.dispose();
  }
}

/**
 * Loads one shard of a saved `ShardedFuseFilter`: a filter of the keys for which `ShardedFuseFilter.shardOf` gives this
 * number. So a process with little memory can look up many keys, one shard after the other, and several processes can
 * divide the shards among them.
 *
 * ```ts
 * const shard = ShardedFuseFilter.shardOf(key, { shards: 16 });
 * const filter = await loadShard(BinaryFuseFilter, shard, fileSource('leaked.bloom'));
 * filter.has(key);
 * ```
 *
 * Reads the head of the file and the shard. The head is checked. The checksum of the whole file is not, so damage makes
 * answers wrong; `verify()` of an opened filter finds damage.
 *
 * @param Class the class `BinaryFuseFilter`, on either engine; with a secret, the one that `keyed` made
 * @param index the number of the shard, from 0
 * @param source the source of ranges of the file, or a promise of one; it is closed at the end
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
  let checked: CheckedSource | undefined;
  try {
    requireClassOf(FUSE_FILE.id, 'BinaryFuseFilter', Class);
    const signal = requireSignal('signal', requireOptions(options, '{ signal }', ['signal'])['signal']);
    checked = requireSource(await untilAborted(source, signal));
    const file = await fileOf(index, checked, Class.engine, signal);
    await checked.close();
    return (Class as FuseClass<F>).fromBytes(file);
  } catch (error) {
    const closing = closeAfterError(checked ?? source);
    // Without a source, there is nothing to wait for.
    if (checked) await closing;
    throw error;
  }
}

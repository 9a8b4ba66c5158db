import { type Like, requireSameKind } from '../../filters/compatible.ts';
import { type FromOptions, optionsFor } from '../../filters/filter-options.ts';
import type { GrowingFilter } from '../../filters/growing-filter.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { LayeredFilter } from '../../filters/layered-filter.ts';
import { wrap } from '../../filters/stored-filter.ts';
import { sum } from '../../format/header.ts';
import { combine, type Region } from '../../kernel/region.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import { isIterable } from '../../keys/iterables.ts';
import { type Key, requireBytes } from '../../keys/key.ts';
import { type ByteSource, isSource, SOURCES } from '../../util/byte-source.ts';
import { isBuffer } from '../../util/checks/typed-arrays.ts';
import { mustBe, SECRETS } from '../../util/checks/validate.ts';
import { collected, joined, PART_BYTES, requireNoOptions, sizeSource } from '../foreign-filter.ts';

import { readAs } from '../forms.ts';
import { type Chain, REDISBLOOM } from './chain.ts';
import {
  CHUNK_BYTES,
  DumpCollector,
  headerLength,
  readHeader,
  requireDump,
  type ScanDumpChunk,
  type ScanDumpReply,
  writeHeader,
} from './dump.ts';

export type { ScanDumpChunk, ScanDumpReply } from './dump.ts';

/** The options of a `RedisBloomDump`: those of BF.RESERVE. */
export interface RedisBloomDumpOptions {
  /** The number of distinct keys that the first link takes, 1 … 2^53 − 1. */
  capacity: number;
  /**
   * The largest share of absent keys that look present, however many keys are added, above 0 and at most 0.25; default
   * 0.01.
   */
  errorRate?: number | undefined;
  /**
   * The ratio of the capacity of each link to that of the one before, 1 … 2^32 − 1; default 2. 0 makes the filter
   * `nonScaling`. A link takes at most 64 MiB, or 256 times the memory of all before it.
   */
  expansion?: number | undefined;
  /** Whether to refuse keys beyond the capacity, in place of another link; default false. */
  nonScaling?: boolean | undefined;
}

/** The default capacity of a filter that grows, if the number of keys is unknown. */
const GUESS = 10_000;

/** Makes a filter of a header and the bits of all links. */
function readDump<F>(Class: FilterClass<F>, bytes: Uint8Array): F {
  const { parameters, cellBits, own } = readAs(bytes, () => readHeader(bytes));
  const bodyAt = headerLength(own.links.length);
  const body = bytes.subarray(bodyAt);
  const length = parameters.cellCount / 8;
  const code = body.length < length ? 'TRUNCATED' : 'DAMAGED';
  requireDump(body.length === length, `its links have ${body.length} of ${length} bytes`, code);
  const regions: Region[] = [];
  try {
    let at = 0;
    for (const link of own.links) {
      const end = at + link.parameters.cellCount / 8;
      const region = Class.engine.reserve(end - at);
      regions.push(region);
      region.view(0, end - at).set(body.subarray(at, end));
      at = end;
    }
  } catch (error) {
    for (const region of regions) region.dispose();
    throw error;
  }
  return wrap(Class, { parameters, cellBits, own, segments: regions as [Region, ...Region[]] });
}

/** Yields the header, and the bits of each link in chunks of at most `most` bytes. */
function* chunksOf({ own, segments }: Chain, most: number): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield writeHeader(own);
  for (const region of segments) {
    const { byteLength } = region;
    for (let at = 0; at < byteLength; at += most) yield region.view(at, Math.min(at + most, byteLength)).slice();
  }
}

/**
 * A filter of the module RedisBloom, which also Redis 8 contains, out of Redis: what BF.SCANDUMP gives and BF.LOADCHUNK
 * takes. It is only for filters of that module. A `RedisBloomFilter` of `bloomery/redis` needs no module, lives in Redis
 * and has another format.
 *
 * It is a chain of Bloom filters, called links. When the last is full, the next new key opens another, for more keys and
 * at half the error rate. A key is a string, as its UTF-8, or bytes; an item of Redis is never a number.
 *
 * ```ts
 * const filter = RedisBloomDump.fromChunks(replies); // of BF.SCANDUMP
 * filter.add('ada');
 * for (const { iterator, data } of filter.toScanDump()) await client.call('BF.LOADCHUNK', name, iterator, data);
 * ```
 *
 * @see https://redis.io/docs/latest/commands/bf.scandump/
 */
export class RedisBloomDump extends LayeredFilter<RedisBloomDumpOptions> {
  /** @internal */
  static override readonly [KIND]: Kind<Chain> = REDISBLOOM;
  /** @internal */
  declare readonly [CELLS]: Chain;

  /**
   * Makes a filter that holds `keys`.
   *
   * @param keys an array or iterable of keys, lines, a column or records
   * @param options the constructor's options. The default capacity is the number of keys, or 10,000 if that is unknown,
   *   as for a generator. For a filter that is `nonScaling`, a capacity must be given then.
   * @throws TypeError | RangeError if an option is missing, unknown or out of range, or if one of `keys` is not a key
   * @throws FilterFullError if the filter is `nonScaling` and there are more new keys than its capacity
   */
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options?: FromOptions<Options>,
  ): F {
    const { [KIND]: kind } = this;
    const { nonScaling, expansion } = (options ?? {}) as Partial<RedisBloomDumpOptions>;
    const grows = nonScaling !== true && expansion !== 0;
    const read = optionsFor(sizeSource(keys), grows ? { ...kind, guess: GUESS } : kind, options);
    return new this(read as Options).addMany(keys);
  }

  /**
   * Loads a filter from the data of all replies of BF.SCANDUMP in a row, which is also what `toBytes` gives.
   *
   * @throws SavedFilterError unless the bytes are one whole filter of RedisBloom with hashes of 64 bits
   * @throws TypeError if `bytes` is something else; FilterMemoryError if there is no memory for the filter
   */
  static override fromBytes<F>(this: FilterClass<F>, bytes: Uint8Array | ArrayBuffer, options?: object): F {
    requireNoOptions(options);
    return readDump(this, isBuffer(bytes) ? new Uint8Array(bytes) : requireBytes('bytes', bytes));
  }

  /**
   * Loads a filter from the replies of BF.SCANDUMP, in order: `[iterator, data]`, `{ iterator, data }` or `{ iterator,
   * chunk }`. The last reply, of iterator 0, may be among them. Also takes the bytes of `toBytes` in chunks of any size.
   * An iterable gives the filter; a web stream, an async iterable, a Blob or File, or a Response gives a promise.
   * Collects everything first, so for a moment the filter is in memory twice.
   *
   * @throws SavedFilterError if the replies are not those of one whole filter with hashes of 64 bits
   * @throws TypeError if they are something else, such as strings: clients must return buffers; FilterMemoryError if
   *   there is no memory for the filter; RangeError for a response that is not OK
   */
  static override fromChunks<F>(
    this: FilterClass<F>,
    chunks: Iterable<Uint8Array> | Iterable<ScanDumpReply>,
    options?: object,
  ): F;
  static override fromChunks<F>(
    this: FilterClass<F>,
    chunks: ByteSource | AsyncIterable<ScanDumpReply>,
    options?: object,
  ): Promise<F>;
  static override fromChunks<F>(
    this: FilterClass<F>,
    chunks: Iterable<unknown> | ByteSource | AsyncIterable<unknown>,
    options?: object,
  ): F | Promise<F> {
    requireNoOptions(options);
    const collector = new DumpCollector();
    if (isSource(chunks)) return collected(chunks, collector).then((bytes) => readDump(this, bytes));
    if (!isIterable(chunks)) throw new TypeError(mustBe('chunks', `an iterable or an ${SOURCES}`, chunks));
    for (const chunk of chunks) collector.push(chunk);
    // Emptied, so that the copies are not in memory beside the filter.
    return readDump(this, joined(collector.parts.splice(0)));
  }

  /** Saves the filter as the data of all replies of BF.SCANDUMP in a row. */
  override toBytes(): Uint8Array<ArrayBuffer> {
    return joined([...this.toChunks()]);
  }

  /** Yields the bytes of `toBytes` in chunks of at most 1 MiB. The filter must not change meanwhile. */
  override *toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    yield* chunksOf(this[CELLS], PART_BYTES);
  }

  /**
   * Yields what BF.SCANDUMP would reply, and BF.LOADCHUNK takes: the header, and the bits of each link in chunks of at
   * most 16 MiB. The filter must not change meanwhile. Send the chunks one after the other, to a key that does not
   * exist.
   */
  *toScanDump(): Generator<ScanDumpChunk, void, undefined> {
    let delivered: number | undefined;
    for (const data of chunksOf(this[CELLS], CHUNK_BYTES)) {
      delivered = delivered === undefined ? 0 : delivered + data.length;
      yield { iterator: delivered + 1, data };
    }
  }

  override equals<F extends LayeredFilter>(this: F, other: Like<F>): boolean {
    const cells = this[CELLS] as Chain;
    const others = requireSameKind(cells, other);
    const header = writeHeader(others.own);
    return (
      sum(cells.subFilters.map(({ count }) => count)) === others.count &&
      writeHeader(cells.own).every((byte, i) => byte === header[i]) &&
      cells.segments.every((region, i) => combine(region, others.segments[i] ?? region, (kernel) => kernel.bits_equal))
    );
  }

  get kind(): 'redisbloom' {
    return 'redisbloom';
  }

  /** The seed of the hash: 0, because no filter of the module has another one. */
  override get seed(): number {
    return super.seed % SECRETS;
  }

  /** The number of bits of all links. */
  get bits(): number {
    return this.cellCount;
  }

  /** The ratio of the capacity of each link to that of the one before. */
  get expansion(): number {
    return this[CELLS].own.expansion;
  }

  /** Whether the filter refuses keys beyond its capacity. */
  get nonScaling(): boolean {
    return this[CELLS].own.nonScaling;
  }

  /** The number of links. */
  get links(): number {
    return this[CELLS].subFilters.length;
  }

  /** The number of keys that looked absent when they were added: the size that the module counts. */
  get count(): number {
    return this[CELLS].count;
  }

  /**
   * Adds a key. Changes nothing if it looks present.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError if `key` is not a key
   * @throws FilterFullError if the filter is full and `nonScaling`, or must grow and cannot: then nothing has changed
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}

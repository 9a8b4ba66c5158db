// Filters in the formats of other systems: they hash, probe and are saved as those systems do it.

import { CombinableFilter } from '../filters/combinable-filter.ts';
import { type FromOptions, optionsFor } from '../filters/filter-options.ts';
import type { GrowingFilter } from '../filters/growing-filter.ts';
import { CELLS, type CombinableKind, type FilterClass, GrowingCells, KIND } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import { type Head, type Saved, segmentLengths } from '../format/header.ts';
import { type CountedKeys, type KeyCollection, type ManyKeys, sourceOf } from '../keys/collections.ts';
import { isIterable } from '../keys/iterables.ts';
import { requireBytes } from '../keys/key.ts';
import type { Source } from '../keys/source.ts';
import { type ByteSource, isSource, readSource, SOURCES } from '../util/byte-source.ts';
import { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
import { requireOptions } from '../util/checks/options.ts';
import { isBuffer, lengthOf, typedArrayName } from '../util/checks/typed-arrays.ts';
import { FOREIGN, mustBe, SECRETS } from '../util/checks/validate.ts';
import { readAs } from './forms.ts';
import type { KeyRules } from './key-rules.ts';
import { underRules } from './ruled-sources.ts';

/** A filter in the bytes of another system: what they say of it, and where its cells begin. */
export interface ForeignFile {
  readonly head: Head;
  readonly bodyAt: number;
  /** The order of the bytes in the words of the cells, if it is not that of the kind. */
  readonly hasBigEndianWords?: boolean;
  /** The cells to use if the file stores none. */
  readonly cells?: Uint8Array;
}

/** A kind of filters in the format of another system. */
export interface ForeignKind extends CombinableKind {
  /** The name of the system, for errors. */
  readonly system: string;
  /** Whether the cells are saved in words of 8 bytes, highest byte first. If not, each byte has the cells in order. */
  readonly hasBigEndianWords: boolean;
  /**
   * Completes the options of a new filter: returns those that the system itself chooses if they are left out, or writes
   * otherwise.
   */
  complete?(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Writes what stands before the cells. */
  writeHead(head: Head): Uint8Array<ArrayBuffer>;
  /** Reads and checks everything but the cells, before anything is allocated. */
  readHead(bytes: Uint8Array, options: unknown): ForeignFile;
}

/** Throws the error for bytes that are not a filter of the system, unless a condition holds. */
export function requireForeign(holds: boolean, system: string, reason: string, code?: SavedFilterErrorCode): void {
  if (!holds) throw new SavedFilterError(`not a filter of ${system}: ${reason}`, code);
}

/** Throws a TypeError if there are options where a format needs none, because its files say everything. */
export function requireNoOptions(options: unknown): void {
  if (options === undefined) return;
  const [name] = Object.keys(requireOptions(options, '{}'));
  if (name !== undefined) throw new TypeError(`unknown option ${name.slice(0, 40)}: this format takes no options here`);
}

/** Throws a TypeError if a seed is given to a kind whose hash has none. */
export function requireNoSeed({ seed }: Readonly<Record<string, unknown>>): void {
  if (seed !== undefined) throw new TypeError(mustBe('seed', 'undefined, because the hash has none', seed));
}

/** The options of a new filter, completed. Each is read once, as it may be inherited, or be a getter. */
function completed(options: unknown, kind: ForeignKind): unknown {
  if (kind.complete === undefined) return options;
  const names = ['capacity', 'errorRate', ...kind.sizes, ...(kind.options ?? []), 'seed'];
  const given = requireOptions(options, '{ capacity: 1000, errorRate: 0.01 }', names);
  const read = Object.fromEntries(names.map((name) => [name, given[name]]));
  return { ...read, ...kind.complete(read) };
}

/** The number of each system, from which the seeds of its filters follow: see `FOREIGN`. */
export const SYSTEMS = { parquet: 1, guava: 2, spark: 3, go: 4, redisbloom: 5 } as const;

/** The cells of a filter in the format of another system. Their seed stands for that system's hash: see `FOREIGN`. */
export abstract class ForeignCells extends GrowingCells {
  abstract override readonly kind: ForeignKind;
  readonly rules: KeyRules;
  /** None: a source of keys that single calls leave over would not apply the rules. */
  readonly few = 0;

  constructor({ segments, parameters, cellBits, own }: Saved, system: keyof typeof SYSTEMS, rules: KeyRules) {
    const { cellCount, hashes, capacity, errorRate } = parameters;
    const seed = SYSTEMS[system] * FOREIGN + (parameters.seed % SECRETS);
    super({ segments, parameters: { cellCount, hashes, seed, capacity, errorRate }, cellBits, own });
    this.rules = rules;
  }

  sourceOf(keys: unknown): Source {
    return sourceOf(underRules(keys, this.rules));
  }
}

/** The byte length of cells in memory. */
function cellBytes(kind: ForeignKind, head: Head): number {
  const [length = 0] = segmentLengths(kind, head);
  return length;
}

/** The byte length of cells as they are saved. */
function bodyLength(kind: ForeignKind, head: Head): number {
  const length = cellBytes(kind, head);
  return kind.hasBigEndianWords ? Math.ceil(length / 8) * 8 : length;
}

/** Copies cells between memory and a file. */
function copyCells(from: Uint8Array, to: Uint8Array, hasBigEndianWords: boolean): void {
  if (!hasBigEndianWords) {
    to.set(from);
    return;
  }
  const source = new DataView(from.buffer, from.byteOffset, from.length);
  const target = new DataView(to.buffer, to.byteOffset, to.length);
  for (let at = 0; at < from.length; at += 8) {
    target.setUint32(at, source.getUint32(at + 4, true));
    target.setUint32(at + 4, source.getUint32(at, true));
  }
}

/** How many bytes of cells `toChunks` yields at a time. */
export const PART_BYTES: number = 2 ** 20;

/** Makes a filter of the bytes of another system. */
export function readForeign<F>(Class: FilterClass<F>, bytes: Uint8Array, options: unknown): F {
  const kind = Class[KIND] as ForeignKind;
  return readAs(bytes, () => {
    const { head, bodyAt, hasBigEndianWords, cells = bytes.subarray(bodyAt) } = kind.readHead(bytes, options);
    return readCells(Class, head, cells, hasBigEndianWords);
  });
}

/** Makes a filter of its cells, as they are saved. */
export function readCells<F>(
  Class: FilterClass<F>,
  head: Head,
  saved: Uint8Array,
  hasBigEndianWords: boolean = (Class[KIND] as ForeignKind).hasBigEndianWords,
): F {
  const kind = Class[KIND] as ForeignKind;
  const length = bodyLength(kind, head);
  const code = saved.length < length ? 'TRUNCATED' : 'DAMAGED';
  requireForeign(saved.length === length, kind.system, `it has ${saved.length} of ${length} bytes of cells`, code);
  const region = Class.engine.reserve(cellBytes(kind, head));
  copyCells(saved, region.bytes.subarray(0, length), hasBigEndianWords);
  const { parameters, cellBits, own } = head;
  return wrap(Class, { parameters, cellBits, own, segments: [region] });
}

/** Joins chunks. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Collects copies of chunks, because their memory may be used again for the next one. */
class ChunkCollector {
  readonly parts: Uint8Array[] = [];

  push(chunk: unknown): void {
    this.parts.push(requireBytes(`chunks[${this.parts.length}]`, chunk as Uint8Array).slice());
  }
}

/** Collects the chunks of a source, and joins them. If a chunk is refused, the source is canceled. */
export async function collected(
  source: ByteSource,
  collector: Pick<ChunkCollector, 'parts' | 'push'>,
): Promise<Uint8Array> {
  await readSource(source, (chunk) => collector.push(chunk));
  return joined(collector.parts);
}

/** What tells the number of keys. No rules are needed for that. */
export function sizeSource(keys: unknown): Pick<Source, 'count'> {
  const name = typedArrayName(keys);
  if (name === undefined || name === 'Uint8Array') return sourceOf(keys);
  return { count: () => lengthOf(keys as ArrayBufferView) };
}

/**
 * The base class of filters in the formats of other systems: keys are what they are there, and `toBytes` and
 * `fromBytes` speak that format and no other. Each class defines its own `add` and `has`: see `StoredFilter` for the
 * reason.
 */
export abstract class ForeignFilter<Options = never> extends CombinableFilter<Options> {
  /** @internal */
  declare static readonly [KIND]: ForeignKind;
  /** @internal */
  declare readonly [CELLS]: ForeignCells;

  /**
   * Makes an empty filter for `capacity` keys at `errorRate`, or of the size that the options give.
   *
   * @throws TypeError | RangeError if an option is missing, unknown or out of range
   * @throws FilterMemoryError if the filter is too large for the engine, or the system has no more memory
   */
  constructor(options: Options) {
    super(completed(options, new.target[KIND]) as Options);
  }

  /**
   * Makes a filter that holds `keys`.
   *
   * @param keys an array or iterable of keys, a typed array of numbers, lines, a column or records
   * @param options the constructor's options. The default capacity is the number of keys. If that is unknown, as for a
   *   generator, a capacity or a size must be given.
   * @throws TypeError | RangeError if an option is missing, unknown or out of range, or if one of `keys` is not a key
   */
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: CountedKeys<K>,
    options?: FromOptions<Options>,
  ): F;
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options: NoInfer<Options>,
  ): F;
  static override from<F extends GrowingFilter, Options>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: KeyCollection,
    options?: Partial<Options>,
  ): F {
    const source = sizeSource(keys);
    return new this(optionsFor(source, this[KIND], options) as Options).addMany(keys);
  }

  /**
   * Loads a filter that the other system has saved, or `toBytes`.
   *
   * @param options what the bytes do not say, such as the type of number keys: see the options of the constructor
   * @throws SavedFilterError unless the bytes are one whole filter of that system
   * @throws TypeError | RangeError if `bytes` is something else or an option is wrong; FilterMemoryError if there is no
   *   memory for the filter
   */
  static override fromBytes<F>(this: FilterClass<F>, bytes: Uint8Array | ArrayBuffer, options?: object): F {
    return readForeign(this, isBuffer(bytes) ? new Uint8Array(bytes) : requireBytes('bytes', bytes), options);
  }

  /**
   * Loads a filter from chunks of any size, in order. An iterable gives the filter; a web stream, an async iterable, a
   * Blob or File, or a Response gives a promise. Collects all bytes first, so for a moment the filter is in memory
   * twice.
   *
   * @throws SavedFilterError | TypeError | RangeError | FilterMemoryError as `fromBytes`
   */
  static override fromChunks<F>(this: FilterClass<F>, chunks: Iterable<Uint8Array>, options?: object): F;
  static override fromChunks<F>(this: FilterClass<F>, chunks: ByteSource, options?: object): Promise<F>;
  static override fromChunks<F>(
    this: FilterClass<F>,
    chunks: Iterable<Uint8Array> | ByteSource,
    options?: object,
  ): F | Promise<F> {
    const collector = new ChunkCollector();
    if (isSource(chunks)) return collected(chunks, collector).then((bytes) => readForeign(this, bytes, options));
    if (!isIterable(chunks)) throw new TypeError(mustBe('chunks', `an iterable or an ${SOURCES}`, chunks));
    for (const chunk of chunks) collector.push(chunk);
    // Emptied, so that the copies are not in memory beside the filter.
    return readForeign(this, joined(collector.parts.splice(0)), options);
  }

  /** Saves the filter in the format of the other system. */
  override toBytes(): Uint8Array<ArrayBuffer> {
    return joined([...this.toChunks()]);
  }

  /** Yields the bytes of `toBytes` in chunks of at most 1 MiB. The filter must not change meanwhile. */
  override *toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    const cells = this[CELLS];
    const { kind, region } = cells;
    yield kind.writeHead(cells);
    const length = bodyLength(kind, cells);
    for (let at = 0; at < length; at += PART_BYTES) {
      const part = new Uint8Array(Math.min(PART_BYTES, length - at));
      copyCells(region.view(at, at + part.length), part, kind.hasBigEndianWords);
      yield part;
    }
  }

  /** The seed of the hash; 0 for a system whose hash has none. */
  override get seed(): number {
    return super.seed % SECRETS;
  }
}

import { type Choose, type FilterKind, type Reader, type Saved, segmentLengths } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { toBytes, toChunks } from '../format/save.ts';
import { copyOf, type Engine, type Region } from '../kernel/region.ts';
import type { Key } from '../keys/key.ts';
import type { ByteSource } from '../util/byte-source.ts';
import { capacityFor } from './estimate.ts';
import { disposeSymbol, type Filter, type Inspect, inspectSymbol } from './filter.ts';
import { headOf } from './filter-options.ts';
import { CELLS, Cells, type FilterClass, type FilterTraits, KIND, type Kind } from './kind.ts';
import { LookupFilter } from './lookup-filter.ts';

/**
 * `console.log` shows the fill ratio and the present error rate of filters of up to this many bytes. Counting the cells
 * of larger ones takes up to a second.
 */
const COUNTED_BYTES = 2 ** 24;

/** Wraps cells in a filter. The constructors of user subclasses do not run. */
export function wrapCells<F>(Class: FilterClass<F>, cells: unknown): F {
  return Reflect.construct(StoredFilter, [cells], Class as FilterClass<F> & typeof StoredFilter);
}

/** Makes a filter over its memory. */
export function wrap<F>(Class: FilterClass<F>, saved: Saved): F {
  return wrapCells(Class, Class[KIND].cellsOf(saved, Class.engine));
}

/**
 * The reader of files that hold filters of this class.
 *
 * @param base how to read the file of the other filter, if the kind wraps one
 */
export function readerOf<F>(Class: FilterClass<F>, base?: Choose<unknown>): Reader<F> {
  const { engine, [KIND]: kind } = Class;
  return { kind, engine, make: (saved) => wrap(Class, saved), base };
}

/**
 * The base class of all kinds: lookups of many keys, saving and loading. Each kind defines its own `has`: at a call
 * site that all kinds share, V8 would see many hidden classes and inline nothing.
 */
export abstract class StoredFilter<Options = never> extends LookupFilter implements Filter {
  /** The engine of all filters of this class. */
  declare static readonly engine: Engine;
  /** @internal */
  declare static readonly [KIND]: Kind<Cells>;
  /** @internal */
  readonly [CELLS]: Cells;

  abstract readonly kind: FilterKind;
  abstract has(key: Key): boolean;
  abstract fillRatio(): number;
  abstract estimateCount(): number;
  abstract estimateErrorRate(): number;

  /**
   * Makes an empty filter for `capacity` keys at `errorRate`, or of the size that the options give.
   *
   * @throws TypeError | RangeError if an option is missing, unknown or out of range
   * @throws FilterMemoryError if the filter is too large for the engine, or the system has no more memory
   */
  constructor(options: Options) {
    super();
    // A polyfill may have defined the symbol after this module was loaded.
    StoredFilter.prototype[Symbol.dispose ?? disposeSymbol] ??= StoredFilter.prototype[disposeSymbol];
    if (options instanceof Cells) {
      this[CELLS] = options;
    } else {
      const { engine, [KIND]: kind } = new.target;
      const head = headOf(options, kind, engine);
      const [length = 0] = segmentLengths(kind, head);
      this[CELLS] = kind.cellsOf({ ...head, segments: [engine.reserve(length)] }, engine);
    }
  }

  /** The name of the kind of all filters of this class. */
  static get kind(): FilterKind {
    return this[KIND].name;
  }

  /** What all filters of this class can do, and what they cannot. */
  static get traits(): FilterTraits {
    return this[KIND].traits;
  }

  /**
   * Compiles WebAssembly in the background, so that the first filter does not block a page for some 5 ms. Required only
   * on pages in Chrome before 115, which must await it before the first filter. Does nothing in plain JavaScript. One
   * call is enough for all classes of one entry.
   *
   * @throws Error if WebAssembly is refused: the promise rejects
   */
  static prepare(): Promise<void> {
    return this.engine.prepare();
  }

  /**
   * Loads a filter of this kind that `toBytes` or `toChunks` saved on any engine. `loadAny` of `bloomery/load` loads
   * filters of several kinds.
   *
   * @throws SavedFilterError unless the bytes are one whole, undamaged filter of this kind
   * @throws TypeError if `bytes` is something else; FilterMemoryError if there is no memory for the filter
   */
  static fromBytes<F extends StoredFilter>(this: FilterClass<F>, bytes: Uint8Array | ArrayBuffer): F {
    return readBytes(bytes, () => readerOf(this));
  }

  /**
   * Loads a filter from chunks of any size, in order. An iterable gives the filter; a web stream, an async iterable, a
   * Blob or File, or a Response gives a promise. Memory grows as chunks arrive; in plain JavaScript, where growth
   * copies, it reaches twice the size of the filter.
   *
   * @throws SavedFilterError unless the chunks are one whole, undamaged filter of this kind
   * @throws TypeError if they are something else; FilterMemoryError if there is no memory for the filter; RangeError
   *   for a response that is not OK, such as a 404, or has no unused body
   */
  static fromChunks<F extends StoredFilter>(this: FilterClass<F>, chunks: Iterable<Uint8Array>): F;
  static fromChunks<F extends StoredFilter>(this: FilterClass<F>, chunks: ByteSource): Promise<F>;
  static fromChunks<F extends StoredFilter>(
    this: FilterClass<F>,
    chunks: Iterable<Uint8Array> | ByteSource,
  ): F | Promise<F> {
    return readChunks(chunks, () => readerOf(this));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    return toBytes(this[CELLS].kind, this[CELLS]);
  }

  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    return toChunks(this[CELLS].kind, this[CELLS]);
  }

  /**
   * Always throws, because a filter has no JSON form: `JSON.stringify` would write an empty object. Save the filter
   * with `toBytes` or `toChunks`, and encode the bytes in base64 if they must be text.
   *
   * @throws TypeError
   */
  toJSON(): unknown {
    throw new TypeError('a filter has no JSON form: use toBytes(), in base64 if it must be text');
  }

  /** Copies the filter with its parameters and keys. The constructors of user subclasses do not run. */
  clone(): this {
    const { parameters, cellBits, own, segments } = this[CELLS];
    const Class = this.constructor as object as FilterClass<this>;
    const copies: Region[] = [];
    try {
      for (const region of segments) copies.push(copyOf(region, Class.engine));
    } catch (error) {
      // There is no memory for all segments.
      for (const copy of copies) copy.dispose();
      throw error;
    }
    return wrap(Class, { parameters, cellBits, own, segments: copies as [Region, ...Region[]] });
  }

  dispose(): void {
    for (const region of this[CELLS].segments) region.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  /**
   * The name of the kind's class, such as `BloomFilter`, in minified code and subclasses too. Because of it, libraries
   * such as Vue do not take a filter for a plain object and wrap it in a proxy.
   */
  get [Symbol.toStringTag](): string {
    return this[CELLS]?.kind.className;
  }

  get engine(): 'wasm' | 'js' {
    return (this.constructor as typeof StoredFilter).engine.name;
  }

  get capacity(): number {
    const { capacity, cellCount, hashes } = this[CELLS].parameters;
    return capacity || capacityFor(cellCount, hashes);
  }

  get errorRate(): number {
    const { kind, parameters, cellBits, own } = this[CELLS];
    return parameters.errorRate || (kind.errorRateAt?.(this.capacity, parameters, cellBits, own) ?? 0);
  }

  get hashes(): number {
    return this[CELLS].parameters.hashes;
  }

  get seed(): number {
    return this[CELLS].seed;
  }

  get cellName(): string {
    return this[CELLS].kind.cellName;
  }

  get cellCount(): number {
    return this[CELLS].parameters.cellCount;
  }

  get cellBits(): number {
    return this[CELLS].cellBits;
  }

  get byteLength(): number {
    return this[CELLS].byteLength;
  }

  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const { kind, region } = this[CELLS];
    const { className } = kind;
    const shown: Record<string, unknown> = {};
    for (const name of ['capacity', 'errorRate', ...(kind.shown ?? kind.sizes), 'seed', 'engine']) {
      shown[name] = this[name as keyof this];
    }
    if (region.disposed) shown['disposed'] = true;
    else if (!kind.isTimed?.(this[CELLS]) && this.byteLength <= COUNTED_BYTES) {
      for (const name of ['fillRatio', 'estimateErrorRate'] as const) {
        shown[`${name}()`] = Number(this[name]().toPrecision(3));
      }
    }
    return depth < 0 ? `[${className}]` : `${className} ${inspect(shown, options)}`;
  }
}

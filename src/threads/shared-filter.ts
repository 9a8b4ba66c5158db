import { changeAll, select } from '../filters/batch.ts';
import type { CombinableFilter } from '../filters/combinable-filter.ts';
import { disposeSymbol, type GrowingFilter, type Inspect, inspectSymbol } from '../filters/filter.ts';
import { type FromOptions, headOf, optionsFor } from '../filters/filter-options.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../filters/kind.ts';
import { LookupFilter } from '../filters/lookup-filter.ts';
import { wrap } from '../filters/stored-filter.ts';
import { type FilterKind, type FilterParameters, type Head, segmentLengths } from '../format/header.ts';
import { wasmElse } from '../kernel/engine-wasm.ts';
import type { Engine } from '../kernel/region.ts';
import { type CountedKeys, type KeyCollection, type ManyKeys, type Picked, sourceOf } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import { MAX_HASHES } from '../kinds/classic/sizing.ts';
import { requireOptions } from '../util/checks/options.ts';
import { isCount, isPromise } from '../util/checks/received.ts';
import { mustBe, SECRETS } from '../util/checks/validate.ts';
import { SharedCells } from './shared-cells.ts';
import * as shared from './shared-memory.ts';

/** How many threads can be attached to a filter by default. */
const ATTACHMENTS = 64;

/** What another thread needs to attach itself to a filter: a plain object that `postMessage` takes. */
export interface SharedHandle {
  /** The kind of the filter, such as `classic`. */
  readonly kind: FilterKind;
  /**
   * The memory, a `WebAssembly.Memory`, which is shared and not copied. The type is `object`, because a project without
   * the types of browsers may not have that name.
   */
  readonly memory: object;
  readonly parameters: FilterParameters;
  /** How many threads can be attached at once. */
  readonly attachments: number;
}

/** An option of all shared filters. */
export interface AttachmentOptions {
  /**
   * How many attachments the filter can have at once, including that of the thread which makes it, 1 … 1024; default
   * 64. Each takes up to 200 KB of memory when it is used.
   */
  attachments?: number | undefined;
}

/** The class of filters for one thread that a class of shared filters is made after. */
type PlainClass<P> = FilterClass<P> & { fromBytes(bytes: Uint8Array | ArrayBuffer): P };

/** A class of shared filters. */
interface SharedClass<F, P> {
  readonly prototype: F;
  /** @internal */
  readonly plain: PlainClass<P>;
}

/** Encodes and hashes keys in each thread. */
const engine: Engine = /* @__PURE__ */ wasmElse('threads cannot share filters without it');

/** Gives back the places of attachments that became garbage. */
const registry =
  globalThis.FinalizationRegistry &&
  new FinalizationRegistry<{ memory: object; place: number }>(({ memory, place }) =>
    shared.releasePlace(memory, place),
  );

function byteLengthOf({ [KIND]: kind }: PlainClass<unknown>, head: Head): number {
  const [length = 0] = segmentLengths(kind, head);
  return length;
}

/** The kind, with the options of shared filters. */
function kindOf({ [KIND]: kind }: PlainClass<unknown>): Kind {
  return { ...kind, options: [...(kind.options ?? []), 'attachments'] };
}

/** Whether another thread's parameters are such as a filter of the kind can have. */
function areParametersOf({ allows }: Kind, parameters: FilterParameters): boolean {
  const { cellCount, hashes, seed, capacity, errorRate } = parameters;
  return (
    isCount(cellCount, 1, Number.MAX_SAFE_INTEGER) &&
    isCount(hashes, 1, MAX_HASHES) &&
    isCount(seed, 0, SECRETS - 1) &&
    isPromise(capacity, errorRate) &&
    (allows?.(parameters) ?? true)
  );
}

const headWith = (parameters: FilterParameters): Head => ({ parameters, cellBits: 1, own: undefined });

/**
 * Makes the memory of a filter.
 *
 * @throws as the constructor of a shared filter
 */
export function makeHandle(plain: PlainClass<unknown>, options: object): SharedHandle {
  const kind = kindOf(plain);
  const head = headOf(options, kind, engine);
  const { attachments = ATTACHMENTS } = options as AttachmentOptions;
  const memory = shared.makeMemory(byteLengthOf(plain, head), attachments);
  return { kind: kind.name, memory, parameters: head.parameters, attachments };
}

/**
 * A filter whose bits lie in memory that threads share. All threads that are attached to it can add keys and look them
 * up at the same time.
 */
export abstract class SharedFilter<P extends CombinableFilter> extends LookupFilter implements GrowingFilter {
  /** @internal */
  declare static readonly plain: PlainClass<CombinableFilter>;
  /** What another thread needs to attach itself: send it by `postMessage`, and pass it to `attach` there. */
  readonly handle: SharedHandle;
  /** The number of this attachment: see `release`. */
  readonly attachment: number;
  /** @internal */
  readonly [CELLS]: SharedCells;
  /** A filter of the same kind for one thread, over the shared memory. */
  readonly #plain: P;

  abstract readonly kind: FilterKind;
  abstract add(key: Key): boolean;
  abstract has(key: Key): boolean;

  /** @internal */
  constructor(handle: SharedHandle) {
    super();
    const { plain } = new.target as object as SharedClass<SharedFilter<P>, P>;
    const { memory, parameters, attachments } = handle;
    const head = headWith(parameters);
    const { place, region } = shared.attach(memory, byteLengthOf(plain, head), attachments);
    try {
      this.#plain = wrap(plain, { ...head, segments: [region] });
      this[CELLS] = new SharedCells(engine.reserve(1), this.#plain[CELLS]);
    } catch (error) {
      shared.releasePlace(memory, place);
      throw error;
    }
    registry?.register(this, { memory, place }, this);
    this.handle = handle;
    this.attachment = place;
    SharedFilter.prototype[Symbol.dispose ?? disposeSymbol] ??= SharedFilter.prototype[disposeSymbol];
  }

  /**
   * Attaches this thread to a filter that another one has made. Nothing is copied.
   *
   * @param handle the `handle` of the filter
   * @throws TypeError unless it is the handle of a filter of this kind, made by this version of the package
   * @throws RangeError if the filter has as many attachments as it can have
   * @throws Error on a page that is not cross-origin isolated
   */
  static attach<F extends SharedFilter<CombinableFilter>>(
    this: SharedClass<F, CombinableFilter>,
    handle: SharedHandle,
  ): F {
    const { kind, memory, parameters, attachments } = (handle ?? {}) as Partial<SharedHandle>;
    const { plain } = this;
    const wanted = plain[KIND].name;
    const isHandle =
      kind === wanted &&
      parameters &&
      areParametersOf(plain[KIND], parameters) &&
      shared.isMemoryFor(memory, byteLengthOf(plain, headWith(parameters)), attachments);
    if (!isHandle) throw new TypeError(mustBe('handle', `the handle of a shared ${wanted} filter`, handle));
    return Reflect.construct(SharedFilter, [handle], this as object as typeof SharedFilter) as object as F;
  }

  /**
   * Makes a filter that holds `keys`.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param options the constructor's options. The default capacity is the number of keys; if that is unknown, as for a
   *   generator, a capacity or a size must be given.
   * @throws as the constructor; TypeError | RangeError if one of `keys` is not a key
   */
  static from<F extends SharedFilter<CombinableFilter>, Options, K>(
    this: SharedClass<F, CombinableFilter> & (new (options: Options) => F),
    keys: CountedKeys<K>,
    options?: FromOptions<Options>,
  ): F;
  static from<F extends SharedFilter<CombinableFilter>, Options, K>(
    this: SharedClass<F, CombinableFilter> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options: NoInfer<Options>,
  ): F;
  static from<F extends SharedFilter<CombinableFilter>, Options>(
    this: SharedClass<F, CombinableFilter> & (new (options: Options) => F),
    keys: KeyCollection,
    options?: Partial<Options>,
  ): F {
    const filter = new this(optionsFor(sourceOf(keys), kindOf(this.plain), options) as Options);
    return filter.addMany(keys);
  }

  /**
   * Copies a filter of one thread into memory that threads share.
   *
   * @param filter a filter of the same kind, on either engine
   * @throws TypeError unless it is, or if an option is unknown; RangeError if `attachments` is out of range;
   *   FilterMemoryError if there is no memory for the copy
   */
  static fromFilter<F extends SharedFilter<P>, P extends CombinableFilter>(
    this: SharedClass<F, P>,
    filter: P,
    options: AttachmentOptions = {},
  ): F {
    const { plain } = this;
    const { attachments = ATTACHMENTS }: AttachmentOptions = requireOptions(options, '{ attachments: 8 }', [
      'attachments',
    ]);
    const cells = (filter as P | null | undefined)?.[CELLS];
    if (cells?.kind !== plain[KIND]) throw new TypeError(mustBe('filter', `a ${plain[KIND].className}`, filter));
    const { parameters, region, seed } = cells;
    if (seed >= SECRETS) throw new TypeError('filter must be without a secret');
    const memory = shared.makeMemory(region.byteLength, attachments);
    const handle: SharedHandle = { kind: plain[KIND].name, memory, parameters, attachments };
    const made = Reflect.construct(SharedFilter, [handle], this as object as typeof SharedFilter) as object as F;
    made.#plain[CELLS].region.bytes.set(region.bytes);
    return made;
  }

  /**
   * Loads a saved filter of the same kind into memory that threads share. While it runs, the filter is in memory twice.
   *
   * @throws TypeError | RangeError if an argument is wrong
   * @throws SavedFilterError unless the bytes are one whole, undamaged filter of this kind
   * @throws FilterMemoryError if there is no memory for it
   */
  static fromBytes<F extends SharedFilter<P>, P extends CombinableFilter>(
    this: SharedClass<F, P> & { fromFilter(filter: P, options?: AttachmentOptions): F },
    bytes: Uint8Array | ArrayBuffer,
    options?: AttachmentOptions,
  ): F {
    const filter = this.plain.fromBytes(bytes);
    try {
      return this.fromFilter(filter, options);
    } finally {
      filter.dispose();
    }
  }

  /** Compiles WebAssembly in the background, so that the first filter does not block a page for some 5 ms. */
  static async prepare(): Promise<void> {
    await Promise.all([engine.prepare(), shared.prepare()]);
  }

  get engine(): 'wasm' {
    return 'wasm';
  }

  get capacity(): number {
    return this.#plain.capacity;
  }

  get errorRate(): number {
    return this.#plain.errorRate;
  }

  get hashes(): number {
    return this.#plain.hashes;
  }

  get seed(): number {
    return this.#plain.seed;
  }

  get cellName(): string {
    return this.#plain.cellName;
  }

  get cellCount(): number {
    return this.#plain.cellCount;
  }

  get cellBits(): number {
    return this.#plain.cellBits;
  }

  /** The shared memory that the bits take, in bytes, however many threads are attached. */
  get byteLength(): number {
    return this.#plain.byteLength;
  }

  addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    const cells = this[CELLS];
    changeAll(cells, keys, out === undefined ? cells.add : cells.addFlags, out);
    return this;
  }

  dedupe<K>(keys: ManyKeys<K>): Picked<K> {
    const cells = this[CELLS];
    return select(cells, keys, cells.addFlags, 1);
  }

  /** The share of bits that are set, 0 … 1. Reads the whole filter; keys that are added meanwhile may count or not. */
  fillRatio(): number {
    return this.#plain.fillRatio();
  }

  estimateCount(): number {
    return this.#plain.estimateCount();
  }

  estimateErrorRate(): number {
    return this.#plain.estimateErrorRate();
  }

  /** Removes all keys. A key that another thread adds meanwhile may look absent afterwards; earlier ones are all removed. */
  clear(): void {
    this.#plain.clear();
  }

  /**
   * Copies the filter into one for this thread alone. The copy has all keys that were added before. It may have some of
   * the keys that are added meanwhile, and not others.
   */
  toFilter(): P {
    return this.#plain.clone();
  }

  /** Saves the filter as the file of a filter for one thread: a copy, as `toFilter` makes it. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const copy = this.toFilter();
    try {
      return copy.toBytes();
    } finally {
      copy.dispose();
    }
  }

  /** As `toBytes`, in chunks of at most 1 MiB. The copy is made when the first chunk is asked for. */
  *toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    const copy = this.toFilter();
    try {
      yield* copy.toChunks();
    } finally {
      copy.dispose();
    }
  }

  /**
   * Frees the place of an attachment whose thread was terminated before it could call `dispose`. Keys that the thread
   * has added stay.
   *
   * **The thread must have ended,** and only one thread may release it, once. Otherwise two threads would use one place, and
   * mix up their keys.
   *
   * @param attachment the `attachment` of the filter in that thread
   * @throws RangeError unless it is the number of another attachment that is in use
   */
  release(attachment: number): void {
    const { memory, attachments } = this.handle;
    shared.requirePlace(attachment, attachments);
    if (attachment === this.attachment || !shared.isClaimed(memory, attachment)) {
      throw new RangeError(mustBe('attachment', 'that of another thread', attachment));
    }
    shared.releasePlace(memory, attachment);
  }

  /**
   * Ends this attachment. After that, methods that need the cells throw a TypeError in this thread. Other threads keep
   * the filter, and its memory is freed when no thread refers to it.
   */
  dispose(): void {
    if (this.#plain[CELLS].region.disposed) return;
    registry?.unregister(this);
    this.#plain.dispose();
    this[CELLS].region.dispose();
    shared.releasePlace(this.handle.memory, this.attachment);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  /**
   * Always throws, because a filter has no JSON form: `JSON.stringify` would write its parameters without its bits. Send
   * `handle` to another thread, or save the filter with `toBytes`.
   *
   * @throws TypeError
   */
  toJSON(): unknown {
    return this.#plain.toJSON();
  }

  get [Symbol.toStringTag](): string {
    return `Shared${this.#plain[Symbol.toStringTag]}`;
  }

  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const shown = this.#plain[inspectSymbol](depth, options, inspect);
    return shown.replace(this.#plain[Symbol.toStringTag], this[Symbol.toStringTag]);
  }
}

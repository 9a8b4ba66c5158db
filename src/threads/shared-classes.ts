import type { Filter } from '../filters/filter.ts';
import type { PromiseOptions } from '../filters/filter-options.ts';
import { CELLS } from '../filters/kind.ts';
import type { Key } from '../keys/key.ts';
import type { BlockedBloomFilterOptions } from '../kinds/blocked/filter.ts';
import type { BloomFilterOptions } from '../kinds/classic/filter.ts';
import { BlockedBloomFilter, BloomFilter } from '../kinds/wasm.ts';
import { type AttachmentOptions, makeHandle, SharedFilter, type SharedHandle } from './shared-filter.ts';

/**
 * A `BloomFilter` that all threads of a process share: `worker_threads` of Node, or the workers of a cross-origin
 * isolated page. Its bits are in memory once, however many threads add keys and look them up, all at the same time.
 *
 * ```ts
 * const taken = new SharedBloomFilter({ capacity: 100_000_000, errorRate: 0.001 });
 * worker.postMessage(taken.handle);
 * // in the worker:
 * const same = SharedBloomFilter.attach(handle);
 * same.add('ada');
 * ```
 *
 * A key that one thread has added is present for any other thread that knows of the addition, for example by a message.
 * If several threads add a new key at the same time, `add` and `dedupe` tell at least one of them, and maybe more than
 * one, that it was new, unless it looks present by chance. Runs on WebAssembly only.
 */
export class SharedBloomFilter extends SharedFilter<BloomFilter> {
  /** @internal */
  static override readonly plain: typeof BloomFilter = BloomFilter;

  /**
   * Makes an empty filter for `capacity` keys at `errorRate`, or of the size that the options give.
   *
   * @throws TypeError | RangeError if an option is missing, unknown or out of range
   * @throws FilterMemoryError if the filter and the scratch memory of its attachments exceed 4 GiB, or if the system
   *   has no more memory
   * @throws Error on a page that is not cross-origin isolated, or where WebAssembly is refused
   */
  constructor(options: BloomFilterOptions & AttachmentOptions) {
    super(makeHandle(BloomFilter, options));
  }

  get kind(): 'classic' {
    return 'classic';
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}

/**
 * A `BlockedBloomFilter` that all threads of a process share, like a `SharedBloomFilter`. It is the faster of the two,
 * because each key takes one cache line.
 */
export class SharedBlockedBloomFilter extends SharedFilter<BlockedBloomFilter> {
  /** @internal */
  static override readonly plain: typeof BlockedBloomFilter = BlockedBloomFilter;

  /**
   * Makes an empty filter for `capacity` keys at `errorRate`, or of the size that the options give.
   *
   * @throws TypeError | RangeError if an option is missing, unknown or out of range
   * @throws FilterMemoryError if the filter and the scratch memory of its attachments exceed 4 GiB, or if the system
   *   has no more memory
   * @throws Error on a page that is not cross-origin isolated, or where WebAssembly is refused
   */
  constructor(options: BlockedBloomFilterOptions & AttachmentOptions) {
    super(makeHandle(BlockedBloomFilter, options));
  }

  get kind(): 'blocked' {
    return 'blocked';
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}

/** A filter that threads share, of either kind. */
export type AnySharedFilter = SharedBloomFilter | SharedBlockedBloomFilter;

/** A class of shared filters, of either kind. */
export interface SharedFilterClass {
  /** Makes an empty filter, as the constructor of the class does. */
  new (options: PromiseOptions & AttachmentOptions): AnySharedFilter;
  /** Attaches this thread to a filter that another one has made: see `SharedFilter`. */
  attach(handle: SharedHandle): AnySharedFilter;
  /** Copies a filter of one thread into memory that threads share: see `SharedFilter`. */
  fromFilter(filter: Filter, options?: AttachmentOptions): AnySharedFilter;
}

/**
 * The class of shared filters of a kind, for a program with filters of several kinds. Undefined if threads cannot share
 * filters of that kind.
 *
 * ```ts
 * const filter = sharedClassOf(handle.kind)?.attach(handle);
 * ```
 *
 * @param kind the `kind` of a filter or of a handle
 */
export function sharedClassOf(kind: string): SharedFilterClass | undefined {
  const classes = [SharedBloomFilter, SharedBlockedBloomFilter];
  return classes.find(({ plain }) => plain.kind === kind) as object | undefined as SharedFilterClass | undefined;
}

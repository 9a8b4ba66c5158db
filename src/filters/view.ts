// Views: two filters that answer together.

import type { Instance } from '../kernel/instance.ts';
import type { Region } from '../kernel/region.ts';
import { HASH_BYTES } from '../kernel/scratch.ts';
import type { Key } from '../keys/key.ts';
import { FOREIGN, mustBe, mustBeSeed } from '../util/checks/validate.ts';
import type { Lookup } from './batch.ts';
import type { Filter } from './filter.ts';
import { CELLS } from './kind.ts';
import { LookupFilter } from './lookup-filter.ts';

/** A filter of any kind on any engine, or a view of filters. It cannot be in the format of another system. */
export type Viewable = Pick<Filter, 'has' | 'estimateErrorRate'>;

/** Computes the flag of a key from its flags in the two filters. All are 0 or 1. */
type Rule = (a: number, b: number) => number;

/** The hashes in a scratch. A new view each time, because growth of the memory replaces the buffer. */
function hashesIn({ memory, scratch }: Instance, count: number): Uint8Array {
  return new Uint8Array(memory.buffer, scratch.hashes, HASH_BYTES * count);
}

/** Looks up hashes in two filters. Hashes and flags are in the scratch of the first. */
class Both implements Lookup {
  readonly #a: Lookup;
  readonly #b: Lookup;
  readonly #rule: Rule;

  constructor(a: Lookup, b: Lookup, rule: Rule) {
    this.#a = a;
    this.#b = b;
    this.#rule = rule;
  }

  get region(): Region {
    return this.#a.region;
  }

  get seed(): number {
    return this.#a.seed;
  }

  begin(): void {
    this.#a.begin?.();
    this.#b.begin?.();
  }

  has(count: number): void {
    const here = this.#a.region.instance;
    const there = this.#b.region.instance;
    // Some kinds move hashes in the scratch as they look them up, and small filters share one scratch.
    const hashes = hashesIn(here, count).slice();
    this.#a.has(count);
    const flags = here.scratch.flagBytes.slice(0, count);
    hashesIn(there, count).set(hashes);
    this.#b.has(count);
    const others = there.scratch.flagBytes;
    for (let i = 0; i < count; i++) flags[i] = this.#rule(flags[i] as number, others[i] as number);
    here.scratch.flagBytes.set(flags);
  }
}

function lookupIn(name: string, filter: Viewable): Lookup {
  const cells = (filter as { readonly [CELLS]?: Lookup } | null | undefined)?.[CELLS];
  // Keys are others there, and what lies in place of their hashes may be good in one memory only.
  if (cells && cells.seed >= FOREIGN)
    throw new TypeError(mustBe(name, 'a filter that is not of another system', filter));
  if (cells) return cells;
  throw new TypeError(mustBe(name, 'a filter or a view of filters, from this copy of bloomery', filter));
}

/**
 * Two filters that answer together. A view holds no keys, so it shows at once what is added to its filters. It hashes
 * each key of a batch once, for both.
 */
export abstract class FilterView extends LookupFilter implements Viewable {
  /** The first filter. */
  readonly a: Viewable;
  /** The second filter. */
  readonly b: Viewable;
  readonly #both: Both;

  /** @internal */
  constructor(a: Viewable, b: Viewable, rule: Rule) {
    super();
    const one = lookupIn('a', a);
    const other = lookupIn('b', b);
    // Keys are hashed once for both.
    if (one.seed !== other.seed) {
      throw new RangeError(mustBeSeed('seed of b', one.seed, other.seed));
    }
    this.a = a;
    this.b = b;
    this.#both = new Both(one, other, rule);
  }

  /** @internal A getter, so that `console.log` shows the two filters and nothing else. */
  get [CELLS](): Lookup {
    return this.#both;
  }

  /**
   * Whether a key may be present in the view.
   *
   * @throws TypeError | RangeError if `key` is not a key
   */
  abstract has(key: Key): boolean;

  /**
   * Estimates how many of the keys that are in neither filter look present now, as a share, 0 … 1. It is an upper bound
   * for keys that were chosen without regard to the filters, because it assumes the worst case of filters that hold the
   * same keys. Reads both filters.
   */
  abstract estimateErrorRate(): number;

  /** The seed of the hash, which both filters have. */
  get seed(): number {
    return this[CELLS].seed;
  }
}

// A classic and a blocked filter of one size with the same keys, and the cache lines that their bits are in.

import type { Filter } from 'bloomery';
import type { Engine } from '../../engine.ts';
import { integer, plural } from '../../format.ts';
import { absentNames, nameAt } from '../small/names.ts';
import { bodyOf, cellsOf, partsOf } from '../small/saved-cells.ts';

/** The bits of a cache line of 64 bytes, as most processors have. */
export const LINE_BITS = 512;
const LINE_BYTES = LINE_BITS / 8;
const LINES = 8;
const BITS = LINES * LINE_BITS;
/** As many as a blocked filter has. */
const HASHES = 8;
export const MOST_KEYS = 1000;
/** So many that a few more show false positives. */
export const FIRST_KEYS = 200;

const names = ['classic', 'blocked'] as const;
export type Side = (typeof names)[number];
export type Both<T> = Readonly<Record<Side, T>>;

function both<T>(make: (side: Side) => T): Both<T> {
  return { classic: make('classic'), blocked: make('blocked') };
}

/** The cache lines in which a bit is set. */
function linesOf(bytes: Uint8Array): number[] {
  return partsOf([...bytes], LINE_BYTES).flatMap((part, line) => (part.some((byte) => byte > 0) ? [line] : []));
}

export class CacheLines {
  readonly #filters: Both<Filter & { add(key: string): unknown }>;
  /** Filters of the same size for one key, whose bits show which lines the key takes. */
  readonly #singles: Both<Filter & { add(key: string): unknown; clear(): void }>;
  readonly #engine: Engine;
  #keys = 0;
  #read: Both<number> = both(() => 0);

  constructor(engine: Engine) {
    this.#engine = engine;
    const { BloomFilter, BlockedBloomFilter } = engine;
    const make = () => ({
      classic: new BloomFilter({ bits: BITS, hashes: HASHES }),
      blocked: new BlockedBloomFilter({ bits: BITS }),
    });
    this.#filters = make();
    this.#singles = make();
  }

  get keys(): number {
    return this.#keys;
  }

  /** The cache lines that all keys together took, counted once for each key. */
  get read(): Both<number> {
    return this.#read;
  }

  get bits(): Both<number[]> {
    return both((side) => cellsOf(this.#filters[side].toBytes()));
  }

  linesOfKey(key: string): Both<number[]> {
    return both((side) => {
      const single = this.#singles[side];
      single.clear();
      single.add(key);
      return linesOf(bodyOf(single.toBytes()));
    });
  }

  /** Adds names, up to the most keys. Returns them. */
  add(count: number): string[] {
    const most = Math.min(count, MOST_KEYS - this.#keys);
    const added = Array.from({ length: most }, (_, i) => nameAt(this.#keys + i));
    for (const name of added) {
      const lines = this.linesOfKey(name);
      this.#read = both((side) => this.#read[side] + lines[side].length);
      for (const side of names) this.#filters[side].add(name);
    }
    this.#keys += most;
    return added;
  }

  /** How many of many names that were never added look present. */
  get wrong(): Both<number> {
    return both((side) => this.#filters[side].pick(absentNames).length);
  }

  get expected(): Both<number> {
    const { expectedErrorRate, expectedBlockedErrorRate } = this.#engine;
    return {
      classic: absentNames.length * expectedErrorRate(this.#keys, BITS, HASHES),
      blocked: absentNames.length * expectedBlockedErrorRate(this.#keys, BITS),
    };
  }
}

/** @param added the names that were added @param lines how many cache lines they took */
export function describeLines(added: readonly string[], lines: Both<number>, wrong: Both<number>): string {
  if (added.length === 0) return `The filters have ${integer(MOST_KEYS)} keys: no more are added here.`;
  const what = added.length === 1 ? `“${added[0]}”` : `${integer(added.length)} keys`;
  return (
    `Added ${what}: the classic filter read ${plural(lines.classic, 'cache line')}, the blocked one ` +
    `${integer(lines.blocked)}. Of ${integer(absentNames.length)} names never added, ${integer(wrong.classic)} look ` +
    `present in the classic filter, and ${integer(wrong.blocked)} in the blocked one.`
  );
}

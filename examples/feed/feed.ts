// Remembers what a user was shown, in two small filters. The younger one is filled while the older one is still looked
// up. When the younger is full, the older is cleared, and they change places.
//
//   const shown = new ShownItems(300); // one for each user
//   const page = shown.omitFrom(ranking).subarray(0, 20);
//   shown.add(page);

import { BloomFilter } from 'bloomery';

export class ShownItems {
  readonly #window: number;
  #younger: BloomFilter;
  #older: BloomFilter;
  #inYounger = 0;

  /** @param window how many of the latest items are certainly left out. Twice as many are remembered at most. */
  constructor(window: number) {
    this.#window = window;
    // A false positive is an item left out for a while: at most 1 in 100, in each of the two filters.
    this.#younger = new BloomFilter({ capacity: window, errorRate: 0.01 });
    this.#older = new BloomFilter({ capacity: window, errorRate: 0.01 });
  }

  /** The items that were certainly not shown lately, in their order. */
  omitFrom(items: Uint32Array): Uint32Array {
    return this.#older.omit(this.#younger.omit(items));
  }

  /** @param items what was shown: a page, no more than a window */
  add(items: Uint32Array): void {
    // Past its capacity, a filter would take more and more items for shown.
    if (this.#inYounger + items.length > this.#window) {
      [this.#younger, this.#older] = [this.#older, this.#younger];
      this.#younger.clear();
      this.#inYounger = 0;
    }
    this.#younger.addMany(items);
    this.#inYounger += items.length;
  }

  /** The memory that the bits take, in bytes. */
  get byteLength(): number {
    return this.#younger.byteLength + this.#older.byteLength;
  }
}

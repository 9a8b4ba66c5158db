// Remembers what a user was shown, and forgets what was shown long ago.
//
//   const shown = new ShownItems(300); // one for each user
//   const page = shown.omitFrom(ranking).subarray(0, 20);
//   shown.add(page);

import { RotatingBloomFilter } from 'bloomery/rotating';

export class ShownItems {
  readonly #shown: RotatingBloomFilter;

  /** @param window how many of the latest items are certainly left out. At most a third more are remembered. */
  constructor(window: number) {
    // A false positive is an item left out for a while: at most 1 in 100.
    this.#shown = new RotatingBloomFilter({ capacity: window, errorRate: 0.01 });
  }

  /** The items that were certainly not shown lately, in their order. */
  omitFrom(items: Uint32Array): Uint32Array {
    return this.#shown.omit(items);
  }

  /** @param items what was shown */
  add(items: Uint32Array): void {
    this.#shown.addMany(items);
  }

  /** The memory that the bits take, in bytes. */
  get byteLength(): number {
    return this.#shown.byteLength;
  }
}

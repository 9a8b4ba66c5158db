import type { Instance } from '../kernel/kernel.ts';
import type { Bits } from './bloom.ts';

/**
 * The hashes of a chunk that are left while one filter after another is asked, each of which may lie in another memory.
 * They are kept at the front of the scratch in which they came. Flags are collected here, because the filters use the
 * scratch for theirs.
 */
export class Rest {
  readonly #home: Instance;
  readonly #flags: Uint8Array;
  /** Where in the chunk each hash was. */
  readonly #places: Uint16Array;
  count: number;

  constructor(home: Instance, count: number) {
    this.#home = home;
    this.#flags = new Uint8Array(count);
    this.#places = new Uint16Array(count);
    for (let i = 0; i < count; i++) this.#places[i] = i;
    this.count = count;
  }

  /** A view of the scratch, taken anew each time, because memory may have grown. */
  #hashesIn({ memory, scratch }: Instance): Uint32Array {
    return new Uint32Array(memory.buffer, scratch.hashes, 4 * this.count);
  }

  #sendTo(instance: Instance): void {
    if (instance !== this.#home) this.#hashesIn(instance).set(this.#hashesIn(this.#home));
  }

  /** Drops the hashes that a filter may have, and gives them a flag. */
  drop(cells: Bits, flag: number): void {
    const { instance } = cells.region;
    this.#sendTo(instance);
    if (this.count === 0 || cells.has(this.count) === 0) return;
    const { flagBytes } = instance.scratch;
    const hashes = this.#hashesIn(this.#home);
    let left = 0;
    for (let i = 0; i < this.count; i++) {
      const place = this.#places[i] as number;
      if (flagBytes[i] === 1) {
        this.#flags[place] = flag;
        continue;
      }
      this.#places[left] = place;
      for (let word = 0; word < 4; word++) hashes[4 * left + word] = hashes[4 * i + word] as number;
      left++;
    }
    this.count = left;
  }

  /** Adds the first `count` hashes to a filter, and drops them. Returns how many the filter did not have. */
  addTo(cells: Bits, count: number): number {
    const { instance } = cells.region;
    this.#sendTo(instance);
    const fresh = cells.addFlags(count);
    const { flagBytes } = instance.scratch;
    for (let i = 0; i < count; i++) this.#flags[this.#places[i] as number] = flagBytes[i] as number;
    this.#places.copyWithin(0, count, this.count);
    this.#hashesIn(this.#home).copyWithin(0, 4 * count);
    this.count -= count;
    return fresh;
  }

  /** Writes the flags of the whole chunk to the scratch in which it came. */
  writeFlags(): void {
    this.#home.scratch.flagBytes.set(this.#flags);
  }
}

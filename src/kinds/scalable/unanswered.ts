import type { Instance } from '../../kernel/instance.ts';
import type { Bits } from '../classic/filter.ts';

/**
 * The hashes of a chunk for which no sub-filter has answered yet. Sub-filters may live in different memories, so the
 * hashes are copied to each in turn; here they stay at the front of the scratch of `home`. Flags are collected in an
 * array, because the next sub-filter overwrites those in the scratch.
 */
export class UnansweredHashes {
  readonly #home: Instance;
  readonly #flags: Uint8Array;
  /** The position of each hash in the chunk. */
  readonly #places: Uint16Array;
  count: number;

  constructor(home: Instance, count: number) {
    this.#home = home;
    this.#flags = new Uint8Array(count);
    this.#places = new Uint16Array(count);
    for (let i = 0; i < count; i++) this.#places[i] = i;
    this.count = count;
  }

  /** The position in the chunk of the first hash that is left. */
  get first(): number {
    return this.#places[0] as number;
  }

  /** A new view each time, because growth of the memory replaces the buffer. */
  #hashesIn({ memory, scratch }: Instance): Uint32Array {
    return new Uint32Array(memory.buffer, scratch.hashes, 4 * this.count);
  }

  #sendTo(instance: Instance): void {
    if (instance !== this.#home) this.#hashesIn(instance).set(this.#hashesIn(this.#home));
  }

  /** Drops the hashes that may be in a sub-filter, and sets their flags to `flag`. */
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

  /** Adds the first `count` hashes to a sub-filter, and drops them. Returns how many were absent. */
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

  /** Writes the flags of the whole chunk to the scratch of `home`. */
  writeFlags(): void {
    this.#home.scratch.flagBytes.set(this.#flags);
  }
}

import { CELLS } from '../filters/kind.ts';
import { CHUNK_KEYS } from '../kernel/scratch.ts';
import type { BlockedBloomFilter } from '../kinds/wasm.ts';
import type { Answers } from './answers.ts';

/**
 * A partial copy, in this process, of a filter in Redis. Bits are only ever set, so a key that is present in the copy
 * is present in Redis, unless Redis has lost it.
 */
export class Mirror {
  filter: BlockedBloomFilter;

  constructor(Local: typeof BlockedBloomFilter, bits: number, seed: number) {
    this.filter = new Local({ bits, seed });
  }

  /** Replaces the copy by a complete one. */
  replace(filter: BlockedBloomFilter): void {
    this.filter.dispose();
    this.filter = filter;
  }

  /** Flags with 1 the keys that the copy has. */
  known(hashes: Uint32Array): Uint8Array {
    const { region } = this.filter[CELLS];
    const flags = new Uint8Array(hashes.length / 2);
    for (let at = 0; at < flags.length; at += CHUNK_KEYS) {
      const count = this.#write(hashes.subarray(2 * at, 2 * (at + CHUNK_KEYS)));
      this.filter[CELLS].has(count);
      flags.set(region.instance.scratch.flagBytes.subarray(0, count), at);
    }
    return flags;
  }

  /** Adds the keys that are present according to Redis's answers. `areAdded` tells whether the call added its keys. */
  learn(hashes: Uint32Array, { done, flags }: Answers, areAdded: boolean): void {
    const present = new Uint32Array(hashes.length);
    let length = 0;
    for (let i = 0; i < done.length; i++) {
      if ((areAdded ? done[i] : flags[i]) !== 1) continue;
      present[length++] = hashes[2 * i] ?? 0;
      present[length++] = hashes[2 * i + 1] ?? 0;
    }
    for (let at = 0; at < length; at += 2 * CHUNK_KEYS) {
      this.filter[CELLS].add(this.#write(present.subarray(at, Math.min(length, at + 2 * CHUNK_KEYS))));
    }
  }

  /** Writes hashes to the scratch, and returns their number. */
  #write(hashes: Uint32Array): number {
    const { memory, scratch } = this.filter[CELLS].region.instance;
    const to = new Uint32Array(memory.buffer, scratch.hashes, 2 * hashes.length);
    for (let i = 0, at = 0; i < hashes.length; at += 4) {
      to[at] = hashes[i++] ?? 0;
      to[at + 1] = hashes[i++] ?? 0;
    }
    return hashes.length / 2;
  }
}

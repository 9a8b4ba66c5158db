import type { GrowingCells } from '../filters/kind.ts';
import type { Region } from '../kernel/region.ts';
import { HASH_BYTES } from '../kernel/scratch.ts';
import { hashKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';

/**
 * The cells of a filter that threads share. Keys are encoded and hashed in a memory of the thread's own, because browsers
 * encode text into no shared memory; the hashes are copied to the thread's place in the shared memory, and probed there.
 */
export class SharedCells {
  /** Memory of the thread's own, in which keys are hashed. */
  readonly region: Region;
  readonly seed: number;
  readonly #shared: GrowingCells;

  /** @param shared cells over the shared memory */
  constructor(region: Region, shared: GrowingCells) {
    this.region = region;
    this.seed = shared.seed;
    this.#shared = shared;
  }

  /** Throws a TypeError after `dispose`, before any key is read. */
  begin(): void {
    void this.#shared.region.instance;
  }

  /** Copies hashes, which begin at `from` in the thread's own memory, to the shared scratch. */
  #send(from: number, count: number): void {
    const { memory, scratch } = this.#shared.region.instance;
    const hashes = new Uint8Array(this.region.instance.memory.buffer, from, HASH_BYTES * count);
    new Uint8Array(memory.buffer, scratch.hashes, hashes.length).set(hashes);
  }

  #sendChunk(count: number): void {
    this.#send(this.region.instance.scratch.hashes, count);
  }

  #fetchFlags(count: number): void {
    const { flagBytes } = this.#shared.region.instance.scratch;
    this.region.instance.scratch.flagBytes.set(flagBytes.subarray(0, count));
  }

  add(count: number): void {
    this.#sendChunk(count);
    this.#shared.add(count, 0);
  }

  addFlags(count: number): void {
    this.#sendChunk(count);
    this.#shared.addFlags(count, 0);
    this.#fetchFlags(count);
  }

  has(count: number): void {
    this.#sendChunk(count);
    this.#shared.has(count);
    this.#fetchFlags(count);
  }

  #sendKey(key: Key): void {
    this.begin();
    this.#send(hashKey(key, this.region.instance, this.seed), 1);
  }

  addKey(key: Key): boolean {
    this.#sendKey(key);
    this.#shared.addFlags(1, 0);
    return this.#shared.region.instance.scratch.flagBytes[0] === 1;
  }

  hasKey(key: Key): boolean {
    this.#sendKey(key);
    return this.#shared.has(1) === 1;
  }
}

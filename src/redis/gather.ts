import { type Key, requireKey } from '../keys/key.ts';
import type { Batches } from './batches.ts';
import { hashOf } from './hashes.ts';
import type { Verb } from './place.ts';

interface Asked {
  readonly hash: Uint32Array;
  readonly resolve: (flag: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers single calls: the first one is sent at once, and those that come while it is on its way go together after it.
 * A hundred concurrent calls then take the server a sixth to an eighth of the time, and a lone one is no slower.
 */
export class Gather {
  readonly #batches: Batches;
  readonly #verb: Verb;
  readonly #seed: number;
  #asked: Asked[] = [];
  #isSending = false;

  constructor(batches: Batches, verb: Verb, seed: number) {
    this.#batches = batches;
    this.#verb = verb;
    this.#seed = seed;
  }

  /** The promise is rejected with a TypeError or a RangeError if `key` is not a key. */
  async ask(key: Key): Promise<boolean> {
    requireKey(key);
    const hash = hashOf(key, this.#seed);
    return new Promise((resolve, reject) => {
      this.#asked.push({ hash, resolve, reject });
      if (this.#isSending) return;
      this.#isSending = true;
      // After the calls of the same turn.
      queueMicrotask(() => this.#send());
    });
  }

  async #send(): Promise<void> {
    while (this.#asked.length > 0) {
      const asked = this.#asked;
      this.#asked = [];
      const hashes = new Uint32Array(2 * asked.length);
      for (const [i, { hash }] of asked.entries()) hashes.set(hash, 2 * i);
      const answers = await this.#batches.some(this.#verb, hashes);
      for (const [i, { resolve, reject }] of asked.entries()) {
        const failure = answers.failureOf(i);
        if (failure) reject(failure);
        else resolve(answers.flags[i] === 1);
      }
    }
    this.#isSending = false;
  }
}

import { isBytes, type Key, requireKey } from '../keys/key.ts';
import { type Hash, readKeys } from './hashes.ts';
import type { Verb } from './scripts.ts';
import type { Sender } from './send.ts';

/** The most single calls that are sent together. More would block the event loop for some ten milliseconds. */
const AT_ONCE = 4096;

interface Asked {
  readonly key: Key;
  readonly resolve: (flag: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends concurrent single calls together: the first one at once, and those that come while it is on its way in one
 * batch after it. A hundred concurrent calls then take the server a sixth to an eighth of the time, and a lone one is
 * no slower.
 */
export class Coalescer {
  readonly #sender: Sender;
  readonly #verb: Verb;
  readonly #hash: Hash;
  #asked: Asked[] = [];
  #isSending = false;

  constructor(sender: Sender, verb: Verb, hash: Hash) {
    this.#sender = sender;
    this.#verb = verb;
    this.#hash = hash;
  }

  /** The promise is rejected with a TypeError or a RangeError if `key` is not a key. */
  ask(key: Key): Promise<boolean> {
    return new Promise((resolve, reject) => {
      requireKey(key);
      // Bytes may be changed before they are hashed.
      this.#asked.push({ key: isBytes(key) ? new Uint8Array(key) : key, resolve, reject });
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
      for (let at = 0; at < asked.length; at += AT_ONCE) await this.#sendSome(asked.slice(at, at + AT_ONCE));
    }
    this.#isSending = false;
  }

  async #sendSome(asked: readonly Asked[]): Promise<void> {
    const keys = asked.map(({ key }) => key);
    const [hashes = new Uint32Array()] = readKeys(keys, this.#hash).parts();
    const answers = await this.#sender.send(this.#verb, hashes);
    for (const [i, { resolve, reject }] of asked.entries()) {
      const failure = answers.failureOf(i);
      if (failure) reject(failure);
      else resolve(answers.flags[i] === 1);
    }
  }
}

import { isBytes, type Key, requireKey } from '../keys/key.ts';
import type { Answers } from './answers.ts';
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
 * Sends concurrent single calls together: the first one at once, the others of the same turn in one batch right after
 * it, and those that come while these are on their way in the next batch. A hundred concurrent calls then take the server
 * a sixth to an eighth of the time, and a lone one is no slower. It is sent even if the client is closed in its turn.
 */
export class Coalescer {
  readonly #sender: Sender;
  readonly #verb: Verb;
  readonly #hash: Hash;
  #asked: Asked[] = [];
  /** How many batches are on their way. */
  #batches = 0;

  constructor(sender: Sender, verb: Verb, hash: Hash) {
    this.#sender = sender;
    this.#verb = verb;
    this.#hash = hash;
  }

  /** The promise is rejected with a TypeError or a RangeError if `key` is not a key. */
  ask(key: Key): Promise<boolean> {
    return new Promise((resolve, reject) => {
      requireKey(key);
      if (this.#batches > 0) {
        // Bytes may be changed before they are hashed.
        this.#asked.push({ key: isBytes(key) ? new Uint8Array(key) : key, resolve, reject });
        return;
      }
      this.#send([{ key, resolve, reject }]);
      // The calls of the same turn.
      queueMicrotask(() => this.#sendNext());
    });
  }

  #sendNext(): void {
    if (this.#asked.length > 0) this.#send(this.#asked.splice(0, AT_ONCE));
  }

  async #send(asked: readonly Asked[]): Promise<void> {
    this.#batches++;
    let answers: Answers;
    try {
      const keys = asked.map(({ key }) => key);
      const [hashes = new Uint32Array()] = readKeys(keys, this.#hash).parts();
      answers = await this.#sender.send(this.#verb, hashes);
    } catch (error) {
      for (const { reject } of asked) reject(error);
      return;
    } finally {
      // Before the callers go on, so that the next call of a lone one goes at once too.
      this.#batches--;
      if (this.#batches === 0) this.#sendNext();
    }
    for (const [i, { resolve, reject }] of asked.entries()) {
      const failure = answers.failureOf(i);
      if (failure) reject(failure);
      else resolve(answers.flags[i] === 1);
    }
  }
}

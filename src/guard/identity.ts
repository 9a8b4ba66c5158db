// Which keys are equal for a filter.

import { utf8Of } from '../kernel/utf8.ts';
import { isBytes, type Key } from '../keys/key.ts';

function bytesOf(key: Key): Uint8Array {
  if (typeof key === 'string') return utf8Of(key);
  return isBytes(key) ? key : new Uint8Array(BigUint64Array.of(BigInt(key)).buffer);
}

/** The bytes of a key, as characters, by which a Map finds it. A string equals its bytes, and so does an integer: see `Key`. */
export function identityOf(key: Key): string {
  // It is its own bytes, and fast.
  if (typeof key === 'string' && !/[\x80-\uffff]/.test(key)) return key;
  let identity = '';
  for (const byte of bytesOf(key)) identity += String.fromCharCode(byte);
  return identity;
}

/** Copies a byte key, because its owner may change it. A copy of a `Buffer` is one too. */
export function copyOf<K extends Key>(key: K): K {
  return isBytes(key) ? (Object.setPrototypeOf(Uint8Array.from(key), Object.getPrototypeOf(key)) as K) : key;
}

/** An exact set of keys. */
export class KeySet<K extends Key> {
  readonly #byId = new Map<string, K>();

  get size(): number {
    return this.#byId.size;
  }

  has(key: K): boolean {
    return this.size > 0 && this.#byId.has(identityOf(key));
  }

  /** Returns the number of keys that it added, 0 or 1. */
  add(key: K): number {
    const before = this.size;
    this.#byId.set(identityOf(key), key);
    return this.size - before;
  }

  delete(key: K): boolean {
    return this.size > 0 && this.#byId.delete(identityOf(key));
  }

  clear(): void {
    this.#byId.clear();
  }

  [Symbol.iterator](): Iterator<K> {
    return this.#byId.values();
  }
}

// Which keys are equal for a filter.

import { isBytes, type Key } from '../keys/key.ts';

/** Made when it is needed, because not every engine of React Native has a TextDecoder. */
let utf8: TextDecoder | undefined;

function identityOfBytes(bytes: Uint8Array): string {
  utf8 ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return `text ${utf8.decode(bytes)}`;
  } catch {
    return `bytes ${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }
}

/**
 * A value by which a Map finds a key: equal keys have the same. A string equals its bytes, and 7 equals 7n: see `Key`.
 */
export function identityOf(key: Key): unknown {
  if (isBytes(key)) return identityOfBytes(key);
  if (typeof key !== 'string') return BigInt.asUintN(64, BigInt(key));
  // A lone surrogate is hashed as U+FFFD.
  return `text ${key.replace(/[\ud800-\udfff]/gu, '\ufffd')}`;
}

/** Copies a byte key, because its owner may change it. */
export function copyOf<K extends Key>(key: K): K {
  return (isBytes(key) ? Uint8Array.from(key) : key) as K;
}

/** An exact set of keys. */
export class KeySet<K extends Key> {
  readonly #byId = new Map<unknown, K>();

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

import { mustBe } from '../validate.ts';

/**
 * A key: a string (hashed as UTF-8; a lone surrogate counts as U+FFFD), bytes (hashed as they are), or an integer
 * (hashed as 8 bytes, little-endian two's complement; a safe integer, or a bigint from −2^63 to 2^64 − 1).
 *
 * The type is not part of the key: `"a"` and its one byte are the same key, so are `7` and `7n`, and so are `-1n` and
 * `2n ** 64n - 1n`. The string `"42"` (two bytes) and the integer 42 (eight bytes) are different keys.
 */
export type Key = string | Uint8Array | number | bigint;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

function getterOf(name: symbol | 'length' | 'buffer' | 'byteOffset'): (this: unknown) => unknown {
  const getter = Reflect.getOwnPropertyDescriptor(typedArray, name)?.get;
  if (getter === undefined) throw new Error(`no %TypedArray%.prototype.${String(name)}`);
  return getter;
}

// The built-in getters run no code of a subclass or a proxy, and work on typed arrays of every realm.
const tag = getterOf(Symbol.toStringTag);
const length = getterOf('length');
const buffer = getterOf('buffer');
const byteOffset = getterOf('byteOffset');

/** The type name of a typed array, such as `'Uint8Array'`; undefined for anything else. */
export function typedArrayName(value: unknown): unknown {
  return ArrayBuffer.isView(value) ? tag.call(value) : undefined;
}

export function isBytes(value: unknown): value is Uint8Array {
  return typedArrayName(value) === 'Uint8Array';
}

/** The true length of a typed array, even if a subclass overrides `length`. */
export function lengthOf(array: ArrayBufferView): number {
  return Number(length.call(array));
}

/**
 * Returns a plain view of the bytes, on which no method of a subclass runs. Throws a TypeError unless it gets a
 * Uint8Array that is not detached.
 */
export function requireBytes<B extends ArrayBufferLike>(name: string, bytes: Uint8Array<B>): Uint8Array<B> {
  if (!isBytes(bytes) || isDetached(bytes)) throw new TypeError(mustBe(name, 'a Uint8Array (not detached)', bytes));
  return new Uint8Array(buffer.call(bytes) as B, byteOffset.call(bytes) as number, lengthOf(bytes));
}

const MIN_INTEGER: bigint = -(2n ** 63n);
const MAX_INTEGER: bigint = 2n ** 64n - 1n;

function nameOf(position: number | undefined): string {
  return position === undefined ? 'key' : `keys[${position}]`;
}

/**
 * Throws a TypeError or a RangeError unless the value is a key. `position` is its index among many, for the message.
 */
export function requireKey(value: unknown, position?: number): asserts value is Key {
  switch (typeof value) {
    case 'string':
      return;
    case 'number':
      if (Number.isSafeInteger(value)) return;
      throw new RangeError(mustBe(nameOf(position), 'a safe integer (or a bigint, or a string)', value));
    case 'bigint':
      if (value >= MIN_INTEGER && value <= MAX_INTEGER) return;
      throw new RangeError(mustBe(nameOf(position), 'an integer from -2^63 to 2^64 - 1', value));
    default:
      if (isBytes(value) && !isDetached(value)) return;
      throw new TypeError(
        mustBe(nameOf(position), 'a string, a Uint8Array (not detached), an integer or a bigint', value),
      );
  }
}

/** Whether the buffer was transferred away. Such an array looks empty, but is not a key. */
function isDetached(bytes: Uint8Array): boolean {
  if (lengthOf(bytes) > 0) return false;
  try {
    new Uint8Array(bytes);
    return false;
  } catch {
    return true;
  }
}

import { arrayError, bufferOf, byteOffsetOf, isLost, lengthOf, typedArrayName } from '../util/checks/typed-arrays.ts';
import { mustBe } from '../util/checks/validate.ts';

/**
 * A key: a string (hashed as UTF-8; a lone surrogate counts as U+FFFD), bytes (hashed as they are), or an integer
 * (hashed as 8 bytes, little-endian two's complement; a safe integer, or a bigint from −2^63 to 2^64 − 1).
 *
 * The type is not part of the key: `"a"` and its one byte are the same key, so are `7` and `7n`, and so are `-1n` and
 * `2n ** 64n - 1n`. The string `"42"` (two bytes) and the integer 42 (eight bytes) are different keys.
 */
export type Key = string | Uint8Array | number | bigint;

export function isBytes(value: unknown): value is Uint8Array {
  return typedArrayName(value) === 'Uint8Array';
}

/**
 * Returns a plain Uint8Array over the same bytes, so that no method of a subclass runs. Throws a TypeError unless the
 * value is a Uint8Array whose buffer is not detached.
 */
export function requireBytes<B extends ArrayBufferLike>(name: string, bytes: Uint8Array<B>): Uint8Array<B> {
  if (!isBytes(bytes) || isLost(bytes)) throw arrayError(name, 'a Uint8Array', bytes);
  return new Uint8Array(bufferOf(bytes) as B, byteOffsetOf(bytes), lengthOf(bytes));
}

const MIN_INTEGER: bigint = -(2n ** 63n);
const MAX_INTEGER: bigint = 2n ** 64n - 1n;

/** Whether a value is an integer key. */
export function isInteger(value: unknown): value is number | bigint {
  // To ask `Number.isSafeInteger`, V8 would make an object of each number that comes from an array that may have holes.
  if (typeof value === 'number') return Math.abs(value) < 2 ** 53 && Math.floor(value) === value;
  return typeof value === 'bigint' && value >= MIN_INTEGER && value <= MAX_INTEGER;
}

/** What errors call a key, given its index if it is one of many. */
export function nameOf(position: number | undefined): string {
  return position === undefined ? 'key' : `keys[${position}]`;
}

export function isKey(value: unknown): value is Key {
  return typeof value === 'string' || isInteger(value) || (isBytes(value) && !isLost(value));
}

/** The error for a value that is no key, given its index if it is one of many. Showing the value may run user code. */
export function keyError(value: unknown, position?: number): Error {
  const name = nameOf(position);
  if (typeof value === 'number') {
    return new RangeError(mustBe(name, 'a safe integer (or a bigint, or a string)', value));
  }
  if (typeof value === 'bigint') return new RangeError(mustBe(name, 'an integer from -2^63 to 2^64 - 1', value));
  return arrayError(name, 'a string, a Uint8Array, an integer or a bigint', value);
}

/**
 * Throws a TypeError or a RangeError unless the value is a key. The message states `position`, the key's index among
 * many.
 */
export function requireKey(value: unknown, position?: number): asserts value is Key {
  if (!isKey(value)) throw keyError(value, position);
}

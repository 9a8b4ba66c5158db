// What a key is in the format of another system: how numbers and strings become bytes there.

import type { Instance } from '../kernel/instance.ts';
import { CHUNK_BYTES, CHUNK_UNITS } from '../kernel/scratch.ts';
import { utf8Of } from '../kernel/utf8.ts';
import { encode, hashLongBytes, textOf, writeKey } from '../keys/encode.ts';
import { isBytes, type Key, nameOf, requireBytes, requireKey } from '../keys/key.ts';
import { lengthOf } from '../util/checks/typed-arrays.ts';
import { mustBe } from '../util/checks/validate.ts';

/** A type of numbers in the format of another system. */
export interface NumberType {
  /** The option that chooses the type, and its value, for errors: such as `numbers: 'int32'`. */
  readonly name: string;
  /** The length of a number in bytes. */
  readonly width: 4 | 8;
  /** The typed arrays that hold such numbers as they are hashed. */
  readonly arrays: readonly string[];
  /** Writes a number, little-endian. Throws a RangeError that begins with `name` if it is none of the type. */
  write(view: DataView, at: number, key: number | bigint, name: string): void;
}

/** 64-bit integers: the number keys of filters in memory. Arrays of 32-bit integers are widened. */
export const INT64: NumberType = {
  name: '64-bit integers',
  width: 8,
  arrays: ['BigInt64Array', 'BigUint64Array', 'Int32Array', 'Uint32Array'],
  // `requireKey` has checked it.
  write: (view, at, key) => view.setBigInt64(at, BigInt.asIntN(64, BigInt(key)), true),
};

/** 32-bit integers. Those from 2^31 to 2^32 − 1 have the bytes of the negative ones. */
export const INT32: NumberType = {
  name: '32-bit integers',
  width: 4,
  arrays: ['Int32Array', 'Uint32Array'],
  write(view, at, key, name) {
    const value = Number(key);
    if (!(Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 32)) {
      throw new RangeError(mustBe(name, 'an integer from -2^31 to 2^32 - 1', key));
    }
    view.setInt32(at, value, true);
  },
};

export const FLOAT32: NumberType = {
  name: 'floats',
  width: 4,
  arrays: ['Float32Array'],
  write(view, at, key, name) {
    const value = Math.fround(Number(key));
    // Not `!==`: a bigint is compared too, and exactly.
    if (key < value || key > value) throw new RangeError(mustBe(name, 'a float, such as Math.fround gives', key));
    view.setFloat32(at, value, true);
  },
};

export const FLOAT64: NumberType = {
  name: 'doubles',
  width: 8,
  arrays: ['Float64Array'],
  write(view, at, key, name) {
    const value = Number(key);
    if (key < value || key > value) throw new RangeError(mustBe(name, 'a double, such as Number gives', key));
    view.setFloat64(at, value, true);
  },
};

/** What the keys of a format are. */
export interface KeyRules {
  /** The type of number keys; undefined if there are none. */
  readonly numbers: NumberType | undefined;
  /** What the errors for other numbers advise. */
  readonly advice: string;
  /** Changes a string before it is encoded. */
  readonly textOf?: (text: string) => string;
  /** Whether strings are hashed as UTF-16, little-endian, and not as UTF-8. */
  readonly isUtf16?: boolean;
  /** Hashes a key that does not fit the scratch, as `hashLongBytes` does for hashes that read a key once. */
  readonly hashLong?: (key: Uint8Array, instance: Instance, seed: number) => void;
  /** Whether the kernel reads the keys of a batch when it probes them, so that all must stay in the scratch until then. */
  readonly keepsKeys?: boolean;
}

export const isNumber = (key: unknown): key is number | bigint => typeof key === 'number' || typeof key === 'bigint';

/** Returns the type of number keys. Throws a TypeError if there are none. */
export function numbersOf({ numbers, advice }: KeyRules, name: string, wanted: string, got: unknown): NumberType {
  if (numbers) return numbers;
  throw new TypeError(`${mustBe(name, wanted, got)}: ${advice}`);
}

const LONE_SURROGATES = /[\ud800-\udfff]/gu;

/** Writes `?` for each lone surrogate, as Java does. */
export function javaText(text: string): string {
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed?.call(text) ? text : text.replace(LONE_SURROGATES, '?');
}

/** Returns what is hashed for a key: another string perhaps, or the key itself. Throws if it is none. */
export function ruledKey(key: unknown, rules: KeyRules, position?: number): Key {
  const name = nameOf(position);
  if (isNumber(key)) {
    const numbers = numbersOf(rules, name, 'a string or a Uint8Array', key);
    if (numbers === INT64) requireKey(key, position);
    else numbers.write(CHECKED, 0, key, name);
    return key;
  }
  requireKey(key, position);
  return typeof key === 'string' && rules.textOf ? rules.textOf(key) : key;
}

/** Where numbers are written to be checked. */
const CHECKED: DataView = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

/** The string that the kernel should read itself for this key, else null. */
export function ruledText(key: Key, { textOf: change, isUtf16 }: KeyRules, instance: Instance): string | null {
  const text = isUtf16 ? null : textOf(key, instance);
  return text === null || change === undefined ? text : change(text);
}

/** Writes a string as UTF-16, little-endian, and returns where it ends. */
export function writeUtf16(text: string, view: DataView, start: number): number {
  let at = start;
  for (let i = 0; i < text.length; i++, at += 2) view.setUint16(at, text.charCodeAt(i), true);
  return at;
}

/**
 * The bytes of a key that must be hashed by itself, because it does not fit the scratch, and its rules are not those of
 * filters in memory. Undefined for any other key.
 */
export function longBytes(key: Key | undefined, { isUtf16, hashLong }: KeyRules): Uint8Array | undefined {
  if (isBytes(key)) return hashLong && lengthOf(key) > CHUNK_BYTES ? requireBytes('key', key) : undefined;
  if (typeof key !== 'string') return undefined;
  if (isUtf16) {
    if (2 * key.length <= CHUNK_BYTES) return undefined;
    const bytes = new Uint8Array(2 * key.length);
    writeUtf16(key, new DataView(bytes.buffer), 0);
    return bytes;
  }
  return hashLong && key.length > CHUNK_UNITS ? utf8Of(key) : undefined;
}

/** As `writeKey`, by the rules of a format. */
export function writeRuledKey(key: Key, rules: KeyRules, instance: Instance, seed: number): number {
  if (isNumber(key)) {
    const numbers = numbersOf(rules, 'key', 'a string or a Uint8Array', key);
    if (numbers === INT64) return writeKey(key, instance, seed);
    numbers.write(instance.scratch.keyView, 0, key, 'key');
    return numbers.width;
  }
  if (typeof key === 'string' && !rules.isUtf16 && key.length <= CHUNK_UNITS) {
    const length = encode(key, instance.scratch);
    // A string with one byte per unit is ASCII, which no rule changes.
    if (!rules.textOf || length === key.length) return length;
  }
  const ruled = ruledKey(key, rules);
  const { isUtf16, hashLong = hashLongBytes } = rules;
  const long = longBytes(ruled, rules);
  if (long) {
    hashLong(long, instance, seed);
    return -1;
  }
  if (isUtf16 && typeof ruled === 'string') return writeUtf16(ruled, instance.scratch.keyView, 0);
  return writeKey(ruled, instance, seed);
}

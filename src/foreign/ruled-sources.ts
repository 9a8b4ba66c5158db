// Collections of keys, read by the rules of the format of another system.

import type { Instance } from '../kernel/instance.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { sourceOf } from '../keys/collections.ts';
import { hashLongBytes } from '../keys/encode.ts';
import type { KeyItems } from '../keys/items.ts';
import { isIterable, KEYS_AHEAD, ListSource } from '../keys/iterables.ts';
import type { Key } from '../keys/key.ts';
import { RecordSource } from '../keys/records.ts';
import { hashRun } from '../keys/runs.ts';
import { type Readable, SOURCE, type Source } from '../keys/source.ts';
import { arrayError, bufferOf, byteOffsetOf, isLost, lengthOf, typedArrayName } from '../util/checks/typed-arrays.ts';
import {
  INT64,
  isNumber,
  type KeyRules,
  longBytes,
  type NumberType,
  numbersOf,
  ruledKey,
  writeUtf16,
} from './key-rules.ts';

type NumberArray = Int32Array | Uint32Array | BigInt64Array | BigUint64Array | Float32Array | Float64Array;

/** Keys that were read ahead, and what is hashed for each. */
interface KeysAhead {
  readonly keys: readonly Key[];
  readonly hashed: readonly Key[];
}

/** Reads keys ahead, in arrays. If a key is invalid or cannot be read, the keys before it are yielded first. */
function* readAhead(iterable: Iterable<unknown>, rules: KeyRules): Generator<KeysAhead, void> {
  let keys: Key[] = [];
  let hashed: Key[] = [];
  let position = 0;
  try {
    for (const key of iterable) {
      const ruled = ruledKey(key, rules, position++);
      // Copied, because an iterable may yield the same buffer again with new contents.
      const copy = typeof ruled === 'object' ? new Uint8Array(ruled) : ruled;
      hashed.push(copy);
      if (keys.push(typeof key === 'object' && !Array.isArray(iterable) ? copy : (key as Key)) < KEYS_AHEAD) continue;
      const full = { keys, hashed };
      keys = [];
      hashed = [];
      yield full;
    }
  } finally {
    if (keys.length > 0) yield { keys, hashed };
  }
}

/** Reads the keys of any iterable, by the rules of a format. */
class RuledSource implements Source {
  readonly count: (() => number) | undefined;
  readonly #rules: KeyRules;
  readonly #reader: Generator<KeysAhead, void>;
  readonly #kept: Key[] = [];
  #ahead: KeysAhead = { keys: [], hashed: [] };
  /** The last chunk is `#ahead` from `from` to `to`. */
  from = 0;
  to = 0;

  constructor(keys: Iterable<unknown>, rules: KeyRules) {
    this.#rules = rules;
    this.#reader = readAhead(keys, rules);
    if (Array.isArray(keys)) this.count = () => keys.length;
    else if (keys instanceof Set) this.count = () => keys.size;
  }

  collect(): boolean {
    if (this.to === this.#ahead.keys.length) {
      this.#ahead = this.#reader.next().value ?? { keys: [], hashed: [] };
      this.to = 0;
    }
    this.from = this.to;
    return this.to < this.#ahead.keys.length;
  }

  hash(instance: Instance, seed: number): number {
    this.to = this.from + this.#hashNext(instance, seed);
    return this.to - this.from;
  }

  /** Hashes the keys that come next, and returns their number. */
  #hashNext(instance: Instance, seed: number): number {
    const { hashed } = this.#ahead;
    const { numbers = INT64, isUtf16, hashLong = hashLongBytes } = this.#rules;
    const key = hashed[this.from];
    const long = longBytes(key, this.#rules);
    if (long) {
      hashLong(long, instance, seed);
      return 1;
    }
    if (isNumber(key) && numbers !== INT64) return this.#hashNumbers(instance, seed, numbers);
    if (isUtf16 && typeof key === 'string') return this.#hashUtf16(instance, seed);
    return hashRun(hashed, this.from, hashed.length, instance, seed);
  }

  /** Hashes the numbers that come next, and returns how many there are. */
  #hashNumbers({ kernel, scratch }: Instance, seed: number, numbers: NumberType): number {
    const { width } = numbers;
    const { hashed } = this.#ahead;
    let count = 0;
    for (let key = hashed[this.from]; isNumber(key); key = hashed[this.from + count]) {
      numbers.write(scratch.keyView, count * width, key, 'key');
      scratch.endValues[count] = ++count * width;
    }
    if (width === 8) kernel.hash_u64(scratch.keys, count, seed, scratch.hashes);
    else kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    return count;
  }

  /** Hashes the strings that come next and fit the scratch as UTF-16, and returns how many there are. */
  #hashUtf16({ kernel, scratch }: Instance, seed: number): number {
    const { hashed } = this.#ahead;
    let count = 0;
    let end = 0;
    for (let i = this.from; i < hashed.length; i++) {
      const key = hashed[i];
      if (typeof key !== 'string' || end + 2 * key.length > CHUNK_BYTES) break;
      end = writeUtf16(key, scratch.keyView, end);
      scratch.endValues[count++] = end;
    }
    kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    for (let i = this.from; i < this.to; i++) {
      if (scratch.flagBytes[i - this.from] === wanted) this.#kept.push(this.#ahead.keys[i] as Key);
    }
  }

  kept(): Key[] {
    return this.#kept;
  }

  close(): void {
    this.#reader.return();
  }
}

const readable = (source: () => Source): Readable => ({ [SOURCE]: source });

/** The numbers of a typed array as keys of their width. */
function recordsOf(array: NumberArray, width: number): Readable {
  const bytes = new Uint8Array(bufferOf(array), byteOffsetOf(array), lengthOf(array) * width);
  const NumberArray = array.constructor as { new (buffer: ArrayBuffer): NumberArray };
  return readable(() => new RecordSource(bytes, width, ({ buffer }) => new NumberArray(buffer)));
}

/** Keys as they are hashed: a copy if a string among the first `count` changes. */
function changedKeys(keys: readonly Key[], count: number, { textOf: change }: KeyRules): readonly Key[] {
  if (change === undefined) return keys;
  let changed: Key[] | undefined;
  for (let i = 0; i < count; i++) {
    const key = keys[i];
    if (typeof key !== 'string') continue;
    const text = change(key);
    if (text === key) continue;
    changed ??= [...keys];
    changed[i] = text;
  }
  return changed ?? keys;
}

/**
 * Reads the keys of any iterable for a format that hashes numbers as filters in memory do, or has none: as fast as it
 * reads theirs, because few keys are read otherwise.
 */
function listUnder(iterable: Iterable<unknown>, rules: KeyRules): Source {
  const source = new ListSource(iterable);
  const hash = source.hash.bind(source);
  let read: readonly Key[] = [];
  let hashed: readonly Key[] = [];
  let done = 0;
  const hashNext = (instance: Instance, seed: number): number => {
    const { ahead, from } = source;
    const { keys } = ahead;
    if (keys !== read) {
      read = keys;
      hashed = changedKeys(keys, ahead.count, rules);
    }
    // Keys are hashed in runs of one type, so a number is the first of a run.
    if (rules.numbers === undefined && isNumber(keys[from])) ruledKey(keys[from], rules, done);
    const long = longBytes(hashed[from], rules);
    if (long) {
      rules.hashLong?.(long, instance, seed);
      source.to = from + 1;
      return 1;
    }
    if (hashed === keys) return hash(instance, seed);
    source.ahead = { ...ahead, keys: hashed };
    try {
      return hash(instance, seed);
    } finally {
      // Hashing may have ended `ahead`. What is kept are the keys that were read.
      source.ahead = { ...source.ahead, keys };
    }
  };
  source.hash = (instance, seed) => {
    const count = hashNext(rules.keepsKeys ? { ...instance, hashStrings: undefined } : instance, seed);
    done += count;
    return count;
  };
  return source;
}

const NEWLINE = 10;
const RETURN = 13;

/** A collection of keys that are bytes: lines, a column or records. */
interface ByteCollection extends Readable {
  readonly bytes?: Uint8Array;
  readonly data?: Uint8Array;
  readonly crlf?: boolean;
}

/** A collection that makes its source itself: such bytes, or items, whose keys are read by the rules. */
type Collection = ByteCollection & Partial<Pick<KeyItems, 'under'>>;

/** The last chunk of a collection, if it is a single key that does not fit the scratch. */
function longKeyOf({ bytes, data = bytes, crlf }: ByteCollection, { from, to }: Source): Uint8Array | undefined {
  if (data === undefined || to - from <= CHUNK_BYTES) return undefined;
  let end = to;
  if (crlf !== undefined && data[end - 1] === NEWLINE) end--;
  if (crlf && end < to && data[end - 1] === RETURN) end--;
  return data.subarray(from, end);
}

/** Wraps a collection, so that its keys that do not fit the scratch are hashed as the rules say. */
function withLongKeys(keys: ByteCollection, hashLong: typeof hashLongBytes): Readable {
  return readable(() => {
    const source = keys[SOURCE]();
    const hash = source.hash.bind(source);
    source.hash = (instance, seed) => {
      const count = hash(instance, seed);
      const long = longKeyOf(keys, source);
      if (long) hashLong(long, instance, seed);
      return count;
    };
    return source;
  });
}

function collectionUnder(keys: Collection, rules: KeyRules): Readable {
  if (keys.under) return keys.under((each) => sourceOf(underRules(each, rules)));
  const { isUtf16, hashLong } = rules;
  // Hashes have a seed.
  if ('seed' in keys) throw arrayError('keys', 'keys', keys, ': another system hashes them otherwise');
  // Of one length, or without a length, keys are bytes and no text.
  if (isUtf16 && ('crlf' in keys || 'offsets' in keys)) {
    throw arrayError(
      'keys',
      'an array or iterable of strings',
      keys,
      ": lines and columns are UTF-8, and strings is 'chars'",
    );
  }
  return hashLong ? withLongKeys(keys, hashLong) : keys;
}

/** Returns keys for `sourceOf` that are read by the rules of a format. What is not a collection is returned as it is. */
export function underRules(keys: unknown, rules: KeyRules): unknown {
  const name = typedArrayName(keys) as string | undefined;
  if (name !== undefined && name !== 'Uint8Array') {
    const numbers = numbersOf(rules, 'keys', 'strings or Uint8Arrays', keys);
    if (!numbers.arrays.includes(name) || isLost(keys as NumberArray)) {
      throw arrayError(
        'keys',
        `${numbers.arrays.join(', ')} or an array of ${numbers.name}`,
        keys,
        `: ${rules.advice}`,
      );
    }
    return numbers === INT64 ? keys : recordsOf(keys as NumberArray, numbers.width);
  }
  if (Object(keys) === keys && SOURCE in (keys as object)) return collectionUnder(keys as Collection, rules);
  if (name !== undefined || !isIterable(keys) || keys instanceof Map) return keys;
  const { numbers = INT64, isUtf16, textOf, hashLong } = rules;
  if (numbers !== INT64 || isUtf16) return readable(() => new RuledSource(keys, rules));
  return textOf || hashLong || !rules.numbers ? readable(() => listUnder(keys, rules)) : keys;
}

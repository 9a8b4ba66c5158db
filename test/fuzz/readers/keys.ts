// Collections of keys that come as they are from elsewhere: hashes, columns, texts, also in chunks, labels and single
// keys. What a filter answers about a collection is compared with what it answers about its keys one by one.

import { HashedKeys, hashKeys } from '../../../src/entries/hash.ts';
import { SpatialBloomFilter } from '../../../src/entries/spatial.ts';
import {
  addLines,
  BlockedBloomFilter,
  BloomFilter,
  type ColumnOffsets,
  column,
  dedupeLines,
  type Key,
  lines,
  omitLines,
  pickLines,
} from '../../../src/index.ts';
import { asynchronous, keysOf, splitAt } from '../../format/saved.ts';
import { readAll, sourceOf } from '../../shared/stream-tools.ts';
import { EDGES, edge, randomBytes } from '../damage/bytes.ts';
import {
  areSame,
  attempt,
  attemptLater,
  type Outcome,
  pick,
  type Random,
  type Reader,
  require,
  type Subject,
} from '../subject.ts';

/** A filter with some, but not all, of the keys that the readers make. */
const known = new BlockedBloomFilter({ capacity: 100, errorRate: 0.01 }).addMany(['', '1', 'a', 'ab\r', 'b', 7, -1]);

export const isRangeError = (error: unknown): boolean => error instanceof RangeError && error.message.length > 10;
const isTypeError = (error: unknown): boolean => error instanceof TypeError && error.message.length > 10;
const isWrong = (error: unknown): boolean => isRangeError(error) || isTypeError(error);

function flagsOf(keys: readonly Key[]): Uint8Array {
  return Uint8Array.from(keys, (key) => (known.has(key) ? 1 : 0));
}

/** A small new filter, for a law about adding. */
function withNew<T>(seed: number, law: (filter: BloomFilter) => T): T {
  using filter = new BloomFilter({ bits: 200, hashes: 3, seed });
  return law(filter);
}

/** Text with so many line ends, digits and letters that keys repeat. */
export function randomText(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => pick(random, [10, 10, 13, 49, 97, 98, random(256)]));
}

/** A view of bytes that begins anywhere in its buffer. */
function moved(bytes: Uint8Array, offset: number): Uint8Array {
  const memory = new Uint8Array(bytes.length + offset);
  memory.set(bytes, offset);
  return memory.subarray(offset);
}

const hashes: Reader = {
  name: 'hashes',
  share: 50_000,
  run(subject) {
    const { random } = subject;
    const whole = hashKeys(keysOf(random(4))).bytes;
    const length = random(2) === 0 ? random(70) : 16 * random(5);
    const bytes = moved(random(2) === 0 ? whole : randomBytes(random, length), random(5));
    const seed = random(4) > 0 ? 0 : Number(edge(random)) / pick(random, [1, 1, 2]);
    subject.input = bytes;
    const made = attempt(() => new HashedKeys(bytes, seed), isRangeError);
    const isValid = bytes.length % 16 === 0 && Number.isInteger(seed) && seed >= 0 && seed < 2 ** 33;
    require(isValid === (made !== undefined), 'hashes are refused unless they are whole, and their seed is one');
    if (made === undefined) return 'refused';
    require(made.length === bytes.length / 16, 'there is a hash for each 16 bytes');
    if (seed !== 0) return attempt(() => known.hasMany(made), isRangeError) ? 'read' : 'refused';
    const flags = known.hasMany(made);
    require(flags.length === made.length, 'there is an answer for each hash');
    require(areSame(made.pick(flags).bytes, known.pick(made).bytes), 'the hashes with a flag are those picked');
    withNew(0, (filter) => {
      filter.addMany(made);
      require(filter.hasMany(made).every(Boolean), 'hashes that were added are present');
    });
    return 'read';
  },
};

function randomOffsets(random: Random, length: number): ColumnOffsets {
  const count = random(6);
  const isGood = random(3) > 0;
  let at = random(3);
  const numbers = Array.from({ length: count }, () => {
    at += random(1 + Math.ceil(length / 3));
    return isGood ? Math.min(at, length) : pick(random, [at, random(length + 2), Number(edge(random)), -1]);
  });
  if (random(3) === 0) return BigInt64Array.from(numbers, (each) => BigInt.asIntN(64, BigInt(each)));
  return random(2) === 0 ? Int32Array.from(numbers) : Uint32Array.from(numbers);
}

/** The keys of a column; undefined if an offset decreases or lies outside. */
function keysIn(data: Uint8Array, offsets: ColumnOffsets): Uint8Array[] | undefined {
  const ends = Array.from(offsets, Number);
  if (ends.length < 2) return [];
  const isRising = ends.every((end, i) => end >= (ends[i - 1] ?? 0) && end <= data.length);
  return isRising ? ends.slice(1).map((end, i) => data.subarray(ends[i], end)) : undefined;
}

const columns: Reader = {
  name: 'column',
  share: 50_000,
  run(subject) {
    const { random } = subject;
    const data = moved(randomText(random, random(20)), random(4));
    const offsets = randomOffsets(random, data.length);
    subject.input = JSON.stringify([[...data], Array.from(offsets, String), offsets.constructor.name]);
    const keys = keysIn(data, offsets);
    const made = column(data, offsets);
    const flags = attempt(() => known.hasMany(made), isRangeError);
    require((keys === undefined) === (flags === undefined), 'a column is refused unless its offsets rise in its data');
    if (keys === undefined || flags === undefined) return 'refused';
    require(areSame(flags, flagsOf(keys)), 'a column has the answers of its keys');
    const picked = known.pick(made);
    const text = Buffer.concat(keys.filter((_, i) => flags[i] === 1));
    require(areSame(picked.data, text), 'a column is picked as its keys are');
    require(picked.length === flags.reduce((sum, flag) => sum + flag, 0), 'as many keys are picked as have a flag');
    return 'read';
  },
};

/** The lines of a text, each with its end, and as keys. */
function linesIn(text: Uint8Array, crlf: boolean): { whole: string; key: Uint8Array }[] {
  const parts =
    Buffer.from(text)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+/g) ?? [];
  const end = crlf ? /\r?\n$/ : /\n$/;
  return parts.map((whole) => ({ whole, key: Buffer.from(whole.replace(end, ''), 'latin1') }));
}

const texts: Reader = {
  name: 'lines of a text',
  share: 50_000,
  run(subject) {
    const { random } = subject;
    // Seldom longer than the scratch, with a line that does not fit.
    const length = random(5000) === 0 ? 300_000 : random(40);
    const text = moved(random(2) === 0 ? randomText(random, length) : new Uint8Array(length).fill(97), random(4));
    if (length > 0) text[random(length)] = 10;
    subject.input = text;
    const crlf = random(2) === 0;
    const options = pick<unknown>(random, [...Array(12).fill({ crlf }), { crlf: 1 }, { lf: true }, null, []]);
    const made = attempt(() => lines(text, options as { crlf: boolean }), isTypeError);
    const isValid = options !== null && (options as { crlf?: unknown }).crlf === crlf;
    require((made !== undefined) === isValid, 'lines are refused only for wrong options');
    if (made === undefined) return 'refused';
    const wanted = linesIn(text, crlf);
    require(made.count() === wanted.length, 'lines are counted');
    const flags = known.hasMany(made);
    require(areSame(flags, flagsOf(wanted.map(({ key }) => key))), 'a text has the answers of its lines');
    const omitted = wanted.filter((_, i) => flags[i] === 0).map(({ whole }) => whole);
    require(Buffer.from(known.omit(made).bytes).toString('latin1') === omitted.join(''), 'lines are omitted whole');
    withNew(1, (filter) => {
      const unique = filter.dedupe(made);
      require(filter.hasMany(made).every(Boolean), 'lines that were added are present');
      require(filter.dedupe(unique).bytes.length === 0, 'no line is new twice');
    });
    return 'read';
  },
};

const WRONG = [undefined, null, true, {}, [], Symbol('key'), 1.5, Number.NaN, 2 ** 53, -(2n ** 63n) - 1n, 2n ** 64n];

function randomKey(random: Random): unknown {
  switch (random(5)) {
    case 0:
      return Array.from({ length: random(5) }, () => pick(random, ['a', 'é', '\ud83d', '\udc00', '\0'])).join('');
    case 1:
      return randomText(random, random(6));
    case 2:
      return pick(random, EDGES) + BigInt(random(3) - 1);
    case 3:
      return random(10) - 5;
    default:
      return random(3) === 0 ? pick<unknown>(random, WRONG) : `key ${random(9)}`;
  }
}

const isKey = (value: unknown): boolean =>
  typeof value === 'string' ||
  value instanceof Uint8Array ||
  Number.isSafeInteger(value) ||
  (typeof value === 'bigint' && value >= -(2n ** 63n) && value < 2n ** 64n);

const mixed: Reader = {
  name: 'keys of any type',
  share: 40_000,
  run(subject) {
    const { random } = subject;
    const keys = Array.from({ length: random(6) }, () => randomKey(random)) as Key[];
    subject.input = keys.map(String).join('\n');
    const wrong = keys.findIndex((key) => !isKey(key));
    return withNew(2, (filter): Outcome => {
      const added = attempt(() => filter.addMany(random(2) === 0 ? keys : new Set(keys)), isWrong);
      require((added !== undefined) === wrong < 0, 'keys are refused if one of them is none');
      const good = wrong < 0 ? keys : keys.slice(0, wrong);
      require(filter.hasMany(good).every(Boolean), 'the keys before a wrong one have been added');
      return wrong < 0 ? 'read' : 'refused';
    });
  },
};

const labels: Reader = {
  name: 'labels of keys',
  share: 30_000,
  run(subject: Subject): Outcome {
    const { random } = subject;
    const most = pick(random, [1, 3, 255, 256, 65535]);
    const keys = keysOf(random(4));
    const count = random(4) === 0 ? random(5) : keys.length;
    const numbers = Array.from({ length: count }, () =>
      random(8) === 0 ? Number(edge(random)) / pick(random, [1, 2]) : 1 + random(most),
    );
    const each = pick(random, [numbers, Uint8Array.from(numbers), Uint16Array.from(numbers)]);
    subject.input = JSON.stringify([most, keys.length, [...each]]);
    const isLabel = (label: number): boolean => Number.isInteger(label) && label >= 1 && label <= most;
    const isValid = each.length === keys.length && each.every(isLabel);
    using filter = new SpatialBloomFilter({ cells: 40, hashes: 2, labels: most });
    const added = attempt(() => filter.addMany(keys, each), isRangeError);
    require((added !== undefined) === isValid, 'labels are refused unless each key has one in range');
    if (!isValid) return 'refused';
    const found = filter.labelsOf(keys);
    const isRight = keys.every((_, i) => Number(found[i]) >= Number(each[i]) && Number(found[i]) <= most);
    require(isRight, 'no key has a lower label than it was added with');
    return 'read';
  },
};

const few = new BloomFilter({ bits: 400, hashes: 2 }).addMany(['', 'a', 'b\r']);
const fresh = (): BloomFilter => new BloomFilter({ bits: 400, hashes: 2 });
const isWrongChunk = (error: unknown): boolean => error instanceof TypeError && /chunk/.test(error.message);

/** Passes chunks through a stream of lines. */
async function through(
  stream: TransformStream<Uint8Array, Uint8Array>,
  chunks: readonly unknown[],
): Promise<Uint8Array> {
  return Buffer.concat(await readAll(sourceOf(chunks as readonly Uint8Array[]).pipeThrough(stream)));
}

const lineStreams: Reader = {
  name: 'lines from a stream',
  share: 2000,
  async run(subject) {
    const { random } = subject;
    const text = randomText(random, random(60));
    // Not the beginning of a compressed file, which is refused.
    if (text.length > 0) text[0] = pick(random, [10, 13, 49, 97]);
    subject.input = text;
    const chunks: unknown[] = splitAt(text, [random(text.length + 1), random(text.length + 1)]);
    const isWrong = random(5) === 0;
    if (isWrong) chunks.splice(random(4), 0, pick<unknown>(random, ['text', 1, null, new Uint16Array(2)]));
    const all = lines(text);
    const way = random(4);
    const filter = way > 1 ? fresh() : few;
    const twin = way > 1 ? fresh() : few;
    try {
      if (way === 3) {
        const added = await attemptLater(() => addLines(filter, asynchronous(chunks as Uint8Array[])), isWrongChunk);
        require((added === undefined) === isWrong, 'a stream fails if a chunk is no bytes');
        if (added === undefined) return 'refused';
        require(added.bytes === text.length && added.lines === all.count(), 'bytes and lines are counted');
        require(areSame(filter.toBytes(), twin.addMany(all).toBytes()), 'a stream adds the lines of its text');
        return 'read';
      }
      const stream = [pickLines, omitLines, dedupeLines][way]?.(filter) as TransformStream<Uint8Array, Uint8Array>;
      const output = await attemptLater(() => through(stream, chunks), isWrongChunk);
      require((output === undefined) === isWrong, 'a stream fails if a chunk is no bytes');
      if (output === undefined) return 'refused';
      const wanted = [() => twin.pick(all), () => twin.omit(all), () => twin.dedupe(all)][way]?.();
      require(areSame(output, (wanted as typeof all).bytes), 'a stream passes on the lines of its text');
      return 'read';
    } finally {
      if (way > 1) for (const each of [filter, twin]) each.dispose();
    }
  },
};

export const keyReaders: readonly Reader[] = [hashes, columns, texts, mixed, labels, lineStreams];

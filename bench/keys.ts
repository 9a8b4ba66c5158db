// The keys that people have, in batches of 1 to 100,000, beside the same keys one by one and beside plain JavaScript.

import { BloomFilter, optimalBits, optimalHashes } from 'bloomery';
import { BenchmarkError, benchmark, choice, counts, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, extentOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from './shared/figures.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';
import { PlainBloomFilter, type PlainKey } from './shared/plain.ts';
import { type Random, seeded, shuffle } from './shared/random.ts';

const KEYS = 100_000;
const ERROR_RATE = 0.01;

/** Characters from one code point up to another. */
const alphabet = (first: number, last: number): string =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

const LETTERS = 'abcdefghijklmnopqrstuvwxyz-';
const IDEOGRAPHS = alphabet(0x4e00, 0x4e00 + 20_000);
const CYRILLIC = alphabet(0x430, 0x44f);

const scrambled = (index: number): number => Math.imul(index + 1, 0x9e3779b1) >>> 0;

/** A string of `least` to `most` characters that ends in the digits of a distinct number. */
function text(index: number, random: Random, letters: string, least: number, most: number): string {
  const digits = scrambled(index).toString(36);
  let made = '';
  for (let left = least + random(most - least + 1) - digits.length; left > 0; left--) {
    made += letters[random(letters.length)];
  }
  return made + digits;
}

function bytes(index: number, random: Random, length: number): Uint8Array {
  const made = Uint8Array.from({ length }, () => random(256));
  new DataView(made.buffer).setUint32(0, scrambled(index));
  return made;
}

interface KeySet {
  readonly about: string;
  readonly count: number;
  make(index: number, random: Random): PlainKey;
}

const strings = (about: string, letters: string, least: number, most: number, count: number = KEYS): KeySet => ({
  ...{ about, count },
  make: (index, random) => text(index, random, letters, least, most),
});

const sets: Readonly<Record<string, KeySet>> = {
  names: strings('names, 12 to 28 characters', LETTERS, 12, 28),
  short: strings('8 to 12 characters', LETTERS, 8, 12),
  urls: {
    ...{ about: 'URLs, 40 to 70 characters', count: KEYS },
    make: (index, random) =>
      `https://www.${text(index, random, LETTERS, 12, 28)}.example/${text(0, random, LETTERS, 8, 22)}`,
  },
  long: strings('300 characters', LETTERS, 300, 300, 20_000),
  longer: strings('1,000 characters', LETTERS, 1000, 1000, 10_000),
  chinese: strings('Chinese, 4 to 8 ideographs and digits', IDEOGRAPHS, 10, 14),
  cyrillic: strings('Cyrillic, 8 to 16 letters', CYRILLIC, 8, 16),
  accented: {
    ...{ about: 'names, 1 of 50 with é', count: KEYS },
    make: (index, random) => `${index % 50 === 7 ? 'é' : ''}${text(index, random, LETTERS, 12, 28)}`,
  },
  mixed: {
    ...{ about: 'strings and numbers in turn', count: KEYS },
    make: (index, random) => (index % 2 ? scrambled(index) : text(index, random, LETTERS, 12, 28)),
  },
  integers: { about: 'integers in an array', count: KEYS, make: scrambled },
  uuids: { about: 'arrays of 16 bytes', count: KEYS, make: (index, random) => bytes(index, random, 16) },
  digests: { about: 'arrays of 64 bytes', count: KEYS, make: (index, random) => bytes(index, random, 64) },
};

/** What a loop does with each key, and the method that does the same with many. */
const verbs = {
  has: { one: 'if (filter.has(key)) found++', many: 'hasMany', changes: false },
  add: { one: 'filter.add(key)', many: 'addMany', changes: true },
  pick: { one: 'if (filter.has(key)) kept.push(key)', many: 'pick', changes: false },
  dedupe: { one: 'if (filter.add(key)) kept.push(key)', many: 'dedupe', changes: true },
} as const;
type Verb = keyof typeof verbs;

const PLAIN_DEDUPE = 'if (!filter.has(key)) { filter.add(key); kept.push(key); }';

type Loop = (keys: readonly unknown[]) => number;

/** Compiles a loop for one filter from its text, so that V8 sees only that filter's class and the keys of one set in it. */
function loopOf(filter: object, each: string, label: string): Loop {
  const body = `
    return (keys) => {
      const kept = [];
      let found = 0;
      for (let i = 0; i < keys.length; i++) { const key = keys[i]; ${each}; }
      return found + kept.length;
    };
    // ${label}`;
  return (new Function('filter', body) as (filter: object) => Loop)(filter);
}

/** The same keys, as strings of their own, one after the other in memory. */
function loaded(keys: readonly PlainKey[]): PlainKey[] {
  return keys.map((key) => {
    if (typeof key === 'number') return key;
    return typeof key === 'string' ? Buffer.from(key).toString() : key.slice();
  });
}

function cut(keys: readonly PlainKey[], size: number): PlainKey[][] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, i) => keys.slice(i * size, (i + 1) * size));
}

/** Keys to add, and as many to look up, half of which are among them. */
function listsOf({ make, count }: KeySet): { readonly present: PlainKey[]; readonly asked: PlainKey[] } {
  const random = seeded();
  const all = Array.from({ length: 1.5 * count }, (_, index) => make(index, random));
  // In pairs, so that numbers and strings stay in turn.
  const pairs = shuffle(
    Array.from({ length: count / 2 }, (_, i) => count / 2 + 2 * i),
    random,
  );
  const asked = pairs.flatMap((first) => all.slice(first, first + 2));
  return { present: loaded(all.slice(0, count)), asked: loaded(asked) };
}

/** Checks that batches of every size find what single calls find. */
function check(name: string, filter: BloomFilter, keys: readonly PlainKey[], sizes: readonly number[]): void {
  const expected = keys.map((key) => Number(filter.has(key)));
  for (const size of sizes) {
    const found = cut(keys, size).flatMap((part) => [...filter.hasMany(part)]);
    if (found.some((flag, i) => flag !== expected[i])) throw new BenchmarkError(`${name}: batches of ${size} differ`);
  }
}

/** The measurements of one set of keys, as cells of the table. */
function rowOf(name: string, verb: Verb, sizes: readonly number[], roundCount: number): string[] {
  status(`${name}: making the keys …`);
  const set = sets[name] as KeySet;
  const { present, asked } = listsOf(set);
  const bits = optimalBits(set.count, ERROR_RATE);
  const hashes = optimalHashes(set.count, bits);
  const filter = new BloomFilter({ bits, hashes });
  const plain = new PlainBloomFilter(bits, hashes);
  filter.addMany(present);
  for (const key of present) plain.add(key);
  check(name, filter, asked, sizes);
  const { one, many, changes } = verbs[verb];
  const calls = (label: string, least: number, run: () => number, renew = (): void => {}): Calls => ({
    ...{ label: `${label}, ${name}`, keys: set.count, least, prepare: renew, run },
  });
  const least = changes ? 0 : set.count / 2;
  const ours = loopOf(filter, one, `bloomery, ${name}`);
  // Its `add` does not tell whether a key was absent.
  const theirs = loopOf(plain, verb === 'dedupe' ? PLAIN_DEDUPE : one, `plain, ${name}`);
  const clear = changes ? (): void => filter.clear() : undefined;
  const tasks = [
    calls('one by one', least, () => ours(asked), clear),
    calls('plain', least, () => theirs(asked)),
    ...sizes.map((size) => {
      const parts = cut(asked, size);
      const batches = loopOf(filter, `filter.${many}(key)`, `batches of ${size}, ${name}`);
      return calls(`batches of ${size}`, 0, () => batches(parts), clear);
    }),
  ];
  const [single = [], plainly = [], ...batches] = timeCalls(tasks, roundCount, name).map(({ rounds }) => rounds);
  const besidePlain = ratioOf(batches.at(-1) ?? [], plainly);
  return [
    set.about,
    nanoseconds(spreadOf(single).median),
    ...cellsOf(ratioOf(single, plainly), times),
    ...batches.map((rounds) => times(ratioOf(rounds, single).median)),
    extentOf(ratioOf(batches.at(-1) ?? [], single), times),
    ...cellsOf(besidePlain, times),
  ];
}

const options = {
  sets: choice('which keys', Object.keys(sets)),
  calls: choice('which methods', Object.keys(verbs)),
  batches: counts('the numbers of keys in a batch', KEYS, '1,5,20,100,100000'),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ sets: names, calls, batches, rounds: roundCount }) => {
  const sizes = batches.map((size) => `batch of ${integer.format(size)}`);
  const header = ['keys', 'ns one by one', '÷ plain', 'spread', ...sizes, 'spread', 'batch ÷ plain', 'spread'];
  return [
    '# bloomery: keys of every kind',
    describeMachine(),
    `A BloomFilter of ${integer.format(KEYS)} keys, 20,000 of 300 characters, 10,000 of 1,000; half of the keys that are ` +
      `looked up are present. Medians of ${roundCount} rounds. ÷ plain: how many times as fast single calls, or the last ` +
      'batches, are as a filter in plain JavaScript; batch of z: how many times as fast batches of z keys are as single ' +
      'calls; with the lowest and the highest. Below 1 is slower.',
    ...calls.flatMap((verb) => [
      `## \`${verb}\` and \`${verbs[verb as Verb].many}\``,
      tableOf(
        header,
        names.map((name) => rowOf(name, verb as Verb, batches, roundCount)),
      ),
    ]),
  ].join('\n\n');
});
export default run;

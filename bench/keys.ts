// The keys that people have, in batches of 1 to 100,000, beside the same keys one by one and beside plain JavaScript.

import { BloomFilter, optimalBits, optimalHashes } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { BenchmarkError, benchmark, choice, counts, flag, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, extentOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from './shared/figures.ts';
import { type KeyType, keyTypes, listsOf, renew, shuffled } from './shared/key-types.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';
import { loopOf } from './shared/own-loops.ts';
import { PlainBloomFilter, type PlainKey } from './shared/plain.ts';

const KEYS = 100_000;
const ERROR_RATE = 0.01;

/** What a loop does with each key, and the method that does the same with many. */
const verbs = {
  has: { one: 'if (filter.has(key)) found++', many: 'hasMany(keys)', changes: false },
  'has-out': { one: 'if (filter.has(key)) found++', many: 'hasMany(keys, out)', changes: false },
  add: { one: 'filter.add(key)', many: 'addMany(keys)', changes: true },
  'add-out': { one: 'if (filter.add(key)) found++', many: 'addMany(keys, out)', changes: true },
  pick: { one: 'if (filter.has(key)) kept.push(key)', many: 'pick(keys)', changes: false },
  dedupe: { one: 'if (filter.add(key)) kept.push(key)', many: 'dedupe(keys)', changes: true },
} as const;
type Verb = keyof typeof verbs;

const PLAIN_DEDUPE = 'if (!filter.has(key)) { filter.add(key); kept.push(key); }';

function cut(keys: readonly PlainKey[], size: number): PlainKey[][] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, i) => keys.slice(i * size, (i + 1) * size));
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
function rowOf(
  Class: typeof BloomFilter,
  name: string,
  verb: Verb,
  sizes: readonly number[],
  roundCount: number,
): string[] {
  status(`${name}: making the keys …`);
  const set = keyTypes[name] as KeyType;
  const { present, absent } = listsOf(set);
  const asked = renew(shuffled([...present.slice(set.count / 2), ...absent.slice(set.count / 2)]));
  const bits = optimalBits(set.count, ERROR_RATE);
  const hashes = optimalHashes(set.count, bits);
  const filter = new Class({ bits, hashes });
  let plain = new PlainBloomFilter(bits, hashes);
  filter.addMany(present);
  for (const key of present) plain.add(key);
  check(name, filter, asked, sizes);
  const { one, many, changes } = verbs[verb];
  const least = changes ? 0 : set.count / 2;
  const ours = loopOf<BloomFilter, PlainKey>(one, `bloomery, ${name}`);
  // Its `add` does not tell whether a key was absent.
  const theirs = loopOf<PlainBloomFilter, PlainKey>(verb === 'dedupe' ? PLAIN_DEDUPE : one, `plain, ${name}`);
  const empty = (): void => {
    if (!changes) return;
    filter.clear();
    plain = new PlainBloomFilter(bits, hashes);
  };
  const calls = (label: string, least: number, run: () => number): Calls => ({
    ...{ label: `${label}, ${name}`, keys: set.count, least, prepare: empty, run },
  });
  const tasks = [
    calls('one by one', least, () => ours(filter, asked)),
    calls('plain', least, () => theirs(plain, asked)),
    ...sizes.map((size) => {
      const parts = cut(asked, size);
      const call = `filter.${many.replace('keys', 'key')}`;
      const batches = loopOf<BloomFilter, PlainKey[]>(call, `batches of ${size}, ${name}`, new Uint8Array(size));
      return calls(`batches of ${size}`, 0, () => batches(filter, parts));
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
  types: choice('which keys', Object.keys(keyTypes)),
  calls: choice('which methods', Object.keys(verbs)),
  batches: counts('the numbers of keys in a batch', KEYS, '1,5,20,100,100000'),
  rounds: rounds(5),
  js: flag('the engine in plain JavaScript'),
};

const run: Run = benchmark(options, ({ types, calls, batches, rounds: roundCount, js }) => {
  const sizes = batches.map((size) => `batch of ${integer.format(size)}`);
  const header = ['keys', 'ns one by one', '÷ plain', 'spread', ...sizes, 'spread', 'batch ÷ plain', 'spread'];
  return [
    '# bloomery: keys of every kind',
    describeMachine(),
    `A BloomFilter${js ? ' of bloomery/js' : ''} of ${integer.format(KEYS)} keys, 20,000 of 300 characters, 10,000 of 1,000; half of the keys that are ` +
      `looked up are present. Medians of ${roundCount} rounds. ÷ plain: how many times as fast single calls, or the last ` +
      'batches, are as a filter in plain JavaScript; batch of z: how many times as fast batches of z keys are as single ' +
      'calls; with the lowest and the highest. Below 1 is slower.',
    ...calls.flatMap((verb) => [
      `## \`${verbs[verb as Verb].changes ? 'add' : 'has'}\` and \`${verbs[verb as Verb].many}\``,
      tableOf(
        header,
        types.map((name) => rowOf(js ? JsBloomFilter : BloomFilter, name, verb as Verb, batches, roundCount)),
      ),
    ]),
  ].join('\n\n');
});
export default run;

// The keys that people have, in batches of 1 to 100,000, beside the same keys one by one and beside plain JavaScript.

import { BloomFilter, column, optimalBits, optimalHashes } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { BenchmarkError, benchmark, choice, counts, flag, type Run, rounds, status } from './shared/cli.ts';
import {
  cellsOf,
  extentOf,
  integer,
  median,
  nanoseconds,
  ratioOf,
  spreadOf,
  sumOf,
  tableOf,
  times,
} from './shared/figures.ts';
import { type KeyType, keyTypes, listsOf, renew, shuffled } from './shared/key-types.ts';
import { describeMachine } from './shared/machine.ts';
import { type Calls, type Found, timeCalls } from './shared/measure.ts';
import { loopOf } from './shared/own-loops.ts';
import { PlainBloomFilter, type PlainKey } from './shared/plain.ts';
import { packed, waysToRead } from './shared/reading.ts';

const KEYS = 100_000;
const ERROR_RATE = 0.01;

/**
 * What a loop does with each key, the method that does the same with many, and what a program without that method would
 * do with the `keys` of a batch.
 */
const verbs = {
  has: {
    one: 'if (filter.has(key)) found++',
    many: 'hasMany(keys)',
    byHand:
      'const flags = new Uint8Array(keys.length); EACH flags[i] = filter.has(keys[i]) ? 1 : 0; found += flags.length',
    changes: false,
  },
  'has-out': {
    one: 'if (filter.has(key)) found++',
    many: 'hasMany(keys, out)',
    byHand: 'EACH out[i] = filter.has(keys[i]) ? 1 : 0',
    changes: false,
  },
  add: { one: 'filter.add(key)', many: 'addMany(keys)', byHand: 'EACH filter.add(keys[i])', changes: true },
  'add-out': {
    one: 'if (filter.add(key)) found++',
    many: 'addMany(keys, out)',
    byHand: 'EACH out[i] = filter.add(keys[i]) ? 1 : 0',
    changes: true,
  },
  pick: {
    one: 'if (filter.has(key)) kept.push(key)',
    many: 'pick(keys)',
    byHand: 'const some = []; EACH if (filter.has(keys[i])) some.push(keys[i]); found += some.length',
    changes: false,
  },
  dedupe: {
    one: 'if (filter.add(key)) kept.push(key)',
    many: 'dedupe(keys)',
    byHand: 'const some = []; EACH if (filter.add(keys[i])) some.push(keys[i]); found += some.length',
    changes: true,
  },
} as const;
type Verb = keyof typeof verbs;

/** The statement of a loop over batches: what is done with the `keys` of each. */
function perBatch(statement: string): string {
  return `{ const keys = key; ${statement.replace('EACH', 'for (let i = 0; i < keys.length; i++)')} }`;
}

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

/** The measurements of one set of keys, as cells of the two tables. */
function rowsOf(
  Class: typeof BloomFilter,
  name: string,
  verb: Verb,
  sizes: readonly number[],
  roundCount: number,
): { readonly times: string[]; readonly limits: string[] } {
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
  const { one, many, byHand, changes } = verbs[verb];
  const least = changes ? 0 : set.count / 2;
  const ours = loopOf<BloomFilter, PlainKey>(one, `bloomery, ${name}`);
  // Its `add` does not tell whether a key was absent.
  const theirs = loopOf<PlainBloomFilter, PlainKey>(verb === 'dedupe' ? PLAIN_DEDUPE : one, `plain, ${name}`);
  const empty = (): void => {
    if (!changes) return;
    filter.clear();
    plain = new PlainBloomFilter(bits, hashes);
  };
  const calls = (label: string, least: number, run: () => Found): Calls => ({
    ...{ label: `${label}, ${name}`, keys: set.count, least, prepare: empty, run },
  });
  const { data, offsets } = packed(asked);
  const inMemory = column(data, offsets);
  const ways = Object.entries(waysToRead(asked));
  for (const [way, read] of ways)
    if (read() !== data.length) throw new BenchmarkError(`${name}: ${way} reads too little`);
  const tasks = [
    calls('one by one', least, () => ours(filter, asked)),
    calls('plain', least, () => theirs(plain, asked)),
    ...sizes.flatMap((size) => {
      const parts = cut(asked, size);
      return [`filter.${many}`, byHand].map((statement, i) => {
        const label = `${i ? 'loops' : 'batches'} of ${size}`;
        const batches = loopOf<BloomFilter, PlainKey[]>(perBatch(statement), `${label}, ${name}`, new Uint8Array(size));
        return calls(label, 0, () => batches(filter, parts));
      });
    }),
    calls('as a column', changes ? set.count : least, () => {
      if (!changes) return filter.hasMany(inMemory);
      filter.addMany(inMemory);
      return () => sumOf(filter.hasMany(asked));
    }),
    ...ways.map(([way, read]) => calls(way, 0, read)),
  ];
  const [single = [], plainly = [], ...others] = timeCalls(tasks, roundCount, name).map(({ rounds }) => rounds);
  const batches = sizes.map((_, i) => others[2 * i] ?? []);
  const largest = batches.at(-1) ?? [];
  const [asColumn = [], ...readings] = others.slice(2 * sizes.length);
  const [read = []] = readings.sort((a, b) => median(a) - median(b));
  const inTwoSteps = read.map((time, round) => time + (asColumn[round] as number));
  return {
    times: [
      set.about,
      nanoseconds(spreadOf(single).median),
      ...cellsOf(ratioOf(single, plainly), times),
      ...batches.map((rounds) => times(ratioOf(rounds, single).median)),
      extentOf(ratioOf(largest, single), times),
      ...cellsOf(ratioOf(largest, plainly), times),
    ],
    limits: [
      set.about,
      ...batches.flatMap((rounds, i) => cellsOf(ratioOf(rounds, others[2 * i + 1] ?? []), times)),
      ...cellsOf(ratioOf(read, plainly), times),
      ...cellsOf(ratioOf(inTwoSteps, plainly), times),
    ],
  };
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
  const read = ['reading ÷ plain', 'spread', 'and as a column ÷ plain', 'spread'];
  const limitHeader = ['keys', ...sizes.flatMap((size) => [size, 'spread']), ...read];
  return [
    '# bloomery: keys of every kind',
    describeMachine(),
    `A BloomFilter${js ? ' of bloomery/js' : ''} of ${integer.format(KEYS)} keys, 20,000 of 300 characters, 10,000 of 1,000; half of the keys that are ` +
      `looked up are present. Medians of ${roundCount} rounds. ÷ plain: how many times as fast single calls, or the last ` +
      'batches, are as a filter in plain JavaScript; batch of z: how many times as fast batches of z keys are as single ' +
      'calls; with the lowest and the highest. Below 1 is slower.',
    'The second table of each call shows what keeps batches from being faster. Batch of z: how many times as fast batches ' +
      'are as loops of single calls that a program could have instead, with the same results for the same z keys. ' +
      'Reading ÷ plain: the time of plain JavaScript, divided by the time that it takes just to bring the bytes of the ' +
      'keys into memory, in the fastest of one or two ways. And as a column ÷ plain: the same for both that and then ' +
      '`hasMany` or `addMany` of these bytes, as a `column`. Long keys take more in these two steps than in a batch.',
    ...calls.flatMap((verb) => {
      const { changes, many } = verbs[verb as Verb];
      const Class = js ? JsBloomFilter : BloomFilter;
      const rows = types.map((name) => rowsOf(Class, name, verb as Verb, batches, roundCount));
      return [
        `## \`${changes ? 'add' : 'has'}\` and \`${many}\``,
        tableOf(
          header,
          rows.map((row) => row.times),
        ),
        tableOf(
          limitHeader,
          rows.map((row) => row.limits),
        ),
      ];
    }),
  ].join('\n\n');
});
export default run;

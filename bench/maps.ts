// A FuseMap beside a Map and a BinaryFuseFilter of the same keys, on both engines: builds, look-ups, bits per key and peak
// memory. It first checks that each key gets its own value, and counts the absent keys that get one.

import { BinaryFuseFilter } from 'bloomery/fuse';
import { BinaryFuseFilter as BinaryFuseFilterJs } from 'bloomery/fuse/js';
import { FuseMap } from 'bloomery/fuse-map';
import { FuseMap as FuseMapJs } from 'bloomery/fuse-map/js';
import { BenchmarkError, benchmark, choice, counts, type Run, rounds, status } from './shared/cli.ts';
import {
  bitsPerKey,
  cellsOf,
  groupBy,
  integer,
  nanoseconds,
  ratioOf,
  spreadOf,
  tableOf,
  times,
} from './shared/figures.ts';
import { aboutSets, type Batch, type KeySet, requireSet } from './shared/keys.ts';
import { describeMachine, memoryOf } from './shared/machine.ts';
import { type Calls, timeCalls } from './shared/measure.ts';
import { ownLoops } from './shared/own-loops.ts';
import type { PlainKey } from './shared/plain.ts';
import { built, measure } from './shared/processes.ts';

/** The bits of a fingerprint; values have as many. */
const BITS = 8;
const VALUES = 2 ** BITS;
/** As many standard deviations above what is expected, no map is by chance. */
const MOST_DEVIATIONS = 6;

const engines = [
  { engine: '', Fuse: BinaryFuseFilter, Fused: FuseMap },
  { engine: ', JS engine', Fuse: BinaryFuseFilterJs, Fused: FuseMapJs },
] as const;

/** A call that is timed, and the rows that it is compared with. */
interface Timed {
  readonly operation: string;
  readonly subject: string;
  /** The subject of a Map, and of a fuse filter, that does the same; or key by key what this does in a batch. */
  readonly beside: readonly (string | undefined)[];
  readonly calls: Calls;
}

/** Values from 1 to 255, which are true. */
function valuesFor(count: number): Uint8Array {
  return new Uint8Array(count).map((_, i) => 1 + (i % (VALUES - 1)));
}

interface Subject<S> {
  readonly name: string;
  readonly beside: readonly (string | undefined)[];
  /** The method for one key, and its name. */
  readonly one: keyof S & string;
  build(): S;
  readonly many?: (made: S, keys: Batch, out: { readonly flags: Uint8Array; readonly values: Uint32Array }) => void;
}

/** Builds, and look-ups of present and absent keys. The last build is the one that is looked up. */
function callsFor<S extends object>(set: KeySet, { name, beside, one, build, many }: Subject<S>): Timed[] {
  const { count } = set.present;
  const out = { flags: new Uint8Array(count), values: new Uint32Array(count) };
  const { hasEach } = ownLoops<PlainKey, S>(`${name}, ${set.name}`, one);
  let made = build();
  const timed = (operation: string, least: number, prepare: () => void, run: Calls['run']): Timed => {
    const label = `${operation}, ${name}`;
    return { operation, subject: name, beside, calls: { label, keys: count, least, prepare, run } };
  };
  const free = (): void => {
    if ('dispose' in made) (made.dispose as () => void)();
  };
  const lookUps = (['again', 'absent'] as const).flatMap((which) => {
    const keys = set[which];
    const least = which === 'again' ? count : 0;
    const about = which === 'again' ? 'present' : 'absent';
    const batch = (): number => {
      many?.(made, keys, out);
      return count;
    };
    return [
      timed(`${about}, one by one`, least, keys.renew, () => hasEach(made, keys.each())),
      ...(many ? [timed(`${about}, batch`, 0, keys.renew, batch)] : []),
    ];
  });
  const rebuild = (): number => {
    made = build();
    return count;
  };
  return [timed('build', 0, free, rebuild), ...lookUps];
}

function rowsFor(set: KeySet, roundCount: number): string[][] {
  const { present } = set;
  const values = valuesFor(present.count);
  const plain: Subject<Map<PlainKey, number>> = {
    name: 'Map',
    beside: [],
    one: 'get',
    build() {
      const map = new Map<PlainKey, number>();
      const keys = present.each();
      for (let i = 0; i < keys.length; i++) map.set(keys[i] as PlainKey, values[i] as number);
      return map;
    },
  };
  const all = engines.flatMap(({ engine, Fuse, Fused }) => {
    const fuse = `BinaryFuseFilter${engine}`;
    return [
      callsFor<BinaryFuseFilter>(set, {
        ...{ name: fuse, beside: ['Map'], one: 'has' },
        build: () => Fuse.from(present.many, { fingerprintBits: BITS }),
        many: (filter, keys, { flags }) => filter.hasMany(keys.many, flags),
      }),
      callsFor<FuseMap>(set, {
        ...{ name: `FuseMap${engine}`, beside: ['Map', fuse], one: 'get' },
        build: () => Fused.from(present.many, values, { fingerprintBits: BITS }),
        many: (map, keys, { values: out }) => map.getMany(keys.many, out),
      }),
    ];
  });
  const timed = [...callsFor(set, plain), ...all.flat()];
  const what = `${integer.format(present.count)} ${set.name}`;
  const timings = timeCalls(
    timed.map(({ calls }) => calls),
    roundCount,
    what,
  );
  const roundsOf = (subject: string, operation: string): readonly number[] | undefined =>
    timings[timed.findIndex((other) => other.subject === subject && other.operation === operation)]?.rounds;
  const inOrder = [...groupBy(timed, ({ operation }) => operation).values()].flat();
  return inOrder.map(({ operation, subject, beside }) => {
    const own = roundsOf(subject, operation) ?? [];
    const ratios = [0, 1].flatMap((which) => {
      const other = beside[which] ?? '';
      const theirs = roundsOf(other, operation) ?? roundsOf(other, operation.replace('batch', 'one by one'));
      return theirs ? cellsOf(ratioOf(own, theirs), times) : ['', ''];
    });
    return [operation, subject, ...cellsOf(spreadOf(own), nanoseconds), ...ratios];
  });
}

/** Checks the answers of a map on each engine. Returns a line about them. */
function answersOf({ present, again, absent }: KeySet): string[] {
  const { count } = present;
  const values = valuesFor(count);
  const plain = new Map<PlainKey, number>();
  const keys = present.each();
  for (let i = 0; i < count; i++) plain.set(keys[i] as PlainKey, values[i] as number);
  const expected = count / VALUES;
  const most = expected + MOST_DEVIATIONS * Math.sqrt(expected * (1 - 1 / VALUES));
  return engines.map(({ engine, Fused }) => {
    using map = Fused.from(present.many, values, { fingerprintBits: BITS });
    let wrong = 0;
    const known = again.each();
    map.getMany(again.many).forEach((value, i) => {
      const key = known[i] as PlainKey;
      const right = plain.get(key);
      if (value !== right || map.get(key) !== right) wrong++;
    });
    const answered = map.getMany(absent.many).filter((value) => value !== FuseMap.ABSENT).length;
    if (wrong > 0) throw new BenchmarkError(`FuseMap${engine}: ${wrong} of ${count} keys have a wrong value`);
    if (answered > most) throw new BenchmarkError(`FuseMap${engine}: ${answered} absent keys have a value`);
    return (
      `FuseMap${engine}: ${bitsPerKey({ bytes: map.byteLength, keys: count })} bits per key, ${wrong} wrong values of ` +
      `${integer.format(count)}; ${integer.format(answered)} of as many absent keys have a value, expected ` +
      `${integer.format(Math.round(expected))}, at most ${integer.format(Math.floor(most))}.`
    );
  });
}

/** What a process of its own builds of integers, after it has made keys and values. */
const builds: Readonly<Record<string, string>> = {
  'keys and values alone': 'const bytes = 0;',
  Map: `
    const map = new Map();
    for (let i = 0; i < count; i++) map.set(keys[i], values[i]);
    const bytes = 0;`,
  BinaryFuseFilter: `
    const { BinaryFuseFilter } = await import(fuse);
    const bytes = BinaryFuseFilter.from(keys, { fingerprintBits: bits }).byteLength;`,
  FuseMap: `
    const { FuseMap } = await import(fuseMap);
    const bytes = FuseMap.from(keys, values, { fingerprintBits: bits }).byteLength;`,
};

function memoryRows(count: number): string[][] {
  return Object.entries(builds).flatMap(([name, program]) =>
    ['', 'js/'].flatMap((folder) => {
      if (folder && !program.includes('import')) return [];
      const subject = folder ? `${name}, JS engine` : name;
      status(`${subject}, in a process of its own …`);
      const modules = { fuse: built(`entries/${folder}fuse.js`), fuseMap: built(`entries/${folder}fuse-map.js`) };
      const start = 'const keys = integers(0, count); const values = new Uint8Array(count).map((_, i) => i);';
      const text = `${start} const at = performance.now(); ${program}
        const result = { bytes, building: (performance.now() - at) / 1000 };`;
      const measured = measure<{ readonly bytes: number; readonly building: number }>(text, {
        ...{ ...modules, count, bits: BITS },
      });
      const bits = measured.bytes > 0 ? bitsPerKey({ bytes: measured.bytes, keys: count }) : '';
      return [[subject, bits, measured.building.toFixed(2), (measured.memory / 1e6).toFixed(0)]];
    }),
  );
}

const options = {
  keys: counts('how many keys to build of, and to look up', 1e7, '1e5,1e6'),
  sets: choice('which of names, integers', ['names', 'integers']),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ keys, sets, rounds: roundCount }) => {
  const header = ['', 'subject', 'ns per key', 'spread', '× Map', 'spread', '× BinaryFuseFilter', 'spread'];
  const sections = keys.flatMap((count) => [
    ...sets.flatMap((name) => {
      status(`${name}: making the keys …`);
      const set = requireSet(name, count);
      const heap = memoryOf(() => new Map(Array.from(set.present.each(), (key, i) => [key, i % VALUES])));
      return [
        `## ${integer.format(count)} ${name}: ${aboutSets[name]}`,
        [...answersOf(set), `Map: ${bitsPerKey({ bytes: heap, keys: count })} bits per key, without its strings.`].join(
          '\n',
        ),
        tableOf(header, rowsFor(set, roundCount), header.slice(0, 2)),
      ];
    }),
    `## ${integer.format(count)} ascending integers, each subject in a process of its own`,
    tableOf(['', 'bits per key', 'build, s', 'peak memory, MB'], memoryRows(count)),
  ]);
  return [
    '# bloomery: maps',
    describeMachine(),
    `Values of ${BITS} bits at an error rate of 2^-${BITS}; medians of ${roundCount} rounds with the lowest and the highest. ` +
      '× Map, × BinaryFuseFilter: how many times as fast it is as these, within a round; a batch beside key by key, where ' +
      'there is no batch. A fuse filter is on the same engine, and answers yes or no.',
    ...sections,
  ].join('\n\n');
});
export default run;

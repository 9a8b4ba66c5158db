// Every command that reads a text or a filter, with every kind of filter, and every way in which bytes come in. The
// text has several megabytes: more than all buffers together. A Set gives the expected output.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type KeyLines, lines } from 'bloomery';
import { loadAny } from 'bloomery/load';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnyFilter,
  canGrow,
  classes,
  classOf,
  isBuiltOnDisk,
  makeFilter,
  makeFilterOf,
} from '../../cli/filters/kinds.ts';
import { upperQuantile } from '../shared/binomial.ts';
import { randomFrom } from '../shared/random.ts';
import { type Result, run, runOn, runReading, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

/** A rate at which no false positive is expected, and the lowest rates of the kinds that cannot have it. */
const LOW_RATE = 1e-9;
const lowestRates: Readonly<Record<string, number>> = {
  blocked: 1e-5,
  wide: 1e-8,
  cuckoo: 1e-8,
  dleft: 3e-8,
  rotating: 4e-5,
};
/** A filter that may forget any key may answer no question as a Set does. */
const exact = classes.filter(({ traits }) => !traits.forgetsAny);
const kinds = exact.map((Class) => ({
  kind: Class.kind,
  rate: lowestRates[Class.kind] ?? LOW_RATE,
  grows: canGrow(Class),
  merges: 'merge' in Class.prototype,
}));
const growing = kinds.filter(({ grows }) => grows);

/** A line as it is in a text, with its end, and its key. */
interface Line {
  readonly line: string;
  readonly key: string;
}

function linesOf(text: Buffer): Line[] {
  const found = text.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return found.map((line) => ({ line, key: line.replace(/\r?\n$/, '') }));
}

/** Short lines and long ones, longer than one buffer and than two; some repeated, empty or with CRLF. */
function makeText(): Buffer {
  const random = randomFrom(28);
  const lengths: Readonly<Record<number, number>> = { 3000: 70_000, 9000: 150_000, 14000: 300_000, 22000: 600_000 };
  const parts: string[] = ['', ''];
  let last: string[] = [];
  for (let i = 0; i < 25_000; i++) {
    const key = `https://example.org/${i}/${'x'.repeat(lengths[i] ?? random(60))}`;
    last.push(key);
    parts.push(random(20) === 0 ? `${key}\r` : key);
    if (i % 4000 !== 3999) continue;
    // Repeated once: of many copies, a cuckoo filter does not have room for all.
    parts.push(...last.filter(() => random(4) === 0));
    last = [];
  }
  return Buffer.from([...parts, 'the last line has no end'].join('\n'));
}

const text = makeText();
const all = linesOf(text);
const keys = [...new Set(all.map(({ key }) => key))];
/** The keys that filters have beforehand, and those that they have not. */
const known = new Set(keys.filter((_, i) => i % 2 === 0));
const unknown = keys.filter((key) => !known.has(key));
/** Others, so that a filter's file has several megabytes too. */
const bulk = Array.from({ length: 180_000 }, (_, i) => `bulk ${i}`);
const absent = Array.from({ length: 20_000 }, (_, i) => `absent ${i}`);
const CAPACITY = 250_000;
const asLines = (of: Iterable<string>): KeyLines => lines(Buffer.from([...of].join('\n'), 'latin1'));
const textKeys = asLines(keys);
const allKeys = asLines([...keys, ...bulk]);
const absentKeys = asLines(absent);

const textName = path('text');
const filterName = (kind: string): string => path(`${kind}.bloom`);

beforeAll(() => {
  writeFileSync(textName, text);
  writeFileSync(`${textName}.gz`, gzipSync(text, { level: 1 }));
  const had = asLines([...known, ...bulk]);
  for (const { kind, rate: errorRate } of kinds) {
    const Class = classOf(kind);
    const filter: AnyFilter = canGrow(Class)
      ? makeFilter(Class, { capacity: CAPACITY, errorRate }).addMany(had)
      : isBuiltOnDisk(Class)
        ? Class.from(had, { errorRate })
        : makeFilterOf(Class, had, { errorRate });
    writeFileSync(filterName(kind), filter.toBytes());
    writeFileSync(`${filterName(kind)}.gz`, gzipSync(filter.toBytes(), { level: 1 }));
    filter.dispose();
  }
});

/** How a command gets the bytes of a file: named among its arguments, or from stdin. */
interface Way {
  readonly way: string;
  run(file: string, command: (name?: string) => string[]): Promise<Result>;
}
const ways: readonly Way[] = [
  { way: 'a file', run: (file, command) => run(...command(file)) },
  { way: '< file', run: (file, command) => runReading(file, ...command()) },
  { way: 'a pipe', run: (file, command) => runOn(readFileSync(file), ...command()) },
  { way: 'a gzip file', run: (file, command) => run(...command(`${file}.gz`)) },
];
/** A file that is left out is stdin, for a filter `-`. */
const named = (name?: string): string[] => (name === undefined ? [] : [name]);

/** Each row with every second way, in turns: how bytes come in and what is done with them are code of their own. */
function cases<K>(of: readonly K[]): (K & Way)[] {
  return of.flatMap((each, row) => ways.filter((_, at) => at % 2 === row % 2).map((way) => ({ ...each, ...way })));
}

async function load(name: string): Promise<AnyFilter> {
  return loadAny(classes, [readFileSync(name)]);
}

/** Whether a filter has all of some keys, and of absent ones no more than its rate allows. */
function expectKeys(filter: AnyFilter, present: KeyLines, rate: number): void {
  expect(filter.omit(present).count()).toBe(0);
  expect(filter.pick(absentKeys).count()).toBeLessThanOrEqual(upperQuantile(absent.length, rate));
}

/** Whether just those lines of a text were printed whose keys were, and none of `never`, and all but a few of `wanted`. */
function expectLines(
  { code, stdout, stderr }: Result,
  candidates: readonly Line[],
  wanted: readonly string[],
  never: readonly string[],
  mayLack: number,
): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const printed = new Set(linesOf(stdout).map(({ key }) => key));
  const expected = candidates.filter(({ key }) => printed.has(key)).map(({ line }) => line);
  expect(stdout.equals(Buffer.from(expected.join(''), 'latin1'))).toBe(true);
  expect(wanted.filter((key) => !printed.has(key)).length).toBeLessThanOrEqual(mayLack);
  expect(never.filter((key) => printed.has(key))).toEqual([]);
}

/** The first line of each key. */
function firstLines(of: readonly Line[]): Line[] {
  const seen = new Set<string>();
  return of.filter(({ key }) => !seen.has(key) && seen.add(key));
}

it('has a text and filters larger than all buffers', () => {
  expect(text.length).toBeGreaterThan(8 * 2 ** 18);
  expect(keys.length).toBeLessThan(all.length - 5000);
  for (const { kind } of kinds) expect(statSync(filterName(kind)).size).toBeGreaterThan(3 * 2 ** 18);
});

describe('a text of several megabytes', () => {
  it.concurrent.each(cases(kinds))('build: $kind, $way', async ({ kind, rate, grows, way, run: feed }) => {
    const output = path(`built ${kind} ${way}`);
    // Where the capacity is left out, the lines are counted. A cuckoo filter needs more room for repeated ones.
    const isLeftOut = !grows || (/^a .*file$/.test(way) && kind !== 'cuckoo');
    const capacity = isLeftOut ? [] : ['-n', String(2 * all.length)];
    const args = ['build', '-k', kind, '-p', String(rate), '-o', output, ...capacity];
    const { code, stderr } = await feed(textName, (name) => [...args, ...named(name)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    using filter = await load(output);
    expectKeys(filter, textKeys, rate);
  });

  it.concurrent.each(cases(growing))('add: $kind, $way', async ({ kind, rate, way, run: feed }) => {
    const filterFile = path(`added ${kind} ${way}`);
    writeFileSync(filterFile, readFileSync(filterName(kind)));
    const { code, stderr } = await feed(textName, (name) => ['add', filterFile, ...named(name)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    using filter = await load(filterFile);
    expectKeys(filter, allKeys, rate);
  });

  it.concurrent.each(cases(kinds))('pick: $kind, $way', async ({ kind, rate, run: feed }) => {
    const result = await feed(textName, (name) => ['pick', filterName(kind), ...named(name)]);
    expectLines(result, all, [...known], [], 0);
    const printed = new Set(linesOf(result.stdout).map(({ key }) => key));
    const wrong = unknown.filter((key) => printed.has(key)).length;
    expect(wrong).toBeLessThanOrEqual(upperQuantile(unknown.length, rate));
  });

  it.concurrent.each(cases(kinds))('omit: $kind, $way', async ({ kind, rate, run: feed }) => {
    const result = await feed(textName, (name) => ['omit', filterName(kind), ...named(name)]);
    expectLines(result, all, unknown, [...known], upperQuantile(unknown.length, rate));
  });

  it.concurrent.each(
    cases([
      { memory: 'all lines', args: ['-p', '1e-9'], rate: 1e-9 },
      { memory: 'many small filters', args: ['-p', '1e-9', '-n', '100'], rate: 1e-9 },
      { memory: 'the last lines', args: ['--last', '60000', '-p', '4e-5'], rate: 4e-5 },
    ]),
  )('dedupe: $memory, $way', async ({ args, rate, run: feed }) => {
    const result = await feed(textName, (name) => ['dedupe', ...args, ...named(name)]);
    expectLines(result, firstLines(all), keys, [], upperQuantile(keys.length, rate));
  });

  it.concurrent.each(cases(growing))('dedupe --seen: $kind, $way', async ({ kind, rate, way, run: feed }) => {
    const seen = path(`seen ${kind} ${way}`);
    writeFileSync(seen, readFileSync(filterName(kind)));
    const args = ['dedupe', '--seen', seen, '-p', String(rate)];
    const result = await feed(textName, (name) => [...args, ...named(name)]);
    expectLines(result, firstLines(all), unknown, [...known], upperQuantile(unknown.length, rate));
    using filter = await load(seen);
    expectKeys(filter, allKeys, rate);
  });

  it.concurrent.each(cases(kinds).filter(({ way }) => way === '< file' || way === 'a pipe'))(
    'has FILTER -: $kind, $way',
    async ({ kind, rate, run: feed }) => {
      const { code, stdout, stderr } = await feed(textName, () => ['has', filterName(kind), '-']);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      const printed = linesOf(stdout).map(({ key }) => key);
      const found = new Set(printed);
      expect(printed).toEqual(all.map(({ key }) => key).filter((key) => found.has(key)));
      expect([...known].filter((key) => !found.has(key))).toEqual([]);
      const wrong = unknown.filter((key) => found.has(key)).length;
      expect(wrong).toBeLessThanOrEqual(upperQuantile(unknown.length, rate));
    },
  );
});

describe('a filter of several megabytes', () => {
  const filterArgument = (name = '-'): string => name;
  const some = [...bulk.filter((_, i) => i % 1800 === 0), ...absent.filter((_, i) => i % 200 === 0)];

  it.concurrent.each(cases(kinds))('has: $kind, $way', async ({ kind, rate, run: feed }) => {
    const result = await feed(filterName(kind), (name) => ['has', filterArgument(name), ...some]);
    expect(result).toMatchObject({ code: 1, stderr: '' });
    const printed = result.stdout.toString().split('\n').slice(0, -1);
    expect(printed.slice(0, 100)).toEqual(some.slice(0, 100));
    expect(printed.length - 100).toBeLessThanOrEqual(upperQuantile(100, rate));
  });

  it.concurrent.each(cases(kinds))('info: $kind, $way', async ({ kind, run: feed }) => {
    const { code, stdout } = await feed(filterName(kind), (name) => ['info', filterArgument(name), '--json']);
    using filter = await load(filterName(kind));
    expect(code).toBe(0);
    const { capacity, errorRate } = filter;
    const estimatedCount = Math.round(filter.estimateCount());
    expect(JSON.parse(stdout.toString())).toMatchObject({ kind, capacity, errorRate, estimatedCount });
  });

  it.concurrent.each(cases(kinds.filter(({ merges }) => merges)))(
    'merge: $kind, $way',
    async ({ kind, rate, way, run: feed }) => {
      const other = path(`other ${kind} ${way}`);
      const output = path(`merged ${kind} ${way}`);
      const Class = classOf(kind);
      if (!canGrow(Class)) throw new Error(`${kind} filters take no keys`);
      using made = makeFilter(Class, { capacity: CAPACITY, errorRate: rate });
      writeFileSync(other, made.addMany(asLines(unknown)).toBytes());
      const { code, stderr } = await feed(filterName(kind), (name) => {
        return ['merge', filterArgument(name), other, '-o', output];
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      using filter = await load(output);
      expectKeys(filter, allKeys, rate);
    },
  );
});

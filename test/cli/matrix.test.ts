// Every command that reads a text or a filter, with every kind of filter, beside what the library makes of the same. The
// text and the filters have several megabytes: more than all buffers together.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type KeyLines, lines } from 'bloomery';
import { loadAny } from 'bloomery/load';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AnyFilter,
  canGrow,
  classes,
  classOf,
  type GrowingFilter,
  isBuiltOnDisk,
  type Merging,
  makeFilter,
  makeFilterOf,
} from '../../cli/filters/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { type Result, run, runOn, runPiped, runReading, workInFolder } from './run.ts';

workInFolder();

const CAPACITY = 250_000;
const RATE = 0.001;
const kinds = classes.map(({ kind }) => kind);
const growing = kinds.filter((kind) => canGrow(classOf(kind)));
const merging = growing.filter((kind) => 'merge' in classOf(kind).prototype);

/** Short lines and long ones, longer than one buffer and than four; some repeated, empty or with CRLF. */
function makeText(): Buffer {
  const random = randomFrom(28);
  const lengths: Readonly<Record<number, number>> = { 3000: 70_000, 9000: 150_000, 14000: 300_000, 22000: 1_200_000 };
  const parts: string[] = ['', ''];
  for (let i = 0; i < 25_000; i++) {
    const key = `https://example.org/${i}/${'x'.repeat(lengths[i] ?? random(60))}`;
    parts.push(random(20) === 0 ? `${key}\r` : key);
    // Repeated once: of many copies, a cuckoo filter does not have room for all.
    if (i % 4 === 3) parts.push(parts.at(-random(3) - 1) as string);
  }
  return Buffer.from([...parts, 'the last line has no end'].join('\n'));
}

const text = makeText();
const known = Array.from({ length: 180_000 }, (_, i) => (i % 18 ? `bulk/${i}` : `https://example.org/${i / 18}/`));

function made(kind: string, keys: KeyLines): AnyFilter {
  const Class = classOf(kind);
  if (canGrow(Class)) return makeFilter(Class, { capacity: CAPACITY, errorRate: RATE }).addMany(keys);
  return isBuiltOnDisk(Class) ? Class.from(keys, { errorRate: RATE }) : makeFilterOf(Class, keys, { errorRate: RATE });
}

const load = (name: string): AnyFilter => loadAny(classes, readFileSync(name));
const loadGrowing = (name: string): GrowingFilter => load(name) as GrowingFilter;
const isSaved = (name: string, filter: AnyFilter): boolean => readFileSync(name).equals(filter.toBytes());

beforeAll(() => {
  writeFileSync('text', text);
  writeFileSync('text.gz', gzipSync(text, { level: 1 }));
  const some = Buffer.from(`${known.join('\n')}\n${text.subarray(0, text.length >> 1)}`);
  for (const kind of kinds) {
    using filter = made(kind, lines(some));
    writeFileSync(kind, filter.toBytes());
    writeFileSync(`${kind}.gz`, gzipSync(filter.toBytes(), { level: 1 }));
  }
});

/** How a command gets the bytes of a file: named among its arguments, or from stdin. */
type Way = (file: string, command: (name: string) => string) => Promise<Result>;
const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');
const ways: Readonly<Record<string, Way>> = {
  'a file': (file, command) => run(...words(command(file))),
  '< file': (file, command) => runReading(file, ...words(command('-'))),
  'a pipe': (file, command) => runPiped(readFileSync(file), ...words(command('-'))),
  'a gzip file': (file, command) => run(...words(command(`${file}.gz`))),
};

/** Each kind with one of the ways, in turns: how bytes come in and what is done with them are code of their own. */
function cases(of: readonly string[], first: number, names = Object.keys(ways)): [string, string, Way][] {
  return of.map((kind, row) => {
    const way = names[(first + row) % names.length] as string;
    return [kind, way, ways[way] as Way];
  });
}

describe('a text of several megabytes', () => {
  it.each(cases(kinds, 0))('build: %s, %s', async (kind, _, feed) => {
    const size = canGrow(classOf(kind)) ? `-n ${CAPACITY}` : '';
    const result = await feed('text', (name) => `build -k ${kind} -p ${RATE} -o built ${size} ${name}`);
    expect(result).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    expect(isSaved('built', made(kind, lines(text)))).toBe(true);
  });

  it.each(cases(growing, 1))('add: %s, %s', async (kind, _, feed) => {
    writeFileSync('added', readFileSync(kind));
    expect(await feed('text', (name) => `add added ${name}`)).toMatchObject({ code: 0, stderr: '' });
    expect(isSaved('added', loadGrowing(kind).addMany(lines(text)))).toBe(true);
  });

  it.each(cases(kinds, 2))('pick and omit: %s, %s', async (kind, _, feed) => {
    const omitted = await run('omit', kind, 'text');
    expect(omitted.stdout.equals(load(kind).omit(lines(text)).bytes)).toBe(true);
    const { code, stdout, stderr } = await feed('text', (name) => `pick ${kind} ${name}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.equals(load(kind).pick(lines(text)).bytes)).toBe(true);
  });

  it.each(cases(growing, 0))('dedupe --seen: %s, %s', async (kind, _, feed) => {
    writeFileSync('seen', readFileSync(kind));
    const { code, stdout, stderr } = await feed('text', (name) => `dedupe --seen seen -p ${RATE} ${name}`);
    expect([code, stderr]).toEqual([0, '']);
    const filter = loadGrowing(kind);
    expect(stdout.equals(filter.dedupe(lines(text)).bytes)).toBe(true);
    expect(isSaved('seen', filter)).toBe(true);
  });

  it.each(kinds)('has FILTER -: %s', async (kind) => {
    const { code, stdout, stderr } = await runOn(text, 'has', kind, '-');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.equals(load(kind).pick(lines(text)).bytes)).toBe(true);
  });
});

describe('a filter of several megabytes', () => {
  const some = known.filter((_, i) => i % 1800 === 5).flatMap((key) => [key, `${key}x`]);

  it.each(cases(kinds, 1))('has and info: %s, %s', async (kind, _, feed) => {
    using filter = load(kind);
    const has = await feed(kind, (name) => `has ${name} ${some.join(' ')}`);
    expect([has.stdout.toString(), has.stderr]).toEqual([`${filter.pick(some).join('\n')}\n`, '']);
    const { code, stdout } = await run('info', kind, '--json');
    const { capacity, errorRate } = filter;
    const facts = { kind, capacity, errorRate, estimatedCount: Math.round(filter.estimateCount()) };
    expect([code, JSON.parse(stdout.toString())]).toEqual([0, expect.objectContaining(facts)]);
  });

  it.each(merging)('merge: %s', async (kind) => {
    using other = made(kind, lines(text));
    writeFileSync('other', other.toBytes());
    const result = await run('merge', kind, 'other', '-o', 'merged');
    expect(result).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    const filter = load(kind);
    (filter as object as Merging).merge(other);
    expect(isSaved('merged', filter)).toBe(true);
  });
});

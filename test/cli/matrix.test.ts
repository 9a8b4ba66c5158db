// Every command that reads a text or a filter, with every kind of filter, beside what the library makes of the same. The
// text and the filters have several megabytes: more than all buffers together.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type KeyLines, lines } from 'bloomery';
import { loadAny } from 'bloomery/load';
import { expect, it } from 'vitest';
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
import { type Result, run, runOn, runReading, workInFolder } from './run.ts';

workInFolder();

const CAPACITY = 250_000;
const RATE = 0.001;

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
const asked = known.filter((_, i) => i % 1800 === 5).flatMap((key) => [key, `${key}x`]);

function made(kind: string, keys: KeyLines): AnyFilter {
  const Class = classOf(kind);
  if (canGrow(Class)) return makeFilter(Class, { capacity: CAPACITY, errorRate: RATE }).addMany(keys);
  return isBuiltOnDisk(Class) ? Class.from(keys, { errorRate: RATE }) : makeFilterOf(Class, keys, { errorRate: RATE });
}

/** How a command gets the bytes of a file: named among its arguments, or from stdin. */
const ways: readonly ((file: string, command: (name: string) => string) => Promise<Result>)[] = [
  (file, command) => run(...command(file).split(' ')),
  (file, command) => runReading(file, ...command('-').split(' ')),
  (file, command) => runOn(readFileSync(file), ...command('-').split(' ')),
  (file, command) => {
    writeFileSync('zipped', gzipSync(readFileSync(file), { level: 1 }));
    return run(...command('zipped').split(' '));
  },
];

// Each command has another way with each kind: how bytes come in and what is done with them are code of their own.
it.each(classes.map(({ kind }, row) => [kind, row] as const))('all commands: %s', async (kind, row) => {
  const feed = (i: number, file: string, command: (name: string) => string) =>
    (ways[(row + i) % ways.length] as (typeof ways)[0])(file, command);
  const load = (name = 'filter'): GrowingFilter => loadAny(classes, readFileSync(name)) as GrowingFilter;
  const expectSaved = (name: string, filter: AnyFilter) =>
    expect(readFileSync(name).equals(filter.toBytes()), name).toBe(true);
  const expectPrinted = ({ code, stdout, stderr }: Result, expected: Uint8Array, wanted = 0) => {
    expect([code, stderr]).toEqual([wanted, '']);
    expect(stdout.equals(expected)).toBe(true);
  };
  const nothing = new Uint8Array(0);
  writeFileSync('text', text);
  using filter = made(kind, lines(Buffer.from(`${known.join('\n')}\n${text.subarray(0, text.length >> 1)}`)));
  writeFileSync('filter', filter.toBytes());
  const grows = canGrow(classOf(kind));
  using other = made(kind, lines(text));

  const size = grows ? ` -n ${CAPACITY}` : '';
  expectPrinted(await feed(0, 'text', (name) => `build -k ${kind} -p ${RATE} -o built${size} ${name}`), nothing);
  expectSaved('built', other);

  expectPrinted(await run('omit', 'filter', 'text'), load().omit(lines(text)).bytes);
  expectPrinted(await feed(1, 'text', (name) => `pick filter ${name}`), load().pick(lines(text)).bytes);
  expectPrinted(await runOn(text, 'has', 'filter', '-'), load().pick(lines(text)).bytes, 1);
  const has = await feed(2, 'filter', (name) => `has ${name} ${asked.join(' ')}`);
  expectPrinted(has, Buffer.from(`${load().pick(asked).join('\n')}\n`), 1);
  const { capacity, errorRate } = filter;
  const facts = { kind, capacity, errorRate, estimatedCount: Math.round(filter.estimateCount()) };
  expect(JSON.parse((await run('info', 'filter', '--json')).stdout.toString())).toMatchObject(facts);

  if (grows) {
    writeFileSync('added', filter.toBytes());
    expectPrinted(await feed(3, 'text', (name) => `add added ${name}`), nothing);
    expectSaved('added', load().addMany(lines(text)));
    writeFileSync('seen', filter.toBytes());
    const twin = load();
    const fresh = twin.dedupe(lines(text)).bytes;
    expectPrinted(await feed(0, 'text', (name) => `dedupe --seen seen -p ${RATE} ${name}`), fresh);
    expectSaved('seen', twin);
  }
  if (grows && 'merge' in filter) {
    expectPrinted(await run('merge', 'filter', 'built', '-o', 'merged'), nothing);
    const twin = load();
    (twin as object as Merging).merge(other);
    expectSaved('merged', twin);
  }
});

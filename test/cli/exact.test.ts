// What the command line decides exactly: by a set of all keys, in place of filters.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter, FilterFullError } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { hashKeys } from 'bloomery/hash';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ExactSeen } from '../../cli/filters/exact.ts';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import type { Selecting } from '../../cli/filters/seen.ts';
import { keysOf } from '../../cli/text/records.ts';
import { moveFlagged, selectIn } from '../../cli/text/select.ts';
import { randomFrom } from '../shared/random.ts';
import { formatWith } from './format.ts';
import { DONE, numbers, textOf, told, workInFolder } from './run.ts';

workInFolder();

const NOTHING_NEW = [1, '', ''];
const UNBOUNDED = { maxMemory: Number.POSITIVE_INFINITY, name: undefined };
const exactSeen = (maxMemory = UNBOUNDED.maxMemory): { set: FingerprintSet; seen: ExactSeen } => {
  const set = new FingerprintSet();
  return { set, seen: new ExactSeen(set, { maxMemory, name: undefined }) };
};

/** Lines of a few letters, many of which are repeated. */
function randomLines(count: number, letters: number): string[] {
  const random = randomFrom(count);
  return Array.from({ length: count }, () =>
    Array.from({ length: random(letters) }, () => 'abcdé \t"'.charAt(random(8))).join(''),
  );
}

const textOfLines = (lines: Iterable<string>): string => [...lines].map((line) => `${line}\n`).join('');
const twice = (lines: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  return lines.filter((line) => counts.set(line, (counts.get(line) ?? 0) + 1).get(line) === 2);
};

describe('dedupe', () => {
  const lines = randomLines(60_000, 7);

  it.each(['', '--capacity 1000', '--threads 2', '--max-memory 100M'])('is what awk prints: %s', async (options) => {
    const expected = textOfLines(new Set(lines));
    expect(await told(`dedupe ${options}`, textOfLines(lines))).toEqual([0, expected, '']);
  });

  it('prints each repeated line where it comes the second time', async () => {
    const expected = textOfLines(twice(lines));
    for (const options of ['', '--threads 2', '--capacity 9']) {
      expect(await told(`dedupe --repeated ${options}`, textOfLines(lines))).toEqual([0, expected, '']);
    }
    const counted = await textOf('dedupe --repeated --count', textOfLines(lines));
    expect(counted.replaceAll(/^ *\d+ /gm, '')).toBe(expected);
  });
});

describe('dedupe --seen', () => {
  it('makes a set without a capacity, and goes on with it', async () => {
    expect(await told('dedupe --seen set', 'a\nb\na\n')).toEqual([0, 'a\nb\n', '']);
    expect(await told('dedupe --seen set --error-rate 1e-20', 'b\nc\n')).toEqual([0, 'c\n', '']);
    expect(await told('dedupe --seen set --max-memory 1M', 'b\nc\n')).toEqual(NOTHING_NEW);
    expect(readFileSync('set').equals(FingerprintSet.from(['a', 'b', 'c']).toBytes())).toBe(true);
    expect(await told('dedupe --seen set --last 9', 'b\n')).toEqual([
      2,
      '',
      "bloomery: 'set' does not forget: --last 9 needs another filter\n",
    ]);
  });

  it('goes on with a filter that there is, and makes one at an error rate', async () => {
    writeFileSync('wide', new WideBlockedBloomFilter({ capacity: 100, errorRate: 1e-6 }).addMany(['a']).toBytes());
    expect(await told('dedupe --seen wide', 'a\nb\n')).toEqual([0, 'b\n', '']);
    expect(WideBlockedBloomFilter.fromBytes(readFileSync('wide')).pick(['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(await told('dedupe --seen classic -p 1e-9 -n 100', 'a\n')).toEqual([0, 'a\n', '']);
    expect(BloomFilter.fromBytes(readFileSync('classic'))).toMatchObject({ capacity: 100, errorRate: 1e-9 });
  });

  it('saves the lines that it has printed when its memory is full, and only these', async () => {
    const [code, stdout, stderr] = await told('dedupe --seen full.gz --max-memory 100k', numbers(0, 20_000));
    const kept = stdout.split('\n').length - 1;
    expect([code, stdout]).toEqual([2, numbers(0, kept)]);
    expect(stderr).toMatch(`--max-memory 100 kB is full after ${kept.toLocaleString('en')} lines, of which each`);
    expect(stderr).toMatch(
      /raise it, or go on with bloomery omit full.gz FILES \| bloomery dedupe --seen NEW --error-/,
    );
    expect(await told('dedupe --seen full.gz', numbers(0, kept + 1))).toEqual([0, `${kept}\n`, '']);
  });
});

describe('a set whose memory is bounded', () => {
  it('says after which line it is full, and what each line takes there and in filters', async () => {
    const [code, stdout, stderr] = await told('dedupe --max-memory 1M', numbers(0, 10).repeat(9) + numbers(0, 90_000));
    const kept = stdout.split('\n').length - 1;
    expect([code, stdout]).toEqual([2, numbers(0, kept)]);
    const [, read = '', bytes, capacity, others] =
      /^bloomery: --max-memory 1\.00 MB is full after ([\d,]+) lines, of which each distinct one takes (\S+) bytes: to read more, raise it, or pass --error-rate 0\.000001 --capacity (\d+): a line then takes (\S+) bytes, and one in 1,000,000 may be lost\n$/.exec(
        stderr,
      ) ?? [];
    expect([Number(read.replaceAll(',', '')), Number(capacity)]).toEqual([kept + 90, 2 * kept]);
    // The memory is used to eight tenths at least.
    expect(Number(bytes) * kept).toBeGreaterThan(0.8e6 - kept);
    expect(Number(bytes)).toBeLessThan(25);
    const filter = new WideBlockedBloomFilter({ capacity: 2 * kept, errorRate: 5e-7 });
    expect(Number(others)).toBeCloseTo(filter.byteLength / (2 * kept), 0);
    // As many lines as that take the memory that was promised.
    const options = `--error-rate 0.000001 --capacity ${capacity}`;
    expect(await told(`dedupe --max-memory 1M ${options}`, numbers(0, 2 * kept))).toEqual([
      0,
      expect.stringContaining(numbers(2 * kept - 9, 2 * kept)),
      '',
    ]);
  });

  it('goes on with repeated lines', async () => {
    const kept = (await textOf('dedupe --max-memory 50k', numbers(0, 9000))).split('\n').length - 1;
    expect(kept).toBeGreaterThan(1000);
    expect(await told('dedupe --max-memory 50k', numbers(0, kept).repeat(20))).toEqual([0, numbers(0, kept), '']);
  });

  it('never takes more, by lines or by hashes', () => {
    const keys = Array.from({ length: 300_000 }, (_, i) => i);
    const sizes = fc.tuple(fc.integer({ min: 300, max: 3_000_000 }), fc.integer({ min: 1, max: 30_000 }));
    fc.assert(
      fc.property(sizes, ([most, step]) => {
        const { set, seen } = exactSeen(most);
        for (let from = 0; from < keys.length && !seen.full; from += step) {
          const some = keys.slice(from, from + step);
          const text = Buffer.from(textOfLines(some.map(String)));
          if ((from / step) % 2) seen.flag(hashKeys(some.map(String)));
          else selectIn(text, formatWith({}), (read) => seen.select(read));
          expect(set.byteLength).toBeLessThanOrEqual(Math.max(most, 326));
        }
        if (seen.full === undefined) expect(set.count).toBe(keys.length);
        else expect(seen.full.message).toContain(`is full after ${set.count.toLocaleString('en')} line`);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the lines seen', () => {
  const batches = fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 }), { maxLength: 6 });

  it.each([{}, { field: [2] }, { null: true }])('are printed once: %j', (values) => {
    const format = formatWith(values);
    const lineOf = (key: number): string =>
      `${'field' in values ? '-\t' : ''}k${key}${String.fromCharCode(format.separator)}`;
    const textIn = (keys: number[]): Buffer<ArrayBuffer> => Buffer.from(keys.map(lineOf).join(''));
    fc.assert(
      fc.property(batches, fc.constantFrom(Number.POSITIVE_INFINITY, 500, 900), (texts, most) => {
        const distinct = [...new Set(texts.flat())];
        const byLines = (seen: Selecting, text: Buffer): string =>
          Buffer.from(selectIn(text, format, (keys) => seen.select(keys))).toString();
        // As several threads add the lines.
        const byHashes = (seen: Selecting, text: Buffer<ArrayBuffer>): string =>
          text.toString('utf8', 0, moveFlagged(text, 0, format, seen.flag(hashKeys(keysOf(text, format)))));
        for (const by of [byLines, byHashes]) {
          const { set, seen } = exactSeen(most);
          const printed = texts.map((some) => by(seen, textIn(some))).join('');
          expect(printed).toBe(distinct.slice(0, seen.count).map(lineOf).join(''));
          expect(set.count).toBe(seen.count);
          if (seen.full === undefined) expect(seen.count).toBe(distinct.length);
          const read = texts.flat().indexOf(distinct[seen.count] as number);
          if (seen.full) expect(seen.full.message).toMatch(new RegExp(`is full after ${read} lines?[,:]`));
        }
      }),
    );
  });

  it('have a chance of a mistake that grows with the pairs of keys, beside those of a saved set', () => {
    const set = FingerprintSet.from(['a', 'b', 'c']);
    const seen = new ExactSeen(set, UNBOUNDED);
    expect([seen.count, seen.expectedMistakes()]).toEqual([0, 3 * 2 ** -96]);
    seen.flag(hashKeys(['a', 'd', 'e']));
    expect([seen.count, seen.expectedMistakes()]).toEqual([2, 12 * 2 ** -96]);
    const both = new Repeated(exactSeen().seen, exactSeen().seen);
    both.flag(hashKeys(['a', 'a', 'b']));
    expect([both.isExact, both.count, both.expectedMistakes()]).toEqual([true, 1, 4 * 2 ** -96]);
    expect(new Counted(seen).isExact).toBe(true);
  });

  it.each([
    [undefined, 'pass --error-rate 0.000001 --capacity 1000: ', 'may be lost'],
    [
      'seen',
      'go on with bloomery omit seen FILES | bloomery dedupe --seen NEW --error-rate 0.000001',
      "'seen' was not saved",
    ],
  ])('end with an error that says what to do if there is no memory for them: %s', (name, choice, end) => {
    const set = FingerprintSet.from(['a', 'b']);
    const error = new FilterFullError('', { code: 'MEMORY', reason: '', position: 0 });
    for (const method of ['addMany', 'dedupe'] as const) vi.spyOn(set, method).mockThrow(error);
    const seen = new ExactSeen(set, { maxMemory: UNBOUNDED.maxMemory, name });
    const pattern = new RegExp(
      `^there is no memory for more than 2 distinct keys: to read more, ${choice.replaceAll('|', '\\|')}.*${end}`,
    );
    expect(() => seen.flag(hashKeys(['c']))).toThrow(pattern);
    expect(() => selectIn(Buffer.from('c\n'), formatWith({}), (keys) => seen.select(keys))).toThrow(pattern);
    vi.restoreAllMocks();
  });
});

describe('a saved set', () => {
  it('is built without a capacity or an error rate, and is what a program makes', async () => {
    const made = (keys: string[]): boolean => readFileSync('made').equals(FingerprintSet.from(keys).toBytes());
    for (const options of ['', '-n 100', '--threads 2']) {
      expect(await told(`build -k fingerprint-set -o made ${options}`, 'a\nb\na\n')).toEqual(DONE);
      expect(made(['a', 'b'])).toBe(true);
    }
    expect(await told('add made', 'b\nc\n')).toEqual(DONE);
    expect(made(['a', 'b', 'c'])).toBe(true);
    writeFileSync('other', FingerprintSet.from(['c', 'd']).toBytes());
    expect(await told('merge made other -o made')).toEqual(DONE);
    expect(made(['a', 'b', 'c', 'd'])).toBe(true);
    writeFileSync('seeded', new FingerprintSet({ seed: 7 }).toBytes());
    const message = "bloomery: 'seeded' does not fit 'made': its seed is 7; build it with --seed 0\n";
    expect(await told('merge made seeded -o made')).toEqual([2, '', message]);
  });

  it('is looked up, and described by info and size', async () => {
    writeFileSync('made', FingerprintSet.from(['a', 'b', 'c', 'd']).toBytes());
    expect(await textOf('pick made', 'd\nx\na\n')).toBe('d\na\n');
    expect(await textOf('omit made', 'd\nx\na\n')).toBe('x\n');
    expect(await told('has made a x')).toEqual([1, 'a\n', '']);
    expect(await textOf('info made')).toMatch(
      /^kind +fingerprint-set\nfingerprints +4\nhashes +1\nseed +0\nkeys +4\nerror rate now +about 5\.05e-29\nfile +\d+ bytes\n$/,
    );
    const facts = { kind: 'fingerprint-set', fingerprints: 4, estimatedCount: 4 };
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject(facts);
    const rowOf = async (capacity: string): Promise<unknown> =>
      JSON.parse(await textOf(`size -n ${capacity} --json`)).kinds.find(
        ({ kind }: { kind: string }) => kind === facts.kind,
      );
    const { kind } = facts;
    expect(await rowOf('1e6')).toEqual({ kind, bitsPerKey: 160, hashes: 1, bytes: 2e7, filters: 1 });
    expect(await rowOf('1e9')).toMatchObject({ bytes: 2e10, filters: 8 });
  });

  it('takes about the memory that size tells', () => {
    const { set, seen } = exactSeen();
    for (let from = 0; from < 1e6; from += 1e4) seen.flag(hashKeys(Array.from({ length: 1e4 }, (_, i) => from + i)));
    expect(Math.abs(set.byteLength - 2e7)).toBeLessThan(0.1 * 2e7);
  });

  it('is not made where a text cannot be read, but by dedupe, which goes on with other texts', async () => {
    expect((await told('build -k fingerprint-set missing -o never'))[0]).toBe(2);
    expect(existsSync('never')).toBe(false);
    writeFileSync('some', 'a\nb\n');
    expect((await told('dedupe --seen others missing some'))[0]).toBe(2);
    expect(FingerprintSet.fromBytes(readFileSync('others')).count).toBe(2);
  });
});

// What the calculator computes, proved against the filters of the library; and what it reads and keeps in its query.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindNames, readableClasses } from '../../cli/filters/kinds.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BloomFilter } from '../../src/index.ts';
import { kinds as table } from '../../tools/entries.ts';
import { bitsOf, fileBytesOf, type KindRow } from '../src/calculator/kind-row.ts';
import { kinds, REMOVED_SHARE } from '../src/calculator/kinds.ts';
import { Refusal } from '../src/calculator/limits.ts';
import { chance, readBits, readCount, readRate, whyNoCount, writtenRate } from '../src/calculator/numbers.ts';
import type { Question } from '../src/calculator/solve.ts';
import { answerOf, changed, first, following, quantities, seeking, solve } from '../src/calculator/solve.ts';
import { firstView, fromQuery, toQuery, type View } from '../src/calculator/url.ts';

type Made = Pick<BloomFilter, 'byteLength' | 'toBytes' | 'dispose'>;
type Growing = typeof BloomFilter;

const classOf = (kind: string): Growing => readableClasses.find((each) => each.kind === kind) as Growing;

/** A filter of a kind, empty if it takes keys. */
function make({ kind, moreOptions }: KindRow, capacity: number, errorRate: number, from = 0): Made {
  const keys = Array.from({ length: capacity }, (_, i) => `key ${from + i}`);
  if (kind === 'fuse') return BinaryFuseFilter.from(keys, { errorRate });
  if (kind !== 'tombstone') return new (classOf(kind))({ capacity, errorRate, ...(moreOptions as object) });
  const filter = new TombstoneFilter(new BloomFilter({ capacity, errorRate }).addMany(keys));
  for (const key of keys.slice(0, Math.ceil(REMOVED_SHARE * capacity))) filter.remove(key);
  return filter;
}

const eachKind = kinds.map((row): [string, KindRow] => [row.kind, row]);
const ask = (question: Partial<Question>): Question => ({ ...first, ...question });

describe('the kinds of the calculator', () => {
  it('are all kinds but three, with their classes and entries', () => {
    // A sharded fuse filter has the size of a fuse filter, a set has no error rate, and the size of a map follows from its
    // values.
    const shown = table.filter(({ name }) => !['sharded-fuse', 'fingerprint-set', 'fuse-map'].includes(name));
    const entryOf = ({ name, isMain }: (typeof table)[number]): string => (isMain ? 'bloomery' : `bloomery/${name}`);
    const wanted = shown.map((row) => [row.name, row.className, entryOf(row)]);
    expect(kinds.map(({ kind, className, entry }) => [kind, className, entry]).sort()).toEqual(wanted.sort());
  });

  it.each(eachKind)('can do what the library says: %s', (kind, row) => {
    const { traits } = classOf(kind);
    // A tombstone filter can do what its base can, and removes keys.
    const base = kind === 'tombstone' ? BloomFilter.traits : traits;
    const { grows, forgets, canBeFull } = base;
    const past = grows ? 'grows' : forgets ? 'forgets' : canBeFull ? 'refuses' : kind === 'fuse' ? 'complete' : 'errs';
    expect([row.past, row.removes, row.hasCommand]).toEqual([past, traits.removes, kindNames.includes(kind)]);
    expect(Math.abs(row.leastRate / base.leastErrorRate(20_000) - 1)).toBeLessThan(0.1);
    const rarest = ask({ kind, values: { capacity: 20_000, errorRate: row.leastRate } });
    expect(solve(rarest).errorRate).toBe(row.leastRate);
  });

  it.each(eachKind)('have the sizes of the library, in memory and as a file: %s', (kind, row) => {
    for (const [capacity, errorRate] of [
      [1, 0.5],
      [1000, 0.01],
      [77_777, 0.0001],
    ] as const) {
      const shape = row.shapeFor(capacity, errorRate);
      // The places of removed keys are random, so once in a while their table grows before it is full, even twice. With
      // nine sets of keys, one has the least size.
      const sizes = Array.from({ length: kind === 'tombstone' ? 9 : 1 }, (_, i) => {
        const filter = make(row, capacity, errorRate, i * capacity);
        expect(fileBytesOf(row, shape)).toBe(filter.toBytes().length);
        const { byteLength } = filter;
        filter.dispose();
        return byteLength;
      });
      expect(Math.min(...sizes)).toBe(Math.ceil(bitsOf(shape) / 8));
    }
  });
});

describe('solving', () => {
  it.each(eachKind)('each pair of givens leads back to the third: %s', (kind) => {
    const { capacity, errorRate, shape } = solve(ask({ kind }));
    const bits = bitsOf(shape);
    const byBits = solve(ask({ kind, given: ['capacity', 'bits'], values: { capacity, bits } }));
    expect(bitsOf(byBits.shape)).toBeLessThanOrEqual(bits);
    expect(bitsOf(byBits.shape)).toBeGreaterThan(0.97 * bits);
    expect(byBits.errorRate).toBeLessThanOrEqual(1.005 * errorRate);
    const byRate = solve(ask({ kind, given: ['errorRate', 'bits'], values: { errorRate, bits } }));
    expect(byRate.capacity).toBeGreaterThanOrEqual(capacity);
    expect(byRate.capacity).toBeLessThan(1.01 * capacity);
    expect(bitsOf(byRate.shape)).toBeLessThanOrEqual(bits);
  });

  it.each(eachKind)('keeps to the most keys of a kind, however much memory there is: %s', (kind, row) => {
    const huge = ask({ kind, given: ['errorRate', 'bits'], values: { errorRate: 0.1, bits: 3.4e10 } });
    const found = answerOf(huge, row);
    if (!(found instanceof Refusal)) expect(found.capacity).toBeLessThanOrEqual(row.mostKeys);
  });

  it('enlarges a filter whose number of hashes is not the best', () => {
    const few = solve(ask({ hashes: 3 }));
    expect(few.shape.hashes).toBe(3);
    expect(few.shape.cells).toBeGreaterThan(9_585_059);
    expect(few.row.rateAt?.(few.capacity, few.shape)).toBeLessThanOrEqual(1.005 * 0.01);
  });

  it.each([
    [{ kind: 'blocked', values: { capacity: 1000, errorRate: 1e-9 } }, /^Blocked .* down to 0.001 %: take wide.$/],
    [{ given: ['errorRate', 'bits'], values: { errorRate: 1e-9, bits: 8 } }, /^Not even one key/],
    [{ given: ['capacity', 'bits'], values: { capacity: 1e11, bits: 24e6 } }, /^Every absent key would look present.$/],
    [{ given: ['capacity', 'bits'], values: { capacity: 1000, bits: 1e15 } }, /^It takes 125 TB: at most 4.29 GB fit/],
    [{ kind: 'cuckoo', given: ['capacity', 'bits'], values: { capacity: 1e6, bits: 8 } }, /at least 7,368,592 bits/],
    [{ values: { capacity: 1e11, errorRate: 0.01 } }, /^It takes 120 GB: at most 4.29 GB fit. Divide the keys.$/],
    [{ kind: 'cuckoo', values: { capacity: 5e9, errorRate: 0.01 } }, /^Too many keys for one cuckoo filter/],
    [{ kind: 'fuse', values: { capacity: 1e9, errorRate: 0.01 } }, /^Building it takes 15.5 GB/],
    [{ values: { capacity: Number.NaN, errorRate: 0.01 } }, /^A whole number of keys/],
    [{ hashes: Number.NaN }, /^A whole number from 1 to 255/],
  ])('refuses what no filter can be: %j', (question, message) => {
    const refused = (): unknown => solve(ask(question as Partial<Question>));
    expect(refused).toThrow(Refusal);
    expect(refused).toThrow(message);
  });

  it('keeps what was changed last, and lets the rest follow', () => {
    const bits = changed(first, 'bits', 2e7);
    const capacity = changed(bits, 'capacity', 500);
    expect([first, bits, capacity].map(following)).toEqual(['bits', 'capacity', 'errorRate']);
    expect(bits).toMatchObject({ given: ['errorRate', 'bits'], values: { errorRate: 0.01, bits: 2e7 } });
    expect(capacity).toMatchObject({ given: ['bits', 'capacity'], values: { bits: 2e7, capacity: 500 } });
    const again = changed(capacity, 'capacity', 600);
    expect(again).toMatchObject({ given: ['bits', 'capacity'], values: { bits: 2e7, capacity: 600 } });
  });

  it.each(eachKind)(
    'answers for each quantity, also where a filter errs more rarely than one can be asked to: %s',
    (kind) => {
      for (const [capacity, bits] of [
        [1_000_000, 64e6],
        [300, 1e9],
      ] as const) {
        const question = ask({ kind, given: ['capacity', 'bits'], values: { capacity, bits } });
        for (const quantity of quantities) {
          const next = seeking(question, quantity);
          expect(following(next)).toBe(quantity);
          expect(() => solve(next)).not.toThrow();
          expect(fromQuery(toQuery({ ...firstView, question: next })).question).toEqual({ ...next, hashes: undefined });
        }
      }
    },
  );

  it('keeps what was asked where there is no answer', () => {
    const question = ask({ kind: 'blocked', values: { capacity: 1000, errorRate: 1e-9 } });
    expect(seeking(question, 'capacity').values).toEqual({ errorRate: 1e-9, bits: 10_000_000 });
    expect(seeking(question, 'errorRate').values).toEqual({ capacity: 1000, bits: 10_000_000 });
  });
});

describe('the query of the calculator', () => {
  const view = (question: Partial<Question>): View => ({ ...firstView, question: ask(question) });

  it('leads back to the same view', () => {
    const wide = view({ kind: 'wide', given: ['bits', 'errorRate'], values: { bits: 5e6, errorRate: 1e-5 } });
    expect(fromQuery(toQuery(wide))).toEqual({ ...wide, question: { ...wide.question, hashes: undefined } });
    expect(toQuery(view({ kind: 'wide', hashes: Number.NaN }))).not.toContain('hashes');
    const all: View = { question: ask({ hashes: 255 }), others: ['cuckoo'], speed: 50, open: ['kinds', 'code'] };
    expect(fromQuery(toQuery(all))).toEqual(all);
    expect(fromQuery(toQuery({ ...all, others: [] })).others).toEqual([]);
  });

  it.each([
    '',
    '?kind=bloom&capacity=0&errorRate=2',
    '?capacity=1e400&bits=x',
    '?capacity=5&capacity=6',
    '?errorRate=0.1',
    '?speed=9&hashes=256&open=cost',
  ])('takes what is missing or wrong from the first view: %s', (query) => {
    expect(fromQuery(query)).toEqual({ ...firstView, question: { ...first, hashes: undefined } });
  });

  it('takes a number of hashes without anything else', () =>
    expect(fromQuery('?hashes=7').question).toEqual({ ...first, hashes: 7 }));

  it('takes kinds beside the chosen one that exist, and no more than there is room for', () =>
    expect(fromQuery('?with=fuse.bloom.stable.wide').others).toEqual(['fuse', 'stable']));

  it('always gives a view that can be asked for again', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const names = ['capacity', 'bits', 'kind', 'hashes', 'with', 'speed', 'open'];
        const found = fromQuery(new URLSearchParams(names.map((name) => [name, text])).toString());
        expect(fromQuery(toQuery(found))).toEqual(found);
      }),
    );
  });
});

describe('numbers as people write them', () => {
  it.each([
    [readCount, 1e6, ['1000000', '1,000,000', '1.000.000', "1'000'000", '1e6']],
    [readCount, 1.1e6, ['1.1M']],
    [readCount, 2 ** 53 - 1, ['9007199254740991']],
    [readCount, 2e6, ['2 million']],
    [readCount, undefined, ['1.000', '1.000.00', '1e30', '0', '1,00', '1.5', 'ten', '']],
    [readRate, 0.01, ['0.01', '0,01', '1 %', '1 in 100']],
    [readRate, 0.001, ['0,001']],
    [readRate, 0.015, ['1,5 %']],
    [readRate, 1e-6, ['1e-6', '1 in 1.000.000']],
    [readRate, undefined, ['1 in 1.000', '0', '1', '100 %', '%']],
    [readBits, 9_600_000, ['9.6M', '1.2 MB']],
    [readBits, 9_585_059, ['9585059']],
    [readBits, 1000, ['1,000 bits']],
    [readBits, 8 * 2 ** 20, ['1 MiB']],
    [readBits, undefined, ['bits', '0 MB', 'MB']],
    [whyNoCount, 'Write 1000 or 1,000: a single point separates decimals here.', ['1.000', ' 1.000']],
    [whyNoCount, 'At most 9,007,199,254,740,991.', ['1e16', '9007199254740992']],
    [whyNoCount, '1.5 is not a whole number.', ['1.5 ']],
    [whyNoCount, undefined, ['', 'ten', '0']],
  ])('are read: %o, %s', (read, value, texts) =>
    expect(texts.map((text): unknown => read(text))).toEqual(texts.map(() => value)),
  );

  const rates = { '1 %': 0.01, '0.0001 %': 1e-6, '1e-20': 1e-20, '2.33e-10': 2 ** -32 };
  it.each(Object.entries(rates))('are written as they can be read again: the rate %s', (text, rate) => {
    expect(writtenRate(rate)).toBe(text);
    expect(readRate(text)).toBeCloseTo(rate, 12);
  });

  it('are written as chances without endless zeros', () => {
    const rates = [0, 1e-4, 1e-9, 1e-20, 2.5e-11];
    expect(rates.map(chance)).toEqual(['never', '1 in 10,000', '1 in 1,000,000,000', '1 in 10²⁰', '1 in 4 × 10¹⁰']);
  });
});

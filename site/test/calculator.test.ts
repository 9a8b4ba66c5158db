import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindNames, readableClasses } from '../../cli/filters/kinds.ts';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { StableBloomFilter } from '../../src/entries/stable.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { WideBlockedBloomFilter } from '../../src/entries/wide.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../../src/index.ts';
import { kinds as table } from '../../tools/entries.ts';
import { bitsOf, fileBytesOf, type KindRow } from '../src/calculator/kind-row.ts';
import { kinds } from '../src/calculator/kinds.ts';
import { Refusal } from '../src/calculator/limits.ts';
import { readBits, readCount, readRate, writtenRate } from '../src/calculator/numbers.ts';
import { REMOVED_SHARE } from '../src/calculator/promised-kinds.ts';
import { LABELS } from '../src/calculator/sized-kinds.ts';
import { changed, first, following, type Question, quantities, seeking, solve } from '../src/calculator/solve.ts';
import { firstView, fromQuery, toQuery, type View } from '../src/calculator/url.ts';

interface Promised {
  readonly capacity: number;
  readonly errorRate: number;
}

interface Made extends Disposable {
  readonly cellCount: number;
  readonly cellBits: number;
  readonly hashes: number;
  readonly byteLength: number;
  toBytes(): Uint8Array;
}

const growing = {
  BloomFilter,
  BlockedBloomFilter,
  CountingBloomFilter,
  WideBlockedBloomFilter,
  CuckooFilter,
  DLeftCountingBloomFilter,
  ScalableBloomFilter,
  RotatingBloomFilter,
  StableBloomFilter,
};

/** A filter of a kind, empty if it takes keys. */
function make(kind: string, { capacity, errorRate }: Promised): Made {
  const Class = Object.values(growing).find((each) => each.kind === kind);
  if (Class) return new Class({ capacity, errorRate });
  if (kind === 'spatial') return new SpatialBloomFilter({ capacity, errorRate, labels: LABELS });
  const keys = Array.from({ length: capacity }, (_, i) => `key ${i}`);
  if (kind === 'fuse') return BinaryFuseFilter.from(keys, { errorRate });
  const filter = new TombstoneFilter(new BloomFilter({ capacity, errorRate }).addMany(keys));
  for (const key of keys.slice(0, Math.ceil(REMOVED_SHARE * capacity))) filter.remove(key);
  return filter;
}

const eachKind = kinds.map((row): [string, KindRow] => [row.kind, row]);
const ask = (question: Partial<Question>): Question => ({ ...first, ...question });

describe('the kinds of the calculator', () => {
  it('are all kinds but one, with their classes and entries', () => {
    // A sharded fuse filter has the size of a fuse filter.
    const shown = table.filter(({ name }) => name !== 'sharded-fuse');
    const ofTable = shown.map(({ name, className, isMain }) => [
      name,
      className,
      isMain ? 'bloomery' : `bloomery/${name}`,
    ]);
    const ofRows = kinds.map(({ kind, className, entry }) => [kind, className, entry]);
    expect(ofRows.sort()).toEqual(ofTable.sort());
  });

  it.each(eachKind)('can do what the library says: %s', (kind, row) => {
    const { traits } = readableClasses.find((each) => each.kind === kind) as { traits: typeof BloomFilter.traits };
    // A tombstone filter can do what its base can, and removes keys.
    const { grows, forgets, canBeFull } = kind === 'tombstone' ? BloomFilter.traits : traits;
    const past = grows ? 'grows' : forgets ? 'forgets' : canBeFull ? 'refuses' : kind === 'fuse' ? 'complete' : 'errs';
    expect(row.past).toBe(past);
    expect(row.removes).toBe(traits.removes);
    expect(row.hasCommand).toBe(kindNames.includes(kind));
    const least = kind === 'tombstone' ? BloomFilter.traits.leastErrorRate(20_000) : traits.leastErrorRate(20_000);
    expect(row.leastRate / least).toBeGreaterThan(0.9);
    expect(row.leastRate / least).toBeLessThan(1.1);
  });

  it.each(eachKind)('have the sizes of the library, in memory and as a file: %s', (kind, row) => {
    for (const promised of [
      { capacity: 1, errorRate: 0.5 },
      { capacity: 1000, errorRate: 0.01 },
      { capacity: 77_777, errorRate: 0.0001 },
    ]) {
      using filter = make(kind, promised);
      const shape = row.shapeFor(promised.capacity, promised.errorRate);
      expect(bitsOf(shape)).toBeLessThanOrEqual(8 * filter.byteLength);
      expect(bitsOf(shape)).toBeGreaterThan(8 * filter.byteLength - 8);
      expect(fileBytesOf(row, shape)).toBe(filter.toBytes().length);
    }
  });

  const sized = eachKind.filter(([, { sizing }]) => sizing !== undefined);
  it.each(sized)('take the options of a size: %s', (kind, row) => {
    const shape = row.shapeFor(1000, 0.01);
    const options = { ...row.sizing?.options(shape), ...row.moreOptions } as never;
    const Class = [...Object.values(growing), SpatialBloomFilter].find((each) => each.kind === kind);
    const { cellCount, cellBits } = Class ? new Class(options) : BinaryFuseFilter.from(['ada'], options);
    expect(cellBits).toBe(shape.cellBits);
    if (Class) expect(cellCount).toBe(shape.cells);
  });
});

describe('solving', () => {
  it.each(kinds.map(({ kind }) => kind))('each pair of givens leads back to the third: %s', (kind) => {
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
    expect(following(first)).toBe('bits');
    const bits = changed(first, 'bits', 2e7);
    expect(bits).toMatchObject({ given: ['errorRate', 'bits'], values: { errorRate: 0.01, bits: 2e7 } });
    expect(following(bits)).toBe('capacity');
    const capacity = changed(bits, 'capacity', 500);
    expect(capacity).toMatchObject({ given: ['bits', 'capacity'], values: { bits: 2e7, capacity: 500 } });
    expect(following(capacity)).toBe('errorRate');
    const again = changed(capacity, 'capacity', 600);
    expect(again).toMatchObject({ given: ['bits', 'capacity'], values: { bits: 2e7, capacity: 600 } });
  });
});

describe('asking for another quantity', () => {
  it.each(eachKind)('has an answer, also for a filter that errs more rarely than one can be asked to: %s', (kind) => {
    for (const values of [
      { capacity: 1_000_000, bits: 64e6 },
      { capacity: 300, bits: 1e9 },
    ]) {
      const question = ask({ kind, given: ['capacity', 'bits'], values });
      for (const quantity of quantities) {
        const next = seeking(question, quantity);
        expect(following(next)).toBe(quantity);
        expect(() => solve(next)).not.toThrow();
        expect(fromQuery(toQuery({ ...firstView, question: next })).question).toEqual({ ...next, hashes: undefined });
      }
    }
  });

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
    const all: View = {
      question: ask({ hashes: 5 }),
      others: ['cuckoo'],
      load: { lookups: '2M', cost: '$0.01' },
      speed: 50,
    };
    expect(fromQuery(toQuery(all))).toEqual(all);
    expect(fromQuery(toQuery({ ...all, others: [] })).others).toEqual([]);
  });

  it.each([
    '',
    '?kind=bloom&capacity=0&errorRate=2',
    '?capacity=1e400&bits=x',
    '?capacity=5&capacity=6',
    '?errorRate=0.1',
    '?lookups=-1&cost=cheap&speed=9',
  ])('takes what is missing or wrong from the first view: %s', (query) => {
    expect(fromQuery(query)).toEqual({ ...firstView, question: { ...first, hashes: undefined } });
  });

  it('takes kinds beside the chosen one that exist, and no more than there is room for', () => {
    expect(fromQuery('?with=fuse.bloom.stable.wide').others).toEqual(['fuse', 'stable']);
  });

  it('always gives a view that can be asked for again', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const names = ['capacity', 'bits', 'kind', 'hashes', 'with', 'lookups', 'cost', 'speed'];
        const found = fromQuery(new URLSearchParams(names.map((name) => [name, text])).toString());
        expect(fromQuery(toQuery(found))).toEqual(found);
      }),
    );
  });
});

describe('numbers as people write them', () => {
  it.each([
    ['1000000', 1e6],
    ['1,000,000', 1e6],
    ['1.000.000', 1e6],
    ["1'000'000", 1e6],
    ['1.000', undefined],
    ['1.000.00', undefined],
    ['1e30', undefined],
    ['1e6', 1e6],
    ['1.1M', 1.1e6],
    ['2 million', 2e6],
    ['0', undefined],
    ['1,00', undefined],
    ['1.5', undefined],
    ['ten', undefined],
    ['', undefined],
  ])('reads a count: %s', (text, value) => expect(readCount(text)).toBe(value));

  it.each([
    ['0.01', 0.01],
    ['0,01', 0.01],
    ['0,001', 0.001],
    ['1,5 %', 0.015],
    ['1 %', 0.01],
    ['1 in 100', 0.01],
    ['1 in 1.000', undefined],
    ['1 in 1.000.000', 1e-6],
    ['1e-6', 1e-6],
    ['0', undefined],
    ['1', undefined],
    ['100 %', undefined],
    ['%', undefined],
  ])('reads a rate: %s', (text, value) => expect(readRate(text)).toBe(value));

  it.each([
    ['9585059', 9_585_059],
    ['9.6M', 9_600_000],
    ['1,000 bits', 1000],
    ['bits', undefined],
    ['1.2 MB', 9_600_000],
    ['1 MiB', 8 * 2 ** 20],
    ['0 MB', undefined],
    ['MB', undefined],
  ])('reads bits: %s', (text, value) => expect(readBits(text)).toBe(value));

  it.each([
    [0.01, '1 %'],
    [1e-6, '0.0001 %'],
    [1e-20, '1e-20'],
    [2 ** -32, '2.33e-10'],
  ])('writes a rate as it can be read again: %s', (rate, text) => {
    expect(writtenRate(rate)).toBe(text);
    expect(readRate(text)).toBeCloseTo(rate, 12);
  });
});

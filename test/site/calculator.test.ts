import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLabels, kindNames, readableClasses } from '../../cli/filters/kinds.ts';
import { adviceOn } from '../../site/src/calculator/advice.ts';
import { commandLine, construction, typeScript } from '../../site/src/calculator/code.ts';
import { bitsCurves, colors, curveNames, highestShown } from '../../site/src/calculator/curves.ts';
import { type EndlessKind, endlessKinds } from '../../site/src/calculator/endless.ts';
import { bitsOf, type KindRow, kinds, type SizedKind } from '../../site/src/calculator/kinds.ts';
import { LABELS, labeledKinds } from '../../site/src/calculator/labeled.ts';
import { Refusal } from '../../site/src/calculator/limits.ts';
import { readBits, readCount, readRate } from '../../site/src/calculator/numbers.ts';
import { changed, first, following, type Question, solve } from '../../site/src/calculator/solve.ts';
import { fromQuery, toQuery } from '../../site/src/calculator/url.ts';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { StableBloomFilter } from '../../src/entries/stable.ts';
import { WideBlockedBloomFilter } from '../../src/entries/wide.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from '../../src/index.ts';

const growing = {
  BloomFilter,
  BlockedBloomFilter,
  CountingBloomFilter,
  WideBlockedBloomFilter,
  CuckooFilter,
  DLeftCountingBloomFilter,
};
const rowOf = (kind: string): KindRow => kinds.find((row) => row.kind === kind) as KindRow;
const ask = (question: Partial<Question>): Question => ({ ...first, ...question });

describe('the kinds of the calculator', () => {
  it('has every kind but one', () => {
    // A sharded fuse filter has the size of a fuse filter.
    const names = kindNames.filter((kind) => kind !== 'sharded-fuse');
    expect([...kinds, ...endlessKinds].map(({ kind }) => kind).sort()).toEqual(names.sort());
  });

  it('has every kind whose keys have labels', () => {
    const names = readableClasses.map(({ kind }) => kind).filter(hasLabels);
    expect(labeledKinds.map(({ kind }) => kind)).toEqual(names);
  });

  it('sizes filters of labels as the library does', () => {
    const row = labeledKinds[0] as SizedKind;
    for (const [capacity, errorRate] of [
      [1, 0.5],
      [1000, 0.01],
      [77_777, 0.0001],
    ] as const) {
      const { cellCount, cellBits, hashes } = new SpatialBloomFilter({ capacity, errorRate, labels: LABELS });
      expect(row.shapeFor(capacity, errorRate)).toEqual({ cells: cellCount, cellBits, hashes });
    }
    const least = { capacity: 10, labels: LABELS };
    expect(() => new SpatialBloomFilter({ ...least, errorRate: row.leastRate })).not.toThrow();
    expect(() => new SpatialBloomFilter({ ...least, errorRate: row.leastRate / 2 })).toThrow(RangeError);
  });

  it.each([
    ['scalable', ScalableBloomFilter],
    ['rotating', RotatingBloomFilter],
    ['stable', StableBloomFilter],
  ] as const)('sizes the kinds for streams as the library does: %s', (kind, Class) => {
    const row = endlessKinds.find((each) => each.kind === kind) as SizedKind;
    for (const [capacity, errorRate] of [
      [1, 0.5],
      [1000, 0.01],
      [77_777, 0.0001],
    ] as const) {
      const { cellCount, cellBits, hashes } = new Class({ capacity, errorRate });
      expect(row.shapeFor(capacity, errorRate)).toEqual({ cells: cellCount, cellBits, hashes });
    }
    expect((row as EndlessKind).className).toBe(Class.name);
    expect(() => new Class({ capacity: 10, errorRate: row.leastRate })).not.toThrow();
    expect(() => new Class({ capacity: 10, errorRate: row.leastRate / 2 })).toThrow(RangeError);
  });

  it.each(Object.entries(growing))('sizes filters as the library does: %s', (_, Class) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 3, max: 990 }), (capacity, thousandth) => {
        const errorRate = thousandth / 1000;
        const filter = new Class({ capacity, errorRate });
        const { cellCount, cellBits, hashes } = filter;
        const row = rowOf(filter.kind);
        expect(row.shapeFor(capacity, errorRate)).toEqual({ cells: cellCount, cellBits, hashes });
        expect(row.className).toBe(filter[Symbol.toStringTag]);
        filter.dispose();
      }),
      { numRuns: 200 },
    );
  });

  it('sizes a fuse filter as the library does', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);
    const { cellCount, cellBits, hashes } = BinaryFuseFilter.from(keys, { errorRate: 0.001 });
    expect(rowOf('fuse').shapeFor(5000, 0.001)).toEqual({ cells: cellCount, cellBits, hashes });
  });

  it.each(kinds.map((row) => [row.kind, row] as const))('takes options of a size: %s', (kind, row) => {
    const shape = row.shapeFor(1000, 0.01);
    const options = row.sizeOptions(shape) as never;
    const Class = Object.values(growing).find((each) => each.kind === kind);
    const { cellCount, cellBits } = Class ? new Class(options) : BinaryFuseFilter.from(['ada'], options);
    expect(cellBits).toBe(shape.cellBits);
    if (Class) expect(cellCount).toBe(shape.cells);
  });
});

describe('the advice', () => {
  it.each([
    ['classic', 0.01, /It is the smallest here to which keys can be added\.$/],
    ['classic', 0.0009, /It is the smallest/],
    ['classic', 0.0007, /A cuckoo filter is the smallest/],
    ['cuckoo', 0.0007, /It is the smallest/],
    ['blocked', 0.0007, /A cuckoo filter is the smallest/],
    ['fuse', 0.01, /takes no more\.$/],
  ])('says which kind is the smallest: %s at %d', (kind, errorRate, advice) => {
    expect(adviceOn(rowOf(kind), { capacity: 1e6, errorRate })).toMatch(advice);
  });

  it('is general without numbers', () => {
    expect(adviceOn(rowOf('wide'), { capacity: Number.NaN, errorRate: 0.01 })).toBe(rowOf('wide').why);
  });
});

describe('the curves of bits per key', () => {
  it('have a color each', () => {
    expect(new Set(colors).size).toBe(curveNames.length);
  });

  it('lie above the lower bound', () => {
    const { curves } = bitsCurves(1_000_000);
    const bound = curves.at(-1) as number[];
    for (const curve of curves.slice(0, -1)) {
      expect(curve.every((bits, i) => bits === null || bits >= 0.99 * (bound[i] as number))).toBe(true);
    }
  });
});

describe('the axis of bits per key', () => {
  it('ends where the curves of all kinds end but those that leave the plot, unless a point is above', () => {
    const { curves } = bitsCurves(1_000_000);
    const most = Math.max(...(curves[curveNames.indexOf('wide')] as number[]));
    expect(highestShown(curves)).toBe(most);
    expect(highestShown([...curves, [null, 115]])).toBe(115);
  });
});

describe('solving', () => {
  it('finds the textbook filter', () => {
    const { shape, errorRate } = solve(first);
    expect(shape).toEqual({ cells: 9_585_059, cellBits: 1, hashes: 7 });
    expect(errorRate).toBe(0.01);
  });

  it.each(kinds.map(({ kind }) => kind))('each pair of givens leads back to the third: %s', (kind) => {
    const { capacity, errorRate, shape } = solve(ask({ kind }));
    const bits = bitsOf(shape);
    const byBits = solve(ask({ kind, given: ['capacity', 'bits'], values: { capacity, bits } }));
    expect(bitsOf(byBits.shape)).toBe(bits);
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
    expect(few.row.rateAt(few.capacity, few.shape)).toBeLessThanOrEqual(1.005 * 0.01);
  });

  it('ignores hashes for kinds that have a fixed number', () => {
    expect(solve(ask({ kind: 'blocked', hashes: 3 })).shape.hashes).toBe(8);
  });

  it.each([
    [{ kind: 'blocked', values: { capacity: 1000, errorRate: 1e-9 } }, /^Blocked .* down to 0.001 %: take wide.$/],
    [{ kind: 'wide', values: { capacity: 1000, errorRate: 1e-9 } }, /^Wide .* down to 10⁻⁸: take classic.$/],
    [{ kind: 'counting', values: { capacity: 1000, errorRate: 1e-90 } }, /^Counting .* down to 1.73 × 10⁻⁷⁷.$/],
    [{ given: ['errorRate', 'bits'], values: { errorRate: 1e-9, bits: 8 } }, /^Not even one key/],
    [{ given: ['capacity', 'bits'], values: { capacity: 1e11, bits: 24e6 } }, /^Every absent key would look present.$/],
    [{ values: { capacity: 1000, errorRate: 0.9999 } }, /^Every absent key would look present.$/],
    [{ given: ['capacity', 'bits'], values: { capacity: 1000, bits: 1e15 } }, /^It takes 125 TB: at most 4.29 GB fit/],
    [{ kind: 'blocked', given: ['errorRate', 'bits'], values: { errorRate: 0.1, bits: 1e15 } }, /^It takes 125 TB/],
    [{ kind: 'cuckoo', given: ['capacity', 'bits'], values: { capacity: 1e6, bits: 8 } }, /at least 7,368,592 bits/],
    [{ values: { capacity: 1e11, errorRate: 0.01 } }, /^It takes 120 GB: at most 4.29 GB fit. Divide the keys.$/],
    [{ kind: 'dleft', values: { capacity: 4e9, errorRate: 0.01 } }, /^Too many keys for one dleft filter/],
    [{ kind: 'cuckoo', values: { capacity: 5e9, errorRate: 0.01 } }, /^Too many keys for one cuckoo filter/],
    [{ kind: 'fuse', values: { capacity: 1e9, errorRate: 0.01 } }, /^Building it takes 15.5 GB/],
    [{ kind: 'fuse', values: { capacity: 2 ** 40, errorRate: 0.01 } }, /^Too many keys for one fuse filter/],
    [{ values: { capacity: Number.NaN, errorRate: 0.01 } }, /^A whole number of keys/],
    [{ hashes: Number.NaN }, /^A whole number from 1 to 255/],
  ])('refuses what no filter can be: %j', (question, message) => {
    const refused = (): unknown => solve(ask(question as Partial<Question>));
    expect(refused).toThrow(Refusal);
    expect(refused).toThrow(message);
  });

  it('does not read the hashes of kinds that have a fixed number', () => {
    expect(solve(ask({ kind: 'wide', hashes: Number.NaN })).shape.hashes).toBe(16);
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

describe('the query of the calculator', () => {
  it('leads back to the same question', () => {
    const question = ask({ kind: 'wide', given: ['bits', 'errorRate'], values: { bits: 5e6, errorRate: 1e-5 } });
    expect(fromQuery(toQuery(question))).toEqual({ ...question, hashes: undefined });
    expect(toQuery(ask({ kind: 'wide', hashes: Number.NaN }))).not.toContain('hashes');
    const hashes = ask({ hashes: 5 });
    expect(fromQuery(toQuery(hashes))).toEqual(hashes);
  });

  it.each([
    '',
    '?kind=bloom&capacity=0&errorRate=2',
    '?capacity=1e400&bits=x',
    '?capacity=5&capacity=6',
    '?errorRate=0.1',
  ])('takes what is missing or wrong from the first question: %s', (query) => {
    expect(fromQuery(query)).toEqual({ ...first, hashes: undefined });
  });

  it('always gives a question that can be asked again', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const question = fromQuery(`?capacity=${text}&bits=${text}&kind=${text}&hashes=${text}`);
        expect(fromQuery(toQuery(question))).toEqual(question);
      }),
    );
  });
});

describe('numbers as people write them', () => {
  it.each([
    ['1000000', 1e6],
    ['1,000,000', 1e6],
    ['1_000_000', 1e6],
    ['1 000 000', 1e6],
    ['1e6', 1e6],
    ['1.1M', 1.1e6],
    ['2 million', 2e6],
    ['4.5 billion', 4.5e9],
    ['0', undefined],
    ['1,00', undefined],
    ['1.5', undefined],
    ['ten', undefined],
    ['', undefined],
  ])('reads a count: %s', (text, value) => expect(readCount(text)).toBe(value));

  it.each([
    ['0.01', 0.01],
    ['1 %', 0.01],
    ['1%', 0.01],
    ['1 in 100', 0.01],
    ['1/1,000', 0.001],
    ['1e-6', 1e-6],
    ['0', undefined],
    ['1', undefined],
    ['100 %', undefined],
    ['%', undefined],
  ])('reads a rate: %s', (text, value) => expect(readRate(text)).toBe(value));

  it.each([
    ['9585059', 9_585_059],
    ['9.6M', 9_600_000],
    ['1.2 MB', 9_600_000],
    ['1 kB', 8000],
    ['1 MiB', 8 * 2 ** 20],
    ['0 MB', undefined],
    ['MB', undefined],
  ])('reads bits: %s', (text, value) => expect(readBits(text)).toBe(value));
});

describe('the code of the calculator', () => {
  const codeOf = (question: Question): string => typeScript(question, solve(question));
  const commandOf = (question: Question): string | undefined => commandLine(question, solve(question));

  it('takes the capacity and the error rate', () => {
    expect(codeOf(first)).toContain('new BloomFilter({ capacity: 1_000_000, errorRate: 0.01 })');
    expect(commandOf(first)).toBe(
      'npx bloomery build names.txt -o names.bloom --kind classic --capacity 1000000 --error-rate 0.01',
    );
  });

  it('takes a size if one was given', () => {
    const bits = ask({ kind: 'counting', given: ['capacity', 'bits'], values: { capacity: 1e6, bits: 4e7 } });
    expect(codeOf(bits)).toContain('new CountingBloomFilter({ counters: 10_000_000, hashes: 7 })');
    expect(codeOf(ask({ hashes: 5 }))).toContain('hashes: 5 }');
  });

  it('has no command for a filter that is made by its size', () => {
    expect(commandOf(ask({ hashes: 3 }))).toBeUndefined();
    expect(commandOf(ask({ given: ['capacity', 'bits'], values: { capacity: 1e6, bits: 1e7 } }))).toBeUndefined();
    expect(commandOf(ask({ kind: 'wide', hashes: 3 }))).toContain('--kind wide --capacity 1000000');
  });

  it('makes filters for streams', () => {
    const [scalable, rotating, stable] = endlessKinds as [EndlessKind, EndlessKind, EndlessKind];
    expect(construction(scalable, { capacity: 20_000, errorRate: 1e-6 })).toBe(
      'new ScalableBloomFilter({ capacity: 20_000, errorRate: 0.000001 })',
    );
    expect(construction(rotating, { capacity: 20_000, errorRate: 1e-6 })).toBe('RotatingBloomFilter');
    expect(construction(stable, { capacity: 500, errorRate: 0.01 })).toBe(
      'new StableBloomFilter({ capacity: 500, errorRate: 0.01 })',
    );
    expect(construction(scalable, { capacity: Number.NaN, errorRate: 0.01 })).toBe('ScalableBloomFilter');
  });

  it('makes a fuse filter of all its keys', () => {
    const fuse = ask({ kind: 'fuse' });
    expect(codeOf(fuse)).toContain("BinaryFuseFilter.from(['ada', 'grace'], { errorRate: 0.01 })");
    expect(commandOf(fuse)).toBe('npx bloomery build names.txt -o names.bloom --kind fuse --error-rate 0.01');
  });
});

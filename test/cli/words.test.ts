// The functions that read and write the words of the command line.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, quote } from '../../cli/errors.ts';
import { classes, sizeOf } from '../../cli/filters/kinds.ts';
import { nearest } from '../../cli/nearest.ts';
import {
  byteSize,
  duration,
  leastRate,
  plural,
  readBytes,
  readCount,
  readInteger,
  readRate,
} from '../../cli/numbers.ts';

describe('a count', () => {
  it.each([
    ['1', 1],
    ['1000000', 1e6],
    ['1_000_000', 1e6],
    ['1e6', 1e6],
    ['1.5e3', 1500],
    ['1k', 1000],
    ['1K', 1000],
    ['1M', 1e6],
    ['1.1M', 1_100_000],
    ['0.29G', 290_000_000],
    ['2T', 2e12],
  ])('may be written %s', (text, value) => {
    expect(readCount(text, '-n')).toBe(value);
  });

  it.each(['', '0', '-1', '1.5', '_1', '1kk', '1e', 'k', '0x10', '1e400', '1 000', '1,000', '1e16', 'NaN'])(
    'may not be written %j',
    (text) => {
      expect(() => readCount(text, '-n')).toThrow('-n must be a whole number from 1 to 9e15, such as');
    },
  );

  it('is read in no time, however long', () => {
    expect(() => readCount('1'.repeat(1e6), '-n')).toThrow('-n must be');
    expect(() => readRate(`${'1'.repeat(1e6)}x`, '-p')).toThrow('-p must be');
  });
});

describe('a least rate', () => {
  it('is rounded to three digits, never down', () => {
    expect([2 ** -32, 0.01, 1e-8, 0.0123001, 0.0999001, 1e-300].map(leastRate)).toEqual([
      '2.33e-10',
      '0.01',
      '1e-8',
      '0.0124',
      '0.1',
      '1e-300',
    ]);
    fc.assert(
      fc.property(fc.double({ min: 1e-50, max: 0.99, noNaN: true }), (value) => {
        const shown = Number(leastRate(value));
        expect(shown).toBeGreaterThanOrEqual(value);
        expect(shown).toBeLessThanOrEqual(1.011 * value);
        expect(Number(shown.toPrecision(3))).toBe(shown);
      }),
    );
  });
});

it.each([1, 7, 1000, 31_079, 1e6])('a refused error rate names one that is accepted, for %d keys', (capacity) => {
  const refused = classes.flatMap((Class) => {
    try {
      sizeOf(Class, { capacity, errorRate: 1e-12 });
      return [];
    } catch (error) {
      const [, least = ''] =
        /needs an --error-rate of at least ([\d.]{1,7}(?:e-\d+)?)(?:,|$)/.exec(String(error)) ?? [];
      expect(sizeOf(Class, { capacity, errorRate: readRate(least, '-p') }).byteLength).toBeGreaterThan(0);
      return [Class.kind];
    }
  });
  expect(refused).toEqual(['blocked', 'wide', 'cuckoo', 'dleft', 'rotating', 'fuse', 'sharded-fuse']);
});

describe('a rate', () => {
  it.each([
    ['0.01', 0.01],
    ['.5', 0.5],
    ['1e-6', 1e-6],
    ['1%', 0.01],
    ['0.01 %', 0.0001],
  ])('may be written %s', (text, value) => {
    expect(readRate(text, '-p')).toBe(value);
  });

  it.each(['0', '1', '100%', '-0.1', '%', '1%%', '1k'])('may not be written %s', (text) => {
    expect(() => readRate(text, '-p')).toThrow('-p must be a number between 0 and 1, such as 0.01, 1e-6 or 1%, got');
  });
});

describe('a size', () => {
  it.each([
    ['500000', 500_000],
    ['100B', 100],
    ['500k', 500_000],
    ['10M', 1e7],
    ['10MB', 1e7],
    ['1.5GB', 1.5e9],
    ['10MiB', 10 * 2 ** 20],
    ['1Gi', 2 ** 30],
  ])('may be written %s', (text, value) => {
    expect(readBytes(text, '--max-memory')).toBe(value);
  });

  it.each(['', 'M', '0', '-5M', '10X', '1MiBB'])('may not be written %j', (text) => {
    expect(() => readBytes(text, '--max-memory')).toThrow('--max-memory must be a number of bytes, such as');
  });
});

it('an integer lies in its range', () => {
  expect(readInteger('4294967295', '--seed', 0, 2 ** 32 - 1)).toBe(2 ** 32 - 1);
  expect(() => readInteger('4294967296', '--seed', 0, 2 ** 32 - 1)).toThrow('from 0 to 4294967295, got');
});

describe('the most similar word', () => {
  const words = ['capacity', 'error-rate', 'kind', 'output', 'seed'];
  it.each([
    ['capcity', 'capacity'],
    ['ouptut', 'output'],
    ['error_rate', 'error-rate'],
    ['sed', 'seed'],
    ['x', undefined],
    ['fpp', undefined],
    ['constructor', undefined],
  ])('to %s is %s', (misspelt, expected) => {
    expect(nearest(misspelt, words)).toBe(expected);
  });

  it('is found at once for a long word', () => {
    expect(nearest('capacity'.repeat(1e5), words)).toBeUndefined();
  });
});

describe('a line of an error', () => {
  it('is one line without control characters or marks that change the direction of text', () => {
    expect(oneLine('a\x1b[31m\nb\u202ec\u2066d\u2028e\x7f')).toBe('a?[31m?b?c?d?e?');
  });

  it('is cut short, at once, however long', () => {
    expect(oneLine(' '.repeat(120_000))).toHaveLength(1001);
    expect(quote('x'.repeat(500))).toHaveLength(203);
  });
});

describe('a figure', () => {
  it('has the right noun', () => {
    expect([0, 1, 1.2, 2, 1000].map((count) => plural(count, 'key'))).toEqual([
      '0 keys',
      '1 key',
      '1 key',
      '2 keys',
      '1,000 keys',
    ]);
  });

  it('has a unit', () => {
    expect([1, 66, 999, 1000, 999_500, 4_294_967_296, 1.2e15].map(byteSize)).toEqual([
      '1 byte',
      '66 bytes',
      '999 bytes',
      '1.00 kB',
      '1.00 MB',
      '4.29 GB',
      '1.20 PB',
    ]);
    expect([5, 125, 3720].map(duration)).toEqual(['5 s', '2 min 5 s', '1 h 2 min']);
  });
});

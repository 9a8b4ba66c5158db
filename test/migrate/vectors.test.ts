// Filters that the packages themselves have saved are answered for as these answer.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  fromBloomFilters,
  fromBloomfilter,
  type MigratedFilter,
  type SavedBloomfilter,
} from '../../src/entries/migrate.ts';
import { readVectors, type Vectors } from './vectors.ts';

const binary = (flags: Iterable<number>): string => [...flags].join('');

function casesOf(name: string) {
  const vectors = readVectors(name);
  return vectors.filters.map((filter, index) => ({ name, vectors, index, filter }));
}

/** Checks all answers about the strings, one by one and in a batch. */
function expectStrings(filter: MigratedFilter<string>, { strings }: Vectors, answers: string): void {
  expect(binary(strings.map((key) => Number(filter.has(key))))).toBe(answers);
  expect(binary(filter.hasMany(strings))).toBe(answers);
}

describe.each(['bloom-filters-2.0.0', 'bloom-filters-3.0.4'])('fromBloomFilters, of %s', (name) => {
  it.each(casesOf(name))('answers as $name, filter $index', ({ vectors, filter: { saved, strings, bytes } }) => {
    const filter = fromBloomFilters(saved as { type: string });
    expectStrings(filter, vectors, strings);
    const keys = vectors.bytes.map((key) => Buffer.from(key, 'hex'));
    expect(binary(filter.hasMany(keys))).toBe(bytes);
    expect(binary(keys.map((key) => Number(filter.has(new Uint8Array(key)))))).toBe(bytes);
  });
});

describe.each(['bloomfilter-0.0.21', 'bloomfilter-1.1.0'])('fromBloomfilter, of %s', (name) => {
  it.each(casesOf(name))('answers as $name, filter $index', ({ vectors, filter: { saved, hashes, strings } }) => {
    const filter =
      hashes === undefined
        ? fromBloomfilter(saved as SavedBloomfilter)
        : fromBloomfilter(saved as readonly number[], hashes);
    expectStrings(filter, vectors, strings);
  });
});

it('a filter is printed with its size and its error rate', () => {
  const shown = `bits: 32, hashes: 2, 'fillRatio()': 0.125, 'estimateErrorRate()': 0.0156`;
  const filter = fromBloomfilter([15], 2);
  expect(inspect(filter, { breakLength: Infinity })).toBe(`MigratedFilter { ${shown} }`);
  expect(inspect([[[filter]]], { depth: 2 })).toContain('[MigratedFilter]');
});

// Figures in the documents: those that the library itself can compute, and those that commands write.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawChart, sectionOf } from '../../bench/peers/publish.ts';
import { integer } from '../../bench/shared/figures.ts';
import { savedResults } from '../../bench/shared/report.ts';
import type { Report } from '../../bench/shared/results.ts';
import { Layout, partitionFor } from '../../src/redis/layout.ts';
import { readSection } from '../../tools/sections.ts';
import { DOCUMENT, savedCells, shown as shownWeight, rows as weighed, weightsOf } from '../../tools/weights.ts';
import * as api from '../shared/api.ts';
import { type KindOnEngine, kinds } from '../shared/kinds.ts';

const KEYS = 1_000_000;
const readme = readFileSync('README.md', 'utf8');
const kindsText = readFileSync('docs/kinds.md', 'utf8');

/** How many bits per key a kind takes, as the documents say it. */
function bitsOf(name: string, errorRate: number): string {
  if (name === 'BinaryFuseFilter' || name === 'ShardedFuseFilter')
    return ((api.optimalFuseCells(KEYS) * api.optimalFuseFingerprintBits(errorRate)) / KEYS).toFixed(1);
  if (name === 'FuseMap')
    return ((8 * api.FuseMap.sizeFor(KEYS, { errorRate, largest: 255 }).byteLength) / KEYS).toFixed(1);
  // Only some kinds have this option.
  const more = name === 'SpatialBloomFilter' ? { labels: 255 } : {};
  const { Filter } = kinds.find(({ className }) => className === name) as KindOnEngine;
  return ((8 * new Filter({ capacity: KEYS, errorRate, ...more }).byteLength) / KEYS).toFixed(1);
}

/** The rows of the table whose header begins with these words, as cells. */
function rowsBelow(document: string, words: string): string[][] {
  const lines = document.split('\n');
  const header = lines.findIndex((line) => line.startsWith(`| ${words} |`));
  const end = lines.findIndex((line, at) => at > header && !line.startsWith('|'));
  const rows = header < 0 ? [] : [lines[header] as string, ...lines.slice(header + 2, end)];
  return rows.map((row) => Array.from(row.split('|').slice(1, -1), (cell) => cell.trim()));
}

/** A rate such as '0.1 %' or '99 %', as a number. */
const rateOf = (text: string): number => Number(text.replace(' %', '')) / 100;

describe('the README says', () => {
  const [, ...rates] = rowsBelow(readme, 'a false positive is');
  const [multiples = [], ...overfull] = rowsBelow(readme, 'keys added');
  const needs = rowsBelow(readme, 'need');

  it.each(rates)('how large a filter is, for %s at %s', (_, errorRate = '', ...figures) => {
    const bits = api.optimalBits(KEYS, rateOf(errorRate));
    const [each, hashes] = [(bits / KEYS).toFixed(1), String(api.optimalHashes(KEYS, bits))];
    expect(figures).toEqual([each, hashes, `${(bits / 8e6).toFixed(1)} MB`]);
  });

  it.each(overfull)('how often an overfull filter errs %s', (label, ...figures) => {
    const bits = api.optimalBits(KEYS, rateOf(/[\d.]+ %$/.exec(label)?.[0] ?? ''));
    const expected = multiples
      .slice(1)
      .map((times) => api.expectedErrorRate(Number.parseFloat(times) * KEYS, bits, api.optimalHashes(KEYS, bits)));
    expect(figures).toEqual(expected.map((rate) => `${(100 * rate).toFixed(1)} %`));
  });

  it('the same of each kind as docs/kinds.md', () => {
    const facts = ([, ...rows]: string[][]): string[] =>
      rows.map(([, label, ...rest]) => [/`(\w+)`/.exec(label ?? '')?.[1], ...rest].join(' ')).sort();
    expect(facts(needs)).toEqual(facts(rowsBelow(kindsText, 'need')));
  });

  it('figures in all of these tables', () => expect([rates, overfull].map(({ length }) => length)).toEqual([3, 2]));
});

describe('docs/kinds.md says', () => {
  const [, ...rows] = rowsBelow(kindsText, 'need').filter(
    // The bits of these do not follow from an error rate.
    ([need, , bits]) => bits !== 'as the other' && need !== 'no errors',
  );
  const sections = {
    Classic: 'BloomFilter',
    Blocked: 'BlockedBloomFilter',
    Wide: 'WideBlockedBloomFilter',
    Counting: 'CountingBloomFilter',
    Cuckoo: 'CuckooFilter',
    'D-left counting': 'DLeftCountingBloomFilter',
    Growing: 'ScalableBloomFilter',
    Forgetting: 'RotatingBloomFilter',
    Spatial: 'SpatialBloomFilter',
    Stable: 'StableBloomFilter',
    Fuse: 'BinaryFuseFilter',
    'Fuse in shards': 'ShardedFuseFilter',
    Maps: 'FuseMap',
  };

  it.each(rows)('how many bits per key a kind takes: %s, %s', (_need, label, bits) => {
    expect(bits?.replace(' and up', '')).toBe(bitsOf(/^\[`(\w+)`/.exec(label)?.[1] ?? '', 0.01));
  });

  it.each(Object.entries(sections))('how many bits per key a kind takes at rarer errors: %s', (heading, name) => {
    const [, facts = ''] = new RegExp(`^## ${heading}\n\nBits per key: (.*?)\\. Least`, 'm').exec(kindsText) ?? [];
    const figures = [...facts.matchAll(/([\d.]+) at (1 %|0\.1 %|10\^−6)/g)].map(([, bits, rate]) => [rate, bits]);
    const rates = { '1 %': 0.01, '0.1 %': 0.001, '10^−6': 1e-6 };
    for (const [rate, errorRate] of Object.entries(rates)) {
      const [, bits] = figures.find(([given]) => given === rate) ?? [];
      if (bits === undefined) expect(() => bitsOf(name, errorRate)).toThrow(RangeError);
      else expect(bits).toBe(bitsOf(name, errorRate));
    }
  });

  it('figures of all kinds', () => expect(rows).toHaveLength(Object.keys(sections).length));
});

describe('docs/redis.md says', () => {
  const [, ...sizes] = rowsBelow(readFileSync('docs/redis.md', 'utf8'), 'keys');
  const counts: Record<string, number> = { '1 million': 1e6, '100 million': 1e8, '1 billion': 1e9, '10 billion': 1e10 };
  const shown = (bytes: number): string =>
    bytes < 1e9 ? `${Number((bytes / 1e6).toPrecision(bytes < 1e7 ? 2 : 3))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

  it.each(sizes)('how much memory %s keys take, and in how many strings', (keys, ...figures) => {
    const bitsAt = (errorRate: number): number => 256 * api.optimalBlocks(counts[keys] as number, errorRate);
    const bits = bitsAt(0.01);
    const { count } = new Layout('name', { bits, id: 'id', ...partitionFor(bits, 16) });
    expect(figures).toEqual([shown(bits / 8), shown(bitsAt(0.001) / 8), integer.format(count)]);
  });

  it('figures in all of this table', () => expect(sizes).toHaveLength(4));
});

it('the figures of the benchmark are the saved results: in the README and the chart those of the newest Node', () => {
  const [newest, ...others] = savedResults('peers');
  expect(readSection('README.md', 'benchmark')).toBe(sectionOf([newest as Report]));
  expect(readSection('bench/README.md', 'benchmark')).toBe(sectionOf(others));
  expect(readFileSync('docs/benchmark.svg', 'utf8')).toBe(drawChart(newest as Report));
});

/** Rounding, and versions of zlib, make the figures differ a little. */
const TOLERANCE = 0.02;

const cells = savedCells();

it(`${DOCUMENT} has a row for each entry that a page may import`, () =>
  expect(cells.map(([label]) => label)).toEqual(weighed.map(({ label }) => label)));

/** Whether a cell says what was weighed, as far as figures of this kind can. */
function isNear(cell: string | undefined, weight: number | undefined): boolean {
  return weight !== undefined && Math.abs(1000 * Number(cell) - weight) <= 50 + TOLERANCE * weight;
}

const all = weighed.map((row, i) => [row.label, row, cells[i]?.slice(1)] as const);
it.each(all)(`${DOCUMENT} says what it weighs, or npm run weights must write it: %s`, async (_, row, saved = []) => {
  const weights = await weightsOf(row);
  const expected = weights.map((weight) => (weight === undefined ? '–' : shownWeight(weight)));
  // A cell that is near is as good as the one that is expected.
  expect(saved.map((cell, i) => (isNear(cell, weights[i]) ? expected[i] : cell))).toEqual(expected);
});

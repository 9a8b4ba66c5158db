// Figures in the documents that the library itself can compute.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawChart } from '../bench/chart.ts';
import { markedSections } from '../bench/readme.ts';
import { integer } from '../bench/report.ts';
import type { Report } from '../bench/results.ts';
import { savedResults } from '../bench/save.ts';
import { CuckooFilter } from '../src/entries/cuckoo.ts';
import { fingerprintBits, fuseCells } from '../src/entries/fuse.ts';
import { RotatingBloomFilter } from '../src/entries/rotating.ts';
import { ScalableBloomFilter } from '../src/entries/scalable.ts';
import { WideBlockedBloomFilter } from '../src/entries/wide.ts';
import {
  BlockedBloomFilter,
  BloomFilter,
  CountingBloomFilter,
  expectedErrorRate,
  optimalBits,
  optimalBlocks,
  optimalHashes,
} from '../src/index.ts';
import { Layout, shapeFor } from '../src/redis/layout.ts';

const KEYS = 1_000_000;
const readme = readFileSync('README.md', 'utf8');

/** The rows of the table whose header begins with these words, as cells. */
function rowsBelow(document: string, words: string): string[][] {
  const lines = document.split('\n');
  const header = lines.findIndex((line) => line.startsWith(`| ${words} |`));
  const end = lines.findIndex((line, at) => at > header && !line.startsWith('|'));
  const rows = header < 0 ? [] : [lines[header] as string, ...lines.slice(header + 2, end)];
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** A rate such as '0.1 %' or '99 %', as a number. */
const rateOf = (text: string): number => Number(text.replace(' %', '')) / 100;

describe('the README says', () => {
  const [, ...rates] = rowsBelow(readme, 'a false positive is');
  it.each(rates.map((cells) => [cells[1], cells]))('how large a filter is at %s', (_, cells) => {
    const [, errorRate = '', ...figures] = cells;
    const bits = optimalBits(KEYS, rateOf(errorRate));
    const hashes = optimalHashes(KEYS, bits);
    expect(figures).toEqual([(bits / KEYS).toFixed(1), `${hashes}`, `${(bits / 8e6).toFixed(1)} MB`]);
  });

  const [multiples = [], ...overfull] = rowsBelow(readme, 'keys added');
  it.each(overfull)('how often an overfull filter errs %s', (label, ...figures) => {
    const bits = optimalBits(KEYS, rateOf(/[\d.]+ %$/.exec(label)?.[0] ?? ''));
    const hashes = optimalHashes(KEYS, bits);
    const expected = multiples
      .slice(1)
      .map((times) => expectedErrorRate(Number.parseFloat(times) * KEYS, bits, hashes));
    expect(figures).toEqual(expected.map((rate) => `${(100 * rate).toFixed(1)} %`));
  });

  const kinds = {
    BloomFilter,
    BlockedBloomFilter,
    WideBlockedBloomFilter,
    CountingBloomFilter,
    CuckooFilter,
    RotatingBloomFilter,
    ScalableBloomFilter,
  };
  const [, ...classes] = rowsBelow(readme, 'class');
  it.each(classes)('how many bits per key %s takes: %s', (label, bits) => {
    const name = /^`(\w+)`/.exec(label)?.[1] as keyof typeof kinds | 'BinaryFuseFilter';
    if (name === 'BinaryFuseFilter') {
      expect(((fuseCells(KEYS) * fingerprintBits(0.01)) / KEYS).toFixed(1)).toBe(bits);
      return;
    }
    const filter = new kinds[name]({ capacity: KEYS, errorRate: 0.01 });
    expect(((8 * filter.byteLength) / KEYS).toFixed(1)).toBe(bits);
  });

  it('figures: in all of these tables', () => {
    expect([rates, overfull, classes].map(({ length }) => length)).toEqual([3, 2, 8]);
  });
});

describe('docs/kinds.md says', () => {
  const [, ...classes] = rowsBelow(readFileSync('docs/kinds.md', 'utf8'), 'class');
  const kinds = {
    BloomFilter,
    BlockedBloomFilter,
    WideBlockedBloomFilter,
    CountingBloomFilter,
    CuckooFilter,
    ScalableBloomFilter,
    RotatingBloomFilter,
  };
  const bitsOf = (name: string, errorRate: number): string => {
    if (name === 'BinaryFuseFilter') return ((fuseCells(KEYS) * fingerprintBits(errorRate)) / KEYS).toFixed(1);
    const filter = new kinds[name as keyof typeof kinds]({ capacity: KEYS, errorRate });
    return ((8 * filter.byteLength) / KEYS).toFixed(1);
  };

  it.each(classes)('how many bits per key %s takes', (label, _when, ...figures) => {
    const name = /^`(\w+)`/.exec(label)?.[1] ?? '';
    for (const [i, errorRate] of [0.01, 0.001, 1e-6].entries()) {
      if (figures[i] === '–') expect(() => bitsOf(name, errorRate)).toThrow(RangeError);
      else expect(figures[i]?.replace(' and up', '')).toBe(bitsOf(name, errorRate));
    }
  });

  it('figures of all kinds', () => expect(classes).toHaveLength(8));
});

describe('docs/redis.md says', () => {
  const [, ...sizes] = rowsBelow(readFileSync('docs/redis.md', 'utf8'), 'keys');
  const capacities: Record<string, number> = {
    '1 million': 1e6,
    '100 million': 1e8,
    '1 billion': 1e9,
    '10 billion': 1e10,
  };
  const shown = (bytes: number): string =>
    bytes < 1e9 ? `${Number((bytes / 1e6).toPrecision(bytes < 1e7 ? 2 : 3))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

  it.each(sizes)('how much memory %s keys take, and in how many strings', (keys, ...figures) => {
    const bitsAt = (errorRate: number): number => 256 * optimalBlocks(capacities[keys] as number, errorRate);
    const bits = bitsAt(0.01);
    const { count } = new Layout('name', { bits, id: 'id', ...shapeFor(bits, 16) });
    expect(figures).toEqual([shown(bits / 8), shown(bitsAt(0.001) / 8), integer.format(count)]);
  });

  it('figures in all of this table', () => expect(sizes).toHaveLength(4));
});

describe('the saved results of the benchmark', () => {
  const [newest, ...others] = savedResults('peers');

  it('are those in the README, on the newest Node', () => {
    expect(readme).toContain(markedSections([newest as Report]));
  });

  it("are those in the benchmarks' README, on other versions of Node", () => {
    expect(readFileSync('bench/README.md', 'utf8')).toContain(markedSections(others));
  });

  it('are those in the chart', () => {
    expect(readFileSync('docs/benchmark.svg', 'utf8')).toBe(drawChart(newest as Report));
  });
});

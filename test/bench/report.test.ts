import { describe, expect, it, vi } from 'vitest';
import { benchmark, checkout, count, counts, flag } from '../../bench/shared/cli.ts';
import { median, ratioOf, spreadOf } from '../../bench/shared/figures.ts';
import { PlainBloomFilter, type PlainKey } from '../../bench/shared/plain.ts';
import { lossesOf, type Result } from '../../bench/shared/results.ts';
import { expectedErrorRate, optimalBits, optimalHashes } from '../../src/kinds/classic/sizing.ts';
import { lowerQuantile, upperQuantile } from '../shared/binomial.ts';
import { range } from '../shared/integers.ts';

describe('the plain filter', () => {
  /** Keys of every type that it takes. */
  const keys: [string, (i: number) => PlainKey][] = [
    ['strings', (i) => `key-${i}${String(i).length % 2 === 0 ? '' : 'x'}`],
    ['ideographs', (i) => String.fromCharCode(0x4e00 + (i & 0xff), 0x4e00 + (i >> 8))],
    ['bytes', (i) => new TextEncoder().encode(`key-${'x'.repeat(i % 8)}${i}`)],
    ['integers', (i) => i],
    ['negative integers', (i) => -i - 1],
    ['large integers', (i) => i * 2 ** 33 + 7],
  ];

  it.each(keys)('finds all keys it was given, and keeps its error rate: %s', (_, keyOf) => {
    const count = 20_000;
    const bits = optimalBits(count, 0.01);
    const filter = new PlainBloomFilter(bits, optimalHashes(count, bits));
    for (const i of range(0, count)) filter.add(keyOf(2 * i));
    expect(range(0, count).filter((i) => !filter.has(keyOf(2 * i)))).toEqual([]);
    const falsePositives = range(0, count).filter((i) => filter.has(keyOf(2 * i + 1))).length;
    const rate = expectedErrorRate(count, bits, filter.hashes);
    // Allow for two 32-bit hashes, which do a little worse than the independent hashes that theory assumes.
    expect(falsePositives).toBeLessThanOrEqual(upperQuantile(count, 1.05 * rate));
    expect(falsePositives).toBeGreaterThanOrEqual(lowerQuantile(count, 0.95 * rate));
  });
});

describe('statistics', () => {
  it('gives the middle value, or the mean of the two middle values', () => {
    expect([[30, 1, 2], [4, 1, 30, 2], [5], []].map(median)).toEqual([2, 3, 5, Number.NaN]);
  });

  it('does not reorder its argument', () => {
    const times = [3, 1, 2];
    expect([spreadOf(times), times]).toEqual([{ median: 2, lowest: 1, highest: 3 }, [3, 1, 2]]);
  });

  it('takes ratios within a round, so that a slow round cancels out, and only of as many rounds', () => {
    expect(ratioOf([10, 100, 20], [20, 200, 60])).toEqual({ median: 2, lowest: 2, highest: 3 });
    expect(() => ratioOf([1, 2], [1])).toThrow(RangeError);
  });
});

describe('losses', () => {
  const spread = { median: 1, lowest: 1, highest: 1 };
  const result = (subject: string, mode: Result['mode'], rounds: number[], ours = true, set = 'names'): Result => ({
    ...{ keys: 100, set, operation: 'hit', subject, mode, ours, rounds, nanoseconds: spread, speedup: spread },
    ...{ falsePositives: 0, expectedFalsePositives: 0, bytes: 100 },
  });
  const pairsOf = (...results: Result[]): string[] =>
    lossesOf(results).map(({ result, to, times }) => `${result.subject} ${result.mode}, ${to.subject}: ${times}`);

  it('are to other subjects that are faster in most rounds', () => {
    const ours = result('A', 'batch', [10, 30, 10]);
    expect(pairsOf(ours, result('B', 'single', [5, 10, 20], false))).toEqual(['A batch, B: 2']);
    expect(pairsOf(ours, result('B', 'single', [20, 10, 20], false))).toEqual([]);
    expect(pairsOf(ours, result('B', 'single', [1, 1, 1], false, 'cold'))).toEqual([]);
  });

  it('of a batch are also to single calls of the same filter', () => {
    const single = result('A', 'single', [5, 5, 5]);
    expect(pairsOf(result('A', 'batch', [10, 10, 10]), single)).toEqual(['A batch, A: 2']);
    expect(pairsOf(result('A', 'batch', [4, 4, 4]), single)).toEqual([]);
    expect(pairsOf(result('C', 'batch', [10, 10, 10]), single)).toEqual([]);
  });
});

describe('the command line of a benchmark', () => {
  const options = {
    DIR: checkout('a build'),
    keys: counts('how many keys', 1e8, '10,1e2'),
    rounds: count('how many rounds', 1000, '5'),
    save: flag('save'),
  };

  /** What a benchmark prints, and its exit code. */
  async function ran(...args: string[]): Promise<{ out: string; error: string; code: typeof process.exitCode }> {
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const { exitCode } = process;
    process.exitCode = undefined;
    try {
      await benchmark(options, (values) => JSON.stringify(values))(args, 'bench x', 'nothing', 'A note.');
      return { out: log.mock.calls.join('\n'), error: error.mock.calls.join('\n'), code: process.exitCode };
    } finally {
      vi.restoreAllMocks();
      process.exitCode = exitCode;
    }
  }

  it('gives what was read, or what is usual', async () => {
    const { out } = await ran('.', '--keys', '1,2e3', '--save');
    expect(JSON.parse(out)).toEqual({ DIR: process.cwd(), keys: [1, 2000], rounds: 5, save: true });
    expect(JSON.parse((await ran('.')).out)).toEqual({ DIR: process.cwd(), keys: [10, 100], rounds: 5, save: false });
  });

  it.each([
    [[], 'DIR is missing'],
    [['nowhere'], "there is no dist/index.js in 'nowhere'"],
    [['.', '..'], "'..' is one argument too many"],
    [['.', '--keys', '1,x'], "--keys must be a whole number from 1 to 100000000, got 'x'"],
    [['.', '--rounds='], "--rounds must be a whole number from 1 to 1000, got ''"],
    [['.', '--rounds=1001'], "--rounds must be a whole number from 1 to 1000, got '1001'"],
    [['.', '--keys', '10,0'], "--keys must be a whole number from 1 to 100000000, got '0'"],
    [['.', '--what'], "Unknown option '--what'"],
  ])('refuses %j', async (args, message) => {
    const { out, error, code } = await ran(...args);
    expect(error).toContain(message);
    expect(error).toContain('Usage: ');
    expect([out, code]).toEqual(['', 2]);
  });
});

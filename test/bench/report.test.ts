// What benchmarks report: statistics of rounds, what others do faster, and that only quiet runs are stored.

import { describe, expect, it } from 'vitest';
import { figuresOf, median, ratioOf, spreadOf } from '../../bench/shared/figures.ts';
import { MOST_SPREAD, requireQuiet, type Timed } from '../../bench/shared/quiet.ts';
import { savedResults, saveResults, timedIn } from '../../bench/shared/report.ts';
import { lossesOf, type Report, type Result } from '../../bench/shared/results.ts';

describe('statistics', () => {
  it('gives the middle value, or the mean of the two middle values, and does not reorder its argument', () => {
    expect([[30, 1, 2], [4, 1, 30, 2], [5], []].map(median)).toEqual([2, 3, 5, Number.NaN]);
    const times = [3, 1, 2];
    expect([spreadOf(times), times]).toEqual([{ median: 2, lowest: 1, highest: 3 }, [3, 1, 2]]);
  });

  it('takes ratios within a round, so that a slow round cancels out, and only of as many rounds', () => {
    expect(ratioOf([10, 100, 20], [20, 200, 60])).toEqual({ median: 2, lowest: 2, highest: 3 });
    expect(() => ratioOf([1, 2], [1])).toThrow(RangeError);
  });

  it('compares all contenders by their share of a round, so that a slow round cancels out', () => {
    const [one, other] = figuresOf([
      [10, 100, 10],
      [40, 400, 40],
    ]);
    expect([one, other].map((figure) => Object.values(figure ?? {}).map((time) => Number(time.toFixed(9))))).toEqual([
      [10, 10, 10],
      [40, 40, 40],
    ]);
    expect(() => figuresOf([[1, 2], [1]])).toThrow(RangeError);
  });
});

describe('losses', () => {
  const spread = { median: 1, lowest: 1, highest: 1 };
  const result = (subject: string, mode: Result['mode'], rounds: number[], ours = true, set = 'names'): Result => ({
    ...{ keys: 100, set, operation: 'hit', subject, mode, ours, rounds },
    ...{ nanoseconds: spreadOf(rounds), speedup: spread, falsePositives: 0, expectedFalsePositives: 0, bytes: 100 },
  });
  const pairsOf = (...results: Result[]): string[] =>
    lossesOf(results).map(({ result, to, times }) => `${result.subject} ${result.mode}, ${to.subject}: ${times}`);

  it('are to other subjects that take less time, on the same set', () => {
    const ours = result('A', 'batch', [20, 30, 10]);
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

describe('a run is stored', () => {
  const quiet: Timed = { name: 'quiet', rounds: [10, 11, 10, 12, 10, 11, 10] };
  const noisy: Timed = { name: 'noisy', rounds: [10, 40, 10, 41, 12, 39, 40] };
  const bound = String(MOST_SPREAD).replace('.', '\\.');

  it('only if the rounds of most rows lie close together, and else says which do not, and how far they lie apart', () => {
    requireQuiet([quiet]);
    expect(() => requireQuiet([quiet, noisy, noisy, quiet])).toThrow(
      new RegExp(
        `^Not saved: .* of 2 of 4 rows lie more than ${bound} times apart, [^]*\n- noisy: 4\\.00 times, 10–40 ns\n`,
      ),
    );
  });

  it('although a few rows lie apart, or single rounds, in which garbage may have been collected', () => {
    requireQuiet([quiet, noisy, quiet, quiet, quiet]);
    requireQuiet([{ name: 'collecting', rounds: [10, 10, 500, 11, 10, 10, 11] }]);
  });

  it('although the clock has long steps', () => {
    const rounds = [10, 20, 10, 20, 10, 20, 20];
    expect(() => requireQuiet([{ name: 'fine clock', rounds }])).toThrow('fine clock');
    requireQuiet([{ name: 'coarse clock', rounds, step: 10 }]);
  });
});

const benchmarks = ['main', 'peers'] as const;

it.each(benchmarks.flatMap(savedResults))('what is stored is quiet: $machine.node', (report) => {
  requireQuiet(timedIn(report));
});

it.each(benchmarks)('a noisy run of %s is not stored', (benchmark) => {
  const [report] = savedResults('peers');
  const results = report?.results.map((result) => ({ ...result, rounds: [10, 40, 10, 41, 12, 39, 40] })) ?? [];
  expect(() => saveResults(benchmark, { ...(report as Report), results })).toThrow('Not saved: the machine was busy.');
});

import { describe, expect, it } from 'vitest';
import { MOST_SPREAD, requireQuiet, type Timed } from '../../bench/shared/quiet.ts';
import { savedResults, saveResults, timedIn } from '../../bench/shared/report.ts';
import type { Report } from '../../bench/shared/results.ts';

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

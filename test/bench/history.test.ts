import { describe, expect, it } from 'vitest';
import { type PastRun, pastRunOf, withRun } from '../../bench/peers/history.ts';
import saved from '../../bench/results/history.json' with { type: 'json' };
import { savedResults } from '../../bench/shared/report.ts';

const history: readonly PastRun[] = saved;
const [report] = savedResults('peers') as [ReturnType<typeof savedResults>[number]];
const run = pastRunOf(report);

function runOf(changes: Partial<PastRun['machine']>): PastRun {
  return { ...run, machine: { ...run.machine, ...changes } };
}

describe('the history of saved runs', () => {
  it('has the last run of each version of Node', () => {
    for (const each of savedResults('peers')) {
      const { rows, losses, machine } = pastRunOf(each);
      const kept = history.find((past) => JSON.stringify(past.machine) === JSON.stringify(machine));
      expect(kept?.losses).toEqual(losses);
      expect(kept?.rows.map(({ label, warm }) => [label, warm])).toEqual(rows.map(({ label, warm }) => [label, warm]));
    }
  });

  it('has all that was measured with warm and with cold strings, and what loses', () => {
    expect(run.rows.length).toBeGreaterThanOrEqual(9);
    for (const { warm, cold, bitsPerKey, label } of run.rows) {
      for (const { median, lowest, highest } of [...Object.values(warm), ...Object.values(cold)]) {
        expect(lowest, label).toBeLessThanOrEqual(median);
        expect(median, label).toBeLessThanOrEqual(highest);
      }
      expect(bitsPerKey).toBeGreaterThan(5);
    }
    expect(run.losses.join()).toMatch(/takes longer than/);
  });

  it('leaves out what was measured with one kind of strings only', () => {
    const warmOnly = { ...report, results: report.results.filter(({ set }) => set === 'names') };
    expect(pastRunOf(warmOnly).rows).toEqual([]);
  });

  it('keeps the newest first, and one run for a machine, its versions and a day', () => {
    const older = runOf({ date: '2020-01-01' });
    const elsewhere = runOf({ cpu: 'Another' });
    expect(withRun([run], older)).toEqual([run, older]);
    expect(withRun([older], run)).toEqual([run, older]);
    expect(withRun([run], { ...run, rounds: 99 })).toEqual([{ ...run, rounds: 99 }]);
    expect(withRun([run], elsewhere)).toHaveLength(2);
    expect(withRun([run], runOf({ node: 'v99.0.0' }))).toHaveLength(2);
    expect(withRun([run], runOf({ bloomery: '9.0.0' }))).toHaveLength(2);
  });
});

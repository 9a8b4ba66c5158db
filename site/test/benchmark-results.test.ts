import { describe, expect, it } from 'vitest';
import type { PastRun } from '../../bench/peers/history.ts';
import saved from '../../bench/results/history.json' with { type: 'json' };
import storedResults from '../../bench/results/pages.json' with { type: 'json' };
import { browserName, engineFamily, systemName } from '../src/benchmark/browser.ts';
import { historyOf, rowsOf, runName } from '../src/benchmark/history.ts';
import { fastestFirst } from '../src/benchmark/order.ts';
import { contenderNames, type Operation, type Result } from '../src/benchmark/run.ts';
import { fromFragment, toFragment } from '../src/benchmark/share.ts';
import { nearestTo, type StoredRun, withStored } from '../src/benchmark/stored.ts';

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
const agents = {
  chrome: `${LINUX} Chrome/156.0.0.0 Safari/537.36`,
  headless: `${LINUX} HeadlessChrome/156.0.0.0 Safari/537.36`,
  edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0 Safari/537.36 Edg/155.0.0.0',
  firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0',
  safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0 Mobile Safari/537.36',
  webkit: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15',
} as const;

describe('the names of browsers and systems', () => {
  it.each([
    ['chrome', 'Chrome 156', 'Linux', 'Chrome'],
    ['headless', 'Chromium 156', 'Linux', 'Chrome'],
    ['edge', 'Edge 155', 'Windows', 'Chrome'],
    ['firefox', 'Firefox 153', 'Windows', 'Firefox'],
    ['safari', 'Safari 26.1', 'macOS', 'Safari'],
    ['iphone', 'Safari 26.1', 'iOS', 'Safari'],
    ['android', 'Chrome 155', 'Android', 'Chrome'],
    ['webkit', 'WebKit', 'Linux', 'Safari'],
  ] as const)('come from what it calls itself: %s', (agent, browser, system, family) => {
    expect(browserName(agents[agent])).toBe(browser);
    expect(systemName(agents[agent])).toBe(system);
    expect(engineFamily(agents[agent])).toBe(family);
  });
});

function resultWith(userAgent: string, date: string, cores = 8): Result {
  const lists = (): number[][] => contenderNames.map((_, i) => [10 + ((i * 5) % 7)]);
  const ofOperations = (): Record<Operation, number[][]> => ({ build: lists(), hit: lists(), miss: lists() });
  return {
    plan: { keys: 1000, rounds: 1 },
    machine: { userAgent, cores, engine: 'wasm', bloomery: '0.1.0', bloomfilter: '1.1.0', clock: 5, date },
    times: { warm: ofOperations(), cold: ofOperations() },
    falsePositives: contenderNames.map(() => 0),
  };
}

const storedWith = (userAgent: string, date: string): StoredRun => ({
  cpu: 'A processor',
  memory: 16,
  system: 'Linux x64',
  result: resultWith(userAgent, date),
});

describe('stored results of the page', () => {
  const firefox = storedWith(agents.firefox, '2026-01-02');
  const chrome = storedWith(agents.chrome, '2026-01-01');

  it('are kept with the newest first, and once a day', () => {
    const both = withStored(withStored([], chrome), firefox);
    expect(both).toEqual([firefox, chrome]);
    const again = storedWith(agents.firefox, '2026-01-02');
    expect(withStored(both, again)).toEqual([again, chrome]);
    expect(withStored(both, storedWith(agents.firefox, '2026-01-03'))).toHaveLength(3);
  });

  it('begin with one of the same family as the visitor', () => {
    expect(nearestTo(agents.edge, [firefox, chrome])).toBe(1);
    expect(nearestTo(agents.safari, [firefox, chrome])).toBe(0);
    expect(nearestTo(agents.safari, [])).toBe(-1);
  });

  it('of the project are results that the page can read, one for each engine', () => {
    const stored = storedResults as unknown as readonly StoredRun[];
    for (const { result } of stored) expect(fromFragment(toFragment(result))).toEqual(result);
    const families = stored.map(({ result }) => engineFamily(result.machine.userAgent));
    expect([...new Set(families)].sort()).toEqual(['Chrome', 'Firefox', 'Safari']);
  });
});

describe('the order of the bars', () => {
  it('has the fastest first', () => {
    const result = resultWith(agents.chrome, '');
    const order = fastestFirst(result, 'hit');
    const times = order.map((name) => result.times.warm.hit[contenderNames.indexOf(name)]?.[0] as number);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect([...order].sort()).toEqual([...contenderNames].sort());
  });
});

describe('the runs in Node on the page', () => {
  const history: readonly PastRun[] = saved;
  const run = history[0] as PastRun;

  it('have a row for each choice, the fastest first', () => {
    const rows = rowsOf(run);
    expect(rows).toHaveLength(run.rows.length);
    const times = rows.map(({ cells }) => Number.parseFloat((cells[1] as string).replaceAll(',', '')));
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(rows.some(({ ours }) => ours)).toBe(true);
  });

  it('are listed by machine, each with its versions', () => {
    const other = { ...run, machine: { ...run.machine, cpu: 'Another' } };
    const machines = historyOf([run, other, run]);
    expect(machines.map(({ runs }) => runs.length)).toEqual([2, 1]);
    expect(machines[1]?.computer).toMatch(/^Another, \d+ cores/);
    expect(machines[0]?.runs[0]).toHaveLength(5);
    expect(runName(run)).toMatch(/^bloomery \d.*, Node \d+\./);
  });
});

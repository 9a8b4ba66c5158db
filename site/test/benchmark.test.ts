import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PastRun } from '../../bench/peers/history.ts';
import saved from '../../bench/results/history.json' with { type: 'json' };
import storedResults from '../../bench/results/pages.json' with { type: 'json' };
import { fastestFirst } from '../src/benchmark/bars.ts';
import { browserName, engineFamily, systemName } from '../src/benchmark/browser.ts';
import { historyOf, rowsOf, runName } from '../src/benchmark/node-runs.ts';

import { byCase, contenderNames, type Result } from '../src/benchmark/run.ts';
import { fromFragment, toFragment } from '../src/benchmark/share.ts';
import { nearestTo, type StoredRun, withStored } from '../src/benchmark/stored.ts';

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64';
const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0';
const FIREFOX = `${WINDOWS}; rv:153.0) Gecko/20100101 Firefox/153.0`;
const EDGE = `${WINDOWS}) ${CHROMIUM} Safari/537.36 Edg/155.0.0.0`;
const SAFARI = `${MAC} Version/26.1 Safari/605.1.15`;

it.each([
  ['Chrome 156', 'Linux', 'Chrome', `${LINUX} Chrome/156.0.0.0 Safari/537.36`],
  ['Chromium 156', 'Linux', 'Chrome', `${LINUX} HeadlessChrome/156.0.0.0 Safari/537.36`],
  ['Edge 155', 'Windows', 'Chrome', EDGE],
  ['Firefox 153', 'Windows', 'Firefox', FIREFOX],
  ['Safari 26.1', 'macOS', 'Safari', SAFARI],
  ['Safari 26.1', 'iOS', 'Safari', `${IPHONE} Version/26.1 Mobile/15E148 Safari/604.1`],
  ['Chrome 155', 'Android', 'Chrome', `${ANDROID} ${CHROMIUM} Mobile Safari/537.36`],
  ['WebKit', 'Linux', 'Safari', `${LINUX} Version/60.5 Safari/605.1.15`],
])('the names of browsers and systems come from what it calls itself: %s on %s', (browser, system, family, agent) => {
  expect([browserName(agent), systemName(agent), engineFamily(agent)]).toEqual([browser, system, family]);
});

/** A result with times that follow from their places. */
function resultWith(userAgent: string, date: string, rounds = 1): Result {
  let count = 0;
  const times = (i: number): number[] => Array.from({ length: rounds }, () => 10 + ((i * 5) % 7) + count++ / 10);
  return {
    plan: { keys: 1000, rounds },
    machine: { userAgent, cores: 8, engine: 'wasm', bloomery: '0.1.0', bloomfilter: '1.1.0', clock: 5, date },
    times: byCase(() => contenderNames.map((_, i) => times(i))),
    falsePositives: contenderNames.map((_, i) => i),
  };
}

describe('the link to a result', () => {
  const good = resultWith('a browser <b>', '2026-11-22', 3);

  /** A fragment with something of the kept result replaced. */
  function changed(part: string, change: Readonly<Record<string, unknown>>): string {
    const [prefix = '', text = ''] = toFragment(good).split('.');
    const kept = JSON.parse(Buffer.from(text, 'base64url').toString());
    Object.assign(kept[part], change);
    return `${prefix}.${Buffer.from(JSON.stringify(kept)).toString('base64url')}`;
  }

  it('carries all of it, up to its limits', () => {
    for (const each of [good, resultWith('x'.repeat(500), '2026-11-22', 100)]) {
      expect(fromFragment(toFragment(each))).toEqual(each);
    }
  });

  it('is none without its mark', () => expect(fromFragment('#other=1.abc')).toBeUndefined());

  it.each([
    ['of another version', '#result=2.abc', 'another version'],
    ['that is cut', toFragment(good).slice(0, -7), 'damaged'],
    ['that is no base64', '#result=1.%%%', 'damaged'],
    ['of null', '#result=1.bnVsbA', 'missing'],
    ['without rounds', changed('plan', { rounds: undefined }), 'not whole'],
    ['with too many rounds', changed('plan', { rounds: 101 }), 'out of range'],
    ['with other rounds than it has times', changed('plan', { rounds: 4 }), 'length'],
    ['with an engine that does not exist', changed('machine', { engine: 'x' }), 'text'],
    ['with a text without end', changed('machine', { userAgent: 'x'.repeat(501) }), 'text'],
    ['with a negative time', changed('times', { 0: [1, 2, -1] }), 'out of range'],
    ['with a time that is no number', changed('times', { 0: [1, 2, '3'] }), 'out of range'],
  ])('is refused: one %s', (_, fragment, message) => {
    expect(() => fromFragment(fragment)).toThrow(message);
    expect(() => fromFragment(fragment)).toThrow(RangeError);
  });

  it('never fails in another way, whatever it has', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        try {
          fromFragment(`#result=1.${Buffer.from(json).toString('base64url')}`);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('stored results of the page', () => {
  const storedWith = (userAgent: string, date: string): StoredRun => ({
    cpu: 'A processor',
    memory: 16,
    system: 'Linux x64',
    result: resultWith(userAgent, date),
  });
  const firefox = storedWith(FIREFOX, '2026-01-02');
  const chrome = storedWith(EDGE, '2026-01-01');

  it('are kept with the newest first, and once a day', () => {
    const both = withStored(withStored([], chrome), firefox);
    expect(both).toEqual([firefox, chrome]);
    expect(withStored([firefox], chrome)).toEqual(both);
    const again = storedWith(FIREFOX, '2026-01-02');
    expect(withStored(both, again)).toEqual([again, chrome]);
    expect(withStored(both, storedWith(FIREFOX, '2026-01-03'))).toHaveLength(3);
  });

  it('begin with one of the same family as the visitor', () => {
    expect(nearestTo(EDGE, [firefox, chrome])).toBe(1);
    expect(nearestTo(SAFARI, [firefox, chrome])).toBe(0);
    expect(nearestTo(SAFARI, [])).toBe(-1);
  });

  it('of the project are results that the page can read, one for each engine', () => {
    const stored = storedResults as unknown as readonly StoredRun[];
    for (const { result } of stored) expect(fromFragment(toFragment(result))).toEqual(result);
    const families = stored.map(({ result }) => engineFamily(result.machine.userAgent));
    expect([...new Set(families)].sort()).toEqual(['Chrome', 'Firefox', 'Safari']);
  });
});

describe('what is shown of runs', () => {
  const run = (saved as readonly PastRun[])[0] as PastRun;
  const ascending = (times: readonly number[]): void =>
    expect(times).toEqual([...times].sort((one, other) => one - other));

  it('has the fastest first, in each chart', () => {
    const result = resultWith(EDGE, '');
    for (const operation of ['build', 'hit', 'miss'] as const) {
      const order = fastestFirst(result, operation);
      ascending(order.map((name) => result.times.warm[operation][contenderNames.indexOf(name)]?.[0] as number));
      expect([...order].sort()).toEqual([...contenderNames].sort());
    }
  });

  it('in Node has a row for each choice, the fastest first', () => {
    const rows = rowsOf(run);
    expect(rows).toHaveLength(run.rows.length);
    ascending(rows.map(({ cells }) => Number.parseFloat((cells[1] as string).replaceAll(',', ''))));
    expect(rows.some(({ ours }) => ours)).toBe(true);
  });

  it('in Node is listed by machine, each with its versions', () => {
    const other = { ...run, machine: { ...run.machine, cpu: 'Another' } };
    const machines = historyOf([run, other, run]);
    expect(machines.map(({ runs }) => runs.length)).toEqual([2, 1]);
    expect(machines[1]?.computer).toMatch(/^Another, \d+ cores/);
    expect(machines[0]?.runs[0]).toHaveLength(5);
    expect(runName(run)).toMatch(/^bloomery \d.*, Node \d+\./);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timedIn } from '../../bench/page.ts';
import type { PastRun } from '../../bench/peers/history.ts';
import saved from '../../bench/results/history.json' with { type: 'json' };
import storedResults from '../../bench/results/pages.json' with { type: 'json' };
import { requireQuiet } from '../../bench/shared/quiet.ts';
import { browserName, engineFamily, systemName } from '../src/benchmark/browser.ts';
import { rowsOf as nodeRowsOf, runName } from '../src/benchmark/node-runs.ts';
import { fastestFirst, lossesOf, rowsOf } from '../src/benchmark/rows.ts';
import { byCase, contenderNames, isOurs, operations, type Result, temperatures } from '../src/benchmark/run.ts';
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
    const times = byCase(() => contenderNames.map(() => [0, 0.01, 0.1]));
    expect(fromFragment(toFragment({ ...good, times }))?.times.warm.build[0]).toEqual([0.1, 0.1, 0.1]);
  });

  it.each(['', 'x'.repeat(501)])('carries a result of any browser, whatever it calls itself: %j', (agent) =>
    expect(fromFragment(toFragment(resultWith(agent, '2026-11-22')))?.machine.userAgent).toBe(agent.slice(0, 500)),
  );

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
  const machine = { cpu: 'A processor', memory: 16, system: 'Linux x64' };
  const storedWith = (agent: string, date: string): StoredRun => ({ ...machine, result: resultWith(agent, date) });
  const firefox = storedWith(FIREFOX, '2026-01-02');
  const chrome = storedWith(EDGE, '2026-01-01');
  const ofProject = storedResults as unknown as readonly StoredRun[];

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
    for (const { result } of ofProject) expect(fromFragment(toFragment(result))).toEqual(result);
    const families = ofProject.map(({ result }) => engineFamily(result.machine.userAgent));
    expect([...new Set(families)].sort()).toEqual(['Chrome', 'Firefox', 'Safari']);
  });

  it('of the project come from a quiet machine', () => {
    for (const { result } of ofProject) requireQuiet(timedIn(result));
  });
});

describe('what is shown of runs', () => {
  const run = (saved as readonly PastRun[])[0] as PastRun;
  const ascending = (times: readonly number[]): void =>
    expect(times).toEqual([...times].sort((one, other) => one - other));

  it('has the fastest first, in each chart', () => {
    const result = resultWith(EDGE, '');
    for (const operation of operations) {
      const order = fastestFirst(rowsOf(result), operation).map(({ name }) => name);
      ascending(order.map((name) => result.times.warm[operation][contenderNames.indexOf(name)]?.[0] as number));
      expect([...order].sort()).toEqual([...contenderNames].sort());
    }
  });

  it('lists a loss for each bar of others that is shorter than one of ours, and no other', () => {
    const times = fc.array(fc.integer({ min: 1, max: 1e4 }), { minLength: 5, maxLength: 5 });
    const ofCase = fc.array(times, { minLength: contenderNames.length, maxLength: contenderNames.length });
    const ofRun = fc.record({ build: ofCase, hit: ofCase, miss: ofCase });
    fc.assert(
      fc.property(fc.record({ warm: ofRun, cold: ofRun }), (all) => {
        const rows = rowsOf({ ...resultWith(EDGE, '', 5), times: all });
        const listed = lossesOf(rows).map(({ own, rival, operation, temperature, ratio }) => {
          const [slow, fast] = [own, rival].map((name) => rows.find((row) => row.name === name)?.figures[temperature]);
          expect(ratio).toBeCloseTo(Number(slow?.[operation].median) / Number(fast?.[operation].median));
          return [own, rival, operation, temperature].join();
        });
        const cases = temperatures.flatMap((heat) => operations.map((operation) => [heat, operation] as const));
        const pairs = rows.flatMap((own) => rows.map((rival) => [own, rival] as const));
        const others = pairs.filter(([own, rival]) => isOurs(own.name) && !isOurs(rival.name));
        const shorter = cases.flatMap(([heat, operation]) =>
          others
            .filter(([own, rival]) => rival.figures[heat][operation].median < own.figures[heat][operation].median)
            .map(([own, rival]) => [own.name, rival.name, operation, heat].join()),
        );
        expect(listed.sort()).toEqual(shorter.sort());
      }),
    );
  });

  it('does not change when a whole round is slow', () => {
    const quiet = resultWith(EDGE, '', 3);
    const slow = byCase((temperature, operation) =>
      quiet.times[temperature][operation].map(([first = 0, ...others]) => [5 * first, ...others]),
    );
    const orderOf = (result: Result) =>
      operations.map((each) => fastestFirst(rowsOf(result), each).map((row) => row.name));
    expect(orderOf({ ...quiet, times: slow })).toEqual(orderOf(quiet));
    const ratiosOf = (result: Result) => lossesOf(rowsOf(result)).map(({ ratio }) => ratio.toFixed(6));
    expect(ratiosOf({ ...quiet, times: slow })).toEqual(ratiosOf(quiet));
  });

  it('in Node has a row for each choice, the fastest first', () => {
    const rows = nodeRowsOf(run);
    expect(rows).toHaveLength(run.rows.length);
    ascending(rows.map(({ cells }) => Number.parseFloat((cells[1] as string).replaceAll(',', ''))));
    expect(rows.some(({ ours }) => ours)).toBe(true);
  });

  it('in Node is named by its versions and its machine', () =>
    expect(runName(run)).toMatch(/^bloomery \d.*, Node \d+\..*, \d+ cores, \d+ GiB/));
});

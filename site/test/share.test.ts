import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contenderNames, type Operation, type Result } from '../src/benchmark/run.ts';
import { fromFragment, toFragment } from '../src/benchmark/share.ts';

function resultOf(rounds: number, time: (i: number) => number): Result {
  let count = 0;
  const lists = (): number[][] => contenderNames.map(() => Array.from({ length: rounds }, () => time(count++)));
  const ofOperations = (): Record<Operation, number[][]> => ({ build: lists(), hit: lists(), miss: lists() });
  return {
    plan: { keys: 1000, rounds },
    machine: {
      userAgent: 'a browser <b>',
      cores: 2,
      engine: 'wasm',
      bloomery: '0.1.0',
      bloomfilter: '1.1.0',
      clock: 100,
      date: '2026-11-22',
    },
    times: { warm: ofOperations(), cold: ofOperations() },
    falsePositives: contenderNames.map((_, i) => i),
  };
}

const good = resultOf(3, (i) => i / 10);

/** A fragment with something of the kept result replaced. */
function changed(change: (kept: Record<string, Record<string, unknown>>) => void): string {
  const [prefix = '', text = ''] = toFragment(good).split('.');
  const kept = JSON.parse(Buffer.from(text, 'base64url').toString());
  change(kept);
  return `${prefix}.${Buffer.from(JSON.stringify(kept)).toString('base64url')}`;
}

describe('the link to a result', () => {
  it('carries all of it', () => {
    expect(fromFragment(toFragment(good))).toEqual(good);
  });

  it.each([
    ['of another version', '#result=2.abc', 'another version'],
    ['that is cut', toFragment(good).slice(0, -7), 'damaged'],
    ['that is no base64', '#result=1.%%%', 'damaged'],
    ['of null', '#result=1.bnVsbA', 'missing'],
    ['without rounds', changed(({ plan }) => delete plan?.['rounds']), 'not whole'],
    ['with too many rounds', changed(({ plan }) => Object.assign(plan ?? {}, { rounds: 101 })), 'out of range'],
    ['with other rounds than it has times', changed(({ plan }) => Object.assign(plan ?? {}, { rounds: 4 })), 'length'],
    [
      'with an engine that does not exist',
      changed(({ machine }) => Object.assign(machine ?? {}, { engine: 'x' })),
      'text',
    ],
    [
      'with a text without end',
      changed(({ machine }) => Object.assign(machine ?? {}, { userAgent: 'x'.repeat(501) })),
      'text',
    ],
    ['with a negative time', changed(({ times }) => Object.assign(times ?? {}, { 0: [1, 2, -1] })), 'out of range'],
    [
      'with a time that is no number',
      changed(({ times }) => Object.assign(times ?? {}, { 0: [1, 2, '3'] })),
      'out of range',
    ],
  ])('is refused: one %s', (_, fragment, message) => {
    expect(() => fromFragment(fragment)).toThrow(message);
    expect(() => fromFragment(fragment)).toThrow(RangeError);
  });

  it('never fails in another way, whatever it has', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const fragment = `#result=1.${Buffer.from(json).toString('base64url')}`;
        try {
          fromFragment(fragment);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as js from '../../../src/entries/js.ts';
import { RotatingBloomFilter } from '../../../src/entries/rotating.ts';
import * as wasm from '../../../src/index.ts';
import {
  appendEvent,
  describeRotation,
  type Event,
  eventsIn,
  eventsText,
  LANES,
  Rotation,
  SHOWN,
  WINDOW_SECONDS,
} from '../../src/how/models/rotation.ts';
import { nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const event: fc.Arbitrary<Event> = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant('burst' as const));

describe('a rotating filter as time passes', () => {
  it('remembers the keys of its window, and forgets older ones', async () => {
    const rotation = await Rotation.create(engine, [100]);
    expect(rotation.seconds).toBe(100);
    expect(rotation.count).toBe(100);
    const { seen } = rotation;
    expect(seen).toHaveLength(SHOWN);
    expect(seen.at(-1)).toEqual({ name: nameAt(99), age: 0, isFound: true });
    for (const { age, isFound } of seen) {
      if (age < WINDOW_SECONDS) expect(isFound).toBe(true);
      if (age > (WINDOW_SECONDS * LANES) / (LANES - 1) + 1) expect(isFound).toBe(false);
    }
    expect(seen.some(({ isFound }) => !isFound)).toBe(true);
    expect(rotation.earlyRotations).toBe(0);
  });

  it('is that of the library, with the same clock', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        const rotation = await Rotation.create(engine, events);
        let now = 0;
        let count = 0;
        const filter = new RotatingBloomFilter({ capacity: 30, window: 30_000, lanes: 4, clock: () => now });
        for (const each of events) {
          for (let i = 0; i < (each === 'burst' ? 10 : each); i++) {
            if (each !== 'burst') now += 1000;
            filter.add(nameAt(count++));
          }
        }
        for (const { name, isFound } of rotation.seen) expect(isFound).toBe(filter.has(name));
        expect([rotation.rotations, rotation.earlyRotations]).toEqual([filter.rotations, filter.earlyRotations]);
        const { lanes } = rotation;
        expect(lanes.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
        expect(lanes[filter.rotations % LANES]?.isCurrent).toBe(true);
        const set = lanes.flatMap(({ bits }) => bits).filter((bit) => bit === 1).length;
        expect(set / filter.bits).toBe(filter.fillRatio());
      }),
      { seed: 37, numRuns: 25 },
    );
  });

  it('says when a lane was cleared, and when that was early', async () => {
    const rotation = await Rotation.create(engine, [9]);
    const say = (each: Event): string => {
      const { rotations, earlyRotations } = rotation;
      rotation.pass(each);
      return describeRotation(rotation, each, { rotations, earlyRotations });
    };
    expect(say(1)).toBe('1 second passed, with a key in each. Of the last 10 keys, 10 are remembered.');
    expect(say(1)).toMatch(
      /^1 second .* The oldest lane was cleared, and took the next keys\. Of the last 11 keys, 11 /,
    );
    expect(say(30)).toMatch(/^30 seconds .* 3 lanes were cleared, .* Of the last 41 keys, \d+ are remembered\.$/);
    expect(say('burst')).toMatch(/^10 keys came at once\. .* That was before its time: the lane in use was full\. /);
  });

  it('is the same on both engines', async () => {
    const events: Event[] = [25, 'burst', 3];
    const [one, other] = [await Rotation.create(engine, events), await Rotation.create(js, events)];
    expect([other.lanes, other.seen]).toEqual([one.lanes, one.seen]);
  });

  it('has a state that comes back, within limits', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (all) => {
        const events = all.reduce<Event[]>(appendEvent, []);
        expect(eventsIn(eventsText(events) as string)).toEqual(events);
      }),
    );
    expect(eventsText(Array.from({ length: 61 }, () => 'burst' as const))).toBeUndefined();
    expect(eventsText([601])).toBeUndefined();
    expect(eventsIn('0.-1.1e9.601.x..b.3.4')).toEqual(['burst', 7]);
    expect(eventsIn('b.'.repeat(1000))).toHaveLength(60);
  });
});

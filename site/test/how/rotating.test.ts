import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as js from '../../../src/entries/js.ts';
import { RotatingBloomFilter } from '../../../src/entries/rotating.ts';
import * as wasm from '../../../src/index.ts';
import { appendEvent, type Event, eventsIn, eventsText, LANES, Rotation } from '../../src/how/models/rotation.ts';
import { nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const event: fc.Arbitrary<Event> = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant('burst' as const));

describe('a rotating filter as time passes', () => {
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

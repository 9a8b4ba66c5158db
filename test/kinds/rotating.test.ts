// What only the rotating filter has: it forgets, by number and by time.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { u64 } from '../format/refusal.ts';
import { bodyOf, forge } from '../format/saved.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { Rotating, stepsWith, takeStep } from '../shared/oracle-layers.ts';
import { randomFrom } from '../shared/random.ts';

/** The state that a file has. */
function stateOf(filter: RotatingBloomFilter) {
  const view = new DataView(filter.toBytes().buffer);
  const integer = (at: number): number => Number(view.getBigUint64(at, true));
  return {
    current: view.getUint32(68, true),
    quota: integer(72),
    count: integer(80),
    rotations: integer(88),
    begun: view.getFloat64(104, true),
    body: bodyOf(filter),
  };
}

/** A time, exactly, in units of the smallest number that is not 0. */
function exactly(time: number): bigint {
  const bits = new BigUint64Array(Float64Array.of(time).buffer)[0] as bigint;
  const exponent = bits >> 52n;
  const fraction = bits & (2n ** 52n - 1n);
  return exponent === 0n ? fraction : (fraction + 2n ** 52n) << (exponent - 1n);
}

/** The latest number that is at most `window` after `time`. */
function latestOf(time: number, window: number): number {
  const end = time + window;
  if (exactly(end) - exactly(time) <= exactly(window)) return end;
  const bits = new BigUint64Array(Float64Array.of(end).buffer);
  bits[0] = (bits[0] as bigint) - 1n;
  return new Float64Array(bits.buffer)[0] as number;
}

describe('a rotating filter', () => {
  it('does what the oracle does, whatever is called, at any time', () => {
    const key = fc.nat(60);
    const step = fc.oneof(
      stepsWith(key, 40),
      fc.record({ verb: fc.constant('refresh' as const), key }),
      fc.record({ verb: fc.constant('pass' as const), time: fc.integer({ min: -300, max: 700 }) }),
      fc.record({ verb: fc.constant('rotate' as const) }),
      fc.record({ verb: fc.constant('copy' as const), isSaved: fc.boolean() }),
    );
    const shape = fc.record({
      capacity: fc.integer({ min: 1, max: 30 }),
      errorRate: fc.constantFrom(0.3, 0.01),
      generations: fc.integer({ min: 2, max: 6 }),
      window: fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined }),
      seed: fc.nat(9),
    });
    const property = fc.property(shape, fc.array(step, { maxLength: 40 }), (options, steps) => {
      let now = 1000;
      const clock = (): number => now;
      let filter = new RotatingBloomFilter({ ...options, clock });
      const blocks = filter.cellCount / 256 / options.generations;
      const quota = Math.ceil(options.capacity / (options.generations - 1));
      const { generations, seed, window = 0 } = options;
      const oracle = new Rotating({ generations, blocks, quota, seed, window, now });
      for (const each of steps) {
        oracle.now = now;
        if (each.verb === 'refresh') {
          expect(filter.refresh(each.key)).toBe(oracle.refresh(each.key));
        } else if (each.verb === 'pass') {
          now = Math.max(0, now + each.time);
        } else if (each.verb === 'rotate') {
          filter.rotate();
          oracle.rotate();
        } else if (each.verb === 'copy') {
          filter = each.isSaved ? RotatingBloomFilter.fromBytes(filter.toBytes()) : filter.clone();
          filter.clock = clock;
          oracle.early = 0;
        } else {
          takeStep(filter, oracle, each);
        }
        // An empty batch reads no clock in the oracle.
        oracle.now = now;
        oracle.has(0);
        filter.has(0);
        const { current, count, rotations, begun } = oracle;
        const { begun: rounded, ...state } = stateOf(filter);
        expect(state).toEqual({ current, quota, count, rotations, body: oracle.bytes() });
        expect(rounded).toBeCloseTo(begun, 9);
        if (window % (generations - 1) === 0) expect(rounded).toBe(begun);
        expect(filter.earlyRotations).toBe(oracle.early);
      }
    });
    fc.assert(property, { seed: 1, numRuns: 150 });
  });

  it('finds a key at exactly the end of its window, whatever the clock, and does not turn twice at one time', () => {
    const windows = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1e9 }));
    const starts = fc.oneof(
      fc.integer({ min: 1_700_000_000_000, max: 1_700_000_001_000 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 1e12, max: 2e12, noNaN: true }),
    );
    // Of a window; 0 is a second operation at one time.
    const waits = fc.array(fc.constantFrom(0, 1 / 16, 0.1, 0.25, 0.4), { minLength: 5, maxLength: 40 });
    const given = [windows, starts, fc.integer({ min: 2, max: 16 }), waits, fc.boolean()] as const;
    const property = fc.property(...given, (window, start, generations, steps, isWhole) => {
      let now = start;
      const clock = (): number => now;
      const filter = new RotatingBloomFilter({ capacity: 1000, generations, window, errorRate: 0.0002, clock });
      const added: { key: number; time: number }[] = [];
      const ends: number[] = [];
      const use = (time: number): void => {
        now = time;
        for (const { key, time: then } of added) {
          if (exactly(now) - exactly(then) <= exactly(window)) expect(filter.has(key)).toBe(true);
        }
        filter.has(-1);
        const { rotations } = filter;
        filter.add(-1);
        expect(filter.rotations).toBe(rotations);
      };
      for (const step of steps) {
        const next = now + (isWhole ? Math.ceil(step * window) : step * window);
        // Look at the ends of all windows on the way.
        while ((ends[0] ?? Infinity) <= next) use(ends.shift() as number);
        use(next);
        filter.add(added.length);
        added.push({ key: added.length, time: now });
        const end = latestOf(now, window);
        if (end > now) ends.push(end);
      }
      for (const end of ends) use(end);
      expect(filter.earlyRotations).toBe(0);
    });
    fc.assert(property, { seed: 4, numRuns: 120 });
  });

  it('flags a key of the generation that is cleared for it as found, in a batch as by itself', () => {
    const random = randomFrom(7);
    for (const capacity of [1, 3, 100]) {
      const options = { capacity, generations: 3 };
      const [one, many] = [new RotatingBloomFilter(options), new RotatingBloomFilter(options)];
      const keys = range(0, CHUNK_KEYS + 100).map(() => random(3 * capacity + 2));
      const flags = new Uint8Array(keys.length);
      many.addMany(keys, flags);
      expect(flags).toEqual(Uint8Array.from(keys, (key) => Number(one.add(key))));
      expect(many.rotations).toBe(one.rotations);
    }
  });

  it('counts no more rotations than a file can hold', () => {
    const file = forge(new RotatingBloomFilter({ capacity: 9 }).toBytes(), u64(88, 2n ** 53n - 1n));
    const filter = RotatingBloomFilter.fromBytes(file);
    filter.rotate();
    expect(filter.rotations).toBe(Number.MAX_SAFE_INTEGER);
    expect(RotatingBloomFilter.fromBytes(filter.toBytes()).equals(filter)).toBe(true);
  });

  it('reads the clock once for each call, before it reads keys', () => {
    const calls: string[] = [];
    const clock = (): number => calls.push('clock');
    const filter = new RotatingBloomFilter({ capacity: 100, window: 1e6, clock });
    const keys = function* () {
      calls.push('keys');
      yield* range(0, 2 * CHUNK_KEYS);
    };
    calls.length = 0;
    filter.addMany(keys());
    filter.pick(keys());
    filter.hasMany([1, 2]);
    filter.has(1);
    filter.rotate();
    filter.estimateCount();
    expect(calls.join(' ')).toBe('clock keys clock keys clock clock clock clock');
    expect(new RotatingBloomFilter({ capacity: 100, clock }).addMany(keys()).clock).toBe(clock);
    expect(calls.at(-1)).toBe('keys');
    // The window of the key ends between the two looks at the clock.
    const times = [0, 0, 20, 21];
    const late = new RotatingBloomFilter({ capacity: 9, window: 10, generations: 2, clock: () => times.shift() ?? 21 });
    late.add('a');
    expect([late.refresh('a'), late.has('a')]).toEqual([true, true]);
  });

  it('uses the system clock unless another is given, also when it is loaded', () => {
    const before = Date.now();
    const filter = new RotatingBloomFilter({ capacity: 100, window: 3_600_000 });
    for (const time of [stateOf(filter).begun, filter.clock()]) expect(time).toBeGreaterThanOrEqual(before);
    filter.add('a');
    const loaded = RotatingBloomFilter.fromBytes(filter.toBytes());
    expect(loaded.has('a')).toBe(true);
    loaded.clock = () => before + 3_600_000 * 2;
    expect([loaded.has('a'), filter.has('a')]).toEqual([false, true]);
  });

  it('refuses clocks that are none, and what is no time, and does not change', () => {
    const filter = new RotatingBloomFilter({ capacity: 9, window: 5, clock: () => 0 }).addMany(['a']);
    const saved = filter.toBytes();
    const use = (clock: unknown) => () => {
      filter.clock = clock as () => number;
    };
    for (const clock of [null, 5, {}] as never[]) {
      for (const call of [() => new RotatingBloomFilter({ capacity: 1, clock }), use(clock)]) {
        expect(call).toThrow(/^clock must be a function/);
        expect(call).toThrow(TypeError);
      }
    }
    const uses = [() => filter.add('b'), () => filter.hasMany(['a']), () => filter.rotate(), () => filter.clear()];
    for (const time of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n, undefined]) {
      use(() => time)();
      const { clock } = filter;
      expect(() => new RotatingBloomFilter({ capacity: 1, window: 5, clock })).toThrow(/^clock\(\) must be a time/);
      for (const each of uses) expect(each).toThrow(RangeError);
    }
    use(() => expect.unreachable('no time'))();
    for (const each of uses) expect(each).toThrow('no time');
    // Printing does not ask it, and changes nothing.
    expect(inspect(filter)).toContain('rotations: 0');
    filter.clock = () => 1000;
    inspect(filter);
    expect(filter.toBytes()).toEqual(saved);
    expect(filter.estimateCount()).toBe(0);
  });

  it('has a clock that may use the filter, or dispose of it', () => {
    let isInside = false;
    const filter = new RotatingBloomFilter({ capacity: 100, window: 1000, clock: () => 0 });
    filter.clock = () => {
      if (!isInside) {
        isInside = true;
        filter.addMany(range(0, 10));
        isInside = false;
      }
      return 0;
    };
    expect(filter.add('a')).toBe(true);
    expect(filter.pick(['a', 0, 9, 10])).toEqual(['a', 0, 9]);
    filter.clock = () => {
      filter.dispose();
      return 0;
    };
    for (const use of [() => filter.add('b'), () => filter.hasMany(['a'])]) expect(use).toThrow(/after dispose/);
  });

  it('is made from keys with its own options, differs by its generations, and is cleared at the time of its clock', () => {
    const made = RotatingBloomFilter.from(range(0, 100), { generations: 3 });
    expect(made).toMatchObject({ capacity: 100, generations: 3 });
    const inherited = Object.create({ generations: 7 }) as { generations: number };
    expect(RotatingBloomFilter.from(range(0, 100), inherited).generations).toBe(7);
    const filter = new RotatingBloomFilter({ capacity: 100, generations: 3 });
    const turned = filter.clone();
    turned.rotate();
    for (const other of [turned, new RotatingBloomFilter({ capacity: 100, generations: 4 })]) {
      expect(other.equals(filter)).toBe(false);
    }
    let now = 5;
    const timed = new RotatingBloomFilter({ capacity: 3, window: 10, clock: () => now }).addMany(range(0, 9));
    expect(timed.earlyRotations).toBeGreaterThan(0);
    now = 7;
    timed.clear();
    expect([timed.earlyRotations, stateOf(timed).begun, timed.clone().clock()]).toEqual([0, 7, 7]);
  });

  it('estimates from each generation', () => {
    const filter = new RotatingBloomFilter({ capacity: 90_000 }).addMany(integersFrom(0, 120_000));
    expect(filter.estimateCount() / 120_000).toBeCloseTo(1, 2);
    expect(filter.estimateErrorRate()).toBeCloseTo(0.01, 3);
    expect(filter.fillRatio()).toBeGreaterThan(0.2);
    filter[CELLS].region.bytes.fill(255);
    expect(filter.estimateErrorRate()).toBe(1);
  });
});

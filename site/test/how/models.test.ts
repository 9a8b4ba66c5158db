// What the pictures of the walk compute, against the library and the specification.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import * as js from '../../../src/entries/js/index.ts';
import { RotatingBloomFilter } from '../../../src/entries/rotating.ts';
import * as wasm from '../../../src/index.ts';
import { blockedBitsOf, bytesOf, classicBytes, hashOf, indicesOf } from '../../../test/shared/oracle.ts';
import * as attack from '../../src/how/models/attack.ts';
import { CacheLines, describeLines, MOST_KEYS } from '../../src/how/models/cache-lines.ts';
import { KEYS, LAST_FIRST, Peeling } from '../../src/how/models/peeling.ts';
import { appendEvent, type Event, eventsIn, eventsText, GENERATIONS, Rotation } from '../../src/how/models/rotation.ts';
import { choices, countErrors, curve, describeSize, rateOf, sizeIn } from '../../src/how/models/size.ts';
import { rateDrawing } from '../../src/how/rate-plot.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const namesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => nameAt(first + i));

describe('the step about sizes', () => {
  const size = { bits: 8192, hashes: 6, keys: 1000 };

  it('counts the errors of a real filter, the same ones on both engines', () => {
    const filter = new wasm.BloomFilter({ bits: 8192, hashes: 6 }).addMany(namesFrom(0, 1000));
    const counted = countErrors(engine, size);
    expect(counted).toEqual({ wrong: filter.pick(absentNames).length, asked: 10_000, fill: filter.fillRatio() });
    expect(countErrors(js, size)).toEqual(counted);
    const ratio = counted.wrong / counted.asked / rateOf(engine, size);
    expect(Math.abs(Math.log(ratio))).toBeLessThan(Math.log(1.25));
  });

  it('knows the best number of hashes', () => {
    const rates = curve(engine, size, 'hashes').map(({ y }) => y);
    expect(rates.indexOf(Math.min(...rates)) + 1).toBe(engine.optimalHashes(size.keys, size.bits));
    const said = (hashes: number) => describeSize({ ...size, hashes }, 0.01, 6, { wrong: 1, asked: 2, fill: 0.66 });
    expect(said(3)).toMatch(/: a lookup checks only 3 bits\.$/);
    expect(said(6)).toMatch(/ No other number of hashes errs less\.$/);
    expect(said(9)).toMatch(/ Fewer hashes would err less: 66 % of the bits are set, and half is best\.$/);
  });

  it.each([
    ['rare errors at the chosen point', { bits: 65_536, hashes: 16, keys: 100 }],
    ['a curve that leaves the plot', { bits: 8192, hashes: 7, keys: 1000 }],
  ])('draws the formula down to the edge of the plot, and no further: %s', (_, chosen) => {
    const rate = rateOf(engine, chosen);
    const at = { x: chosen.keys, y: rate };
    const points = curve(engine, chosen, 'keys');
    const plot = { name: 'keys', ticks: [10, 10_000], isLogarithmic: true, points, at, title: '' } as const;
    const { marks } = rateDrawing(plot, 372, 266);
    // The frame is 300 × 200 pixels, with its corner at (50, 26).
    const lowest = Math.min(-6, Math.floor(Math.log10(rate)));
    const lines = marks.filter((mark) => mark.type === 'line');
    const [line, ...others] = lines.filter(({ ink }) => ink === 'text').map((mark) => mark.points);
    expect(others).toEqual([]);
    expect(line?.[0]?.y).toBe(226);
    for (const { x, y } of line ?? []) {
      const keys = 10 ** (1 + (x - 50) / 100);
      const byFormula = chosen.hashes * Math.log10(-Math.expm1((-chosen.hashes * keys) / chosen.bits));
      expect(Math.abs((lowest * (y - 26)) / 200 - byFormula)).toBeLessThan(0.02 * Math.abs(lowest));
    }
    const place = { x: expect.closeTo(50 + 100 * Math.log10(chosen.keys / 10)), y: expect.any(Number) };
    expect(marks.find(({ type }) => type === 'dot')).toEqual(expect.objectContaining({ at: place }));
  });

  it('reads any address', () => {
    const read = (text: string) => sizeIn(new URLSearchParams(text));
    expect(read('bits=256&hashes=16&keys=10000')).toEqual({ bits: 256, hashes: 16, keys: 10_000 });
    expect(read('bits=255&hashes=17&keys=1e9')).toEqual(read(''));
    for (const name of ['bits', 'hashes', 'keys'] as const) expect(choices[name]).toContain(read('')[name]);
  });
});

describe('the step about cache lines', () => {
  const distinctLines = (bits: readonly number[]): number[] =>
    [...new Set(bits.map((bit) => Math.floor(bit / 512)))].sort((a, b) => a - b);

  it('shows those of the bits in the specification', () => {
    const lines = new CacheLines(engine);
    for (const key of ['ada', '', 'é', ...namesFrom(0, 50)]) {
      const { classic, blocked } = lines.linesOfKey(key);
      expect(classic).toEqual(distinctLines(indicesOf(key, 4096, 8, 0)));
      expect(blocked).toEqual(distinctLines(blockedBitsOf(hashOf(bytesOf(key), 0)[0], 4096 / 256)));
      expect(blocked).toHaveLength(1);
    }
  });

  it('counts them once for each key, up to its limit, and says so', () => {
    const lines = new CacheLines(engine);
    const added = lines.add(100);
    expect(added).toEqual(namesFrom(0, 100));
    const sum = added.reduce((all, key) => all + lines.linesOfKey(key).classic.length, 0);
    expect(lines.read).toEqual({ classic: sum, blocked: 100 });
    const rates = { classic: wasm.expectedErrorRate(100, 4096, 8), blocked: wasm.expectedBlockedErrorRate(100, 4096) };
    expect(lines.expected).toEqual({ classic: 10_000 * rates.classic, blocked: 10_000 * rates.blocked });
    expect(sum).toBeGreaterThan(400);
    expect(lines.add(MOST_KEYS)).toHaveLength(MOST_KEYS - 100);
    expect([lines.add(1), lines.keys]).toEqual([[], MOST_KEYS]);
    expect(describeLines([], lines.read, lines.wrong)).toBe('The filters have 1,000 keys: no more are added here.');
  });
});

describe('the building of a fuse filter, step by step', () => {
  it('ends with the cells of the library, whatever the keys are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: LAST_FIRST }), async (first) => {
        const peeling = await Peeling.create(engine, first);
        expect(peeling.steps).toBe(2 * KEYS);
        const values = peeling.valuesAt(peeling.steps);
        expect(values.size).toBe(KEYS);
        expect(peeling.built).toEqual(peeling.built.map((_, cell) => values.get(cell) ?? 0));
        const names = namesFrom(first * KEYS, KEYS);
        expect(peeling.homes.map(({ name }) => name)).toEqual(names);
        expect(peeling.cellCount).toBe(BinaryFuseFilter.from(names, { fingerprintBits: 8 }).cellCount);
        // A key has a cell in each of three adjacent segments.
        for (const { cells } of peeling.homes) {
          const [start = 0, ...others] = cells.map((cell) => Math.floor(cell / peeling.segmentCells));
          expect(others).toEqual([start + 1, start + 2]);
        }
      }),
      { seed: 37, numRuns: 40 },
    );
  });

  it('takes out each key once, where it is alone, and writes the last one first', async () => {
    const peeling = await Peeling.create(engine, 3);
    for (let step = 1; step <= KEYS; step++) {
      const { phase, key, cell } = peeling.frameAt(step) as NonNullable<ReturnType<Peeling['frameAt']>>;
      expect(phase).toBe('peel');
      expect(peeling.homes[key]?.cells).toContain(cell);
      expect([peeling.countsAt(step - 1)[cell], peeling.countsAt(step)[cell]]).toEqual([1, 0]);
      expect(peeling.frameAt(2 * KEYS + 1 - step)).toEqual({ phase: 'write', key, cell });
    }
    expect(new Set(peeling.takenAt(KEYS)).size).toBe(KEYS);
    expect(peeling.countsAt(0).reduce((sum, count) => sum + count)).toBe(3 * KEYS);
    expect(peeling.countsAt(KEYS).every((count) => count === 0)).toBe(true);
    expect(peeling.frameAt(0)).toBeUndefined();
    expect(peeling.describe(KEYS - 1)).toMatch(/ is taken out\. 1 key left\.$/);
    expect(peeling.describe(KEYS)).toMatch(
      / is taken out\. No key is left: now they are written, the last one first\.$/,
    );
  });

  it('answers as the library does, and says why', async () => {
    const peeling = await Peeling.create(engine, 0);
    const names = namesFrom(0, KEYS);
    const filter = BinaryFuseFilter.from(names, { fingerprintBits: 8 });
    for (const name of names) expect(peeling.lookUp(name).text).toMatch(/ is its fingerprint, .* It is\.$/);
    const wrong = filter.pick(absentNames)[0] as string;
    expect(peeling.lookUp(wrong).text).toMatch(/ = ([0-9a-f]{2}), which is its .* this is a false positive\.$/);
    for (const name of filter.omit(absentNames).slice(0, 50)) {
      const [, sum, fingerprint] = / = (..), which is not its fingerprint (..), /.exec(peeling.lookUp(name).text) ?? [];
      expect(fingerprint).toBeDefined();
      expect(sum).not.toBe(fingerprint);
    }
  });
});

describe('a rotating filter as time passes', () => {
  const event: fc.Arbitrary<Event> = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant('burst' as const));

  it('is that of the library, with the same clock', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        const rotation = await Rotation.create(engine, events);
        let now = 0;
        const keys: { name: string; at: number }[] = [];
        const filter = new RotatingBloomFilter({ capacity: 30, window: 30_000, generations: 4, clock: () => now });
        for (const each of events) {
          for (let i = 0; i < (each === 'burst' ? 10 : each); i++) {
            if (each !== 'burst') now += 1000;
            keys.push({ name: nameAt(keys.length), at: now });
            filter.add(nameAt(keys.length - 1));
          }
        }
        const seen = keys.map(({ name, at }) => ({ name, age: (now - at) / 1000, isFound: filter.has(name) }));
        expect(rotation.seen).toEqual(seen.slice(-48));
        expect([rotation.rotations, rotation.earlyRotations]).toEqual([filter.rotations, filter.earlyRotations]);
        const { generations } = rotation;
        expect(generations.filter(({ isCurrent }) => isCurrent)).toEqual([generations[filter.rotations % GENERATIONS]]);
        const set = generations.flatMap(({ bits }) => bits).filter((bit) => bit === 1).length;
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
    const bursts = Array.from({ length: 61 }, (): Event => 'burst');
    expect([eventsText(bursts), eventsText([601])]).toEqual([undefined, undefined]);
    expect([eventsText(bursts.slice(1)), eventsText([600])]).not.toContain(undefined);
    expect(eventsIn('0.-1.1e9.601.x..b.3.4')).toEqual(['burst', 7]);
    expect(eventsIn('600')).toEqual([600]);
    expect(eventsIn('b.'.repeat(1000))).toHaveLength(60);
  });
});

describe('the step about strangers', () => {
  const secret = Uint8Array.from({ length: 16 }, (_, i) => 16 - i);
  const honest = namesFrom(0, 60);
  const create = (): Promise<attack.Target> => attack.Target.create(engine, secret);
  const setIn = (bits: readonly number[]): number[] => bits.flatMap((bit, at) => (bit === 1 ? [at] : []));

  it('begins with the same ordinary keys in both filters', async () => {
    const target = await create();
    const { open, keyed } = target.bits;
    const bytes = classicBytes(honest, 1024, 7, 0);
    expect(open).toEqual(open.map((_, at) => ((bytes[at >> 3] as number) >> (at & 7)) & 1));
    expect(keyed).not.toEqual(open);
    expect([target.keys, target.expected]).toEqual([60, 10_000 * wasm.expectedErrorRate(60, 1024, 7)]);
    expect(target.ask(honest)).toEqual({ open: 60, keyed: 60 });
  });

  it('forges keys that nobody added, which only the open filter lets through', async () => {
    const target = await create();
    const forged = target.forge();
    expect(forged.keys).toHaveLength(50);
    expect(nameAt(100_000 + forged.tried - 1)).toBe(forged.keys.at(-1));
    const set = setIn(target.bits.open);
    for (const key of forged.keys) {
      expect(honest).not.toContain(key);
      expect(set).toEqual(expect.arrayContaining(indicesOf(key, 1024, 7, 0)));
    }
    const asked = target.ask(forged.keys);
    expect(asked.open).toBe(50);
    expect(asked.keyed).toBeLessThan(5);
    expect(attack.describeAsked(forged, asked)).toMatch(/ lets 50 of 50 through, the keyed one \d\.$/);
    expect(attack.describeAsked({ keys: [], tried: 9 }, asked)).toMatch(/^None of 9 names /);
  });

  it('chooses keys all of whose bits were 0 in the open filter', async () => {
    const target = await create();
    const [before, fill] = [setIn(target.bits.open).length, target.fill];
    expect(target.act('c')).toBe(20);
    expect(setIn(target.bits.open)).toHaveLength(before + 140);
    expect(target.fill.keyed - fill.keyed).toBeLessThan(140 / 1024);
    target.act('c');
    expect(target.wrong.open).toBeGreaterThan(2 * target.expected);
    expect(Math.abs(Math.log2(target.wrong.keyed / target.expected))).toBeLessThan(1);
    expect(attack.describeAdded('c', 20, target.fill, target.wrong)).toMatch(
      /^Added 20 keys, each chosen so .* Now 60\.6 % of the bits are set in the open filter and 48.4 % in the /,
    );
  });

  it('says so when no more keys can be chosen', async () => {
    const target = await create();
    const added = Array.from({ length: attack.MOST_ACTIONS }, () => target.act('c'));
    expect(added.at(-1)).toBe(0);
    expect(attack.describeAdded('c', 0, target.fill, target.wrong)).toMatch(/^No more keys can be chosen/);
    expect(absentNames).not.toContain(target.forge().keys[0]);
  });

  it('has another secret each time', async () => {
    const [one, other] = [await attack.Target.create(engine), await attack.Target.create(engine)];
    expect(other.bits.open).toEqual(one.bits.open);
    expect(other.bits.keyed).not.toEqual(one.bits.keyed);
  });

  it('reads any address', () => {
    expect(attack.actionsIn(null)).toEqual([]);
    expect(attack.actionsIn('ocxé1c')).toEqual(['o', 'c', 'c']);
    expect(attack.actionsIn('o'.repeat(1e5))).toHaveLength(attack.MOST_ACTIONS);
  });
});

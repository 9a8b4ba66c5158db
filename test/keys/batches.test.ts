// A batch gives what single calls give: any keys in any mixture, in arrays of any length, cut anywhere.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as js from '../../src/entries/js/index.ts';
import { keyed } from '../../src/entries/keyed.ts';
import { SharedBloomFilter } from '../../src/entries/shared.ts';
import { union } from '../../src/entries/views.ts';
import { FEW, FEW_IF_LARGE, FEW_QUICK } from '../../src/filters/batch.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { BloomFilter, CountingBloomFilter, type Key } from '../../src/index.ts';
import { CHUNK_BYTES, CHUNK_UNITS } from '../../src/kernel/scratch.ts';
import { KEYS_AHEAD, LEAST_AHEAD } from '../../src/keys/iterables.ts';
import { LONG } from '../../src/keys/runs.ts';
import * as api from '../shared/api.ts';
import { range } from '../shared/integers.ts';
import { SECRET } from '../shared/secret.ts';

const lengths = [0, 1, 12, 13, 31, 32, 33, LONG - 1, LONG, LONG + 1];
const strings = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .record({ unit: fc.constantFrom('a', 'é', 'я', '漢', '😀', '\ud800'), length: fc.constantFrom(...lengths) })
    .map(({ unit, length }) => unit.repeat(length)),
);
const longStrings = fc
  .record({ unit: fc.constantFrom('b', '漢', '\udc00'), length: fc.constantFrom(CHUNK_UNITS, CHUNK_UNITS + 1) })
  .map(({ unit, length }) => unit.repeat(length));
const bigints = fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n);
const integers = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -0, 2 ** 31, 2 ** 32, -(2 ** 53) + 1), bigints);
const longBytes = fc.constantFrom(CHUNK_BYTES, CHUNK_BYTES + 1).map((length) => new Uint8Array(length).fill(7));
const bytes = fc.oneof(fc.uint8Array({ maxLength: 40 }), longBytes);
const anyKey: fc.Arbitrary<Key> = fc.oneof(
  { weight: 20, arbitrary: strings },
  { weight: 8, arbitrary: integers },
  { weight: 8, arbitrary: bytes },
  { weight: 1, arbitrary: longStrings },
);
/** Of one type, or of any, as many as a threshold. */
const fews = [FEW_QUICK, FEW].flatMap((few) => [few, few + 1]);
const thresholds = [0, 1, 2, 3, FEW_IF_LARGE + 1, LEAST_AHEAD + 1, ...fews, FEW - 1, KEYS_AHEAD + 1];
const keyLists = fc.constantFrom(...thresholds).chain((length) =>
  fc.oneof(
    ...[anyKey, strings, integers, fc.uint8Array({ maxLength: 20 })].map((key) =>
      // Few different ones, so that some come several times.
      fc
        .array(key as fc.Arbitrary<Key>, { minLength: 1, maxLength: 40 })
        .map((some) => range(0, length).map((i) => some[(i * i) % some.length] as Key)),
    ),
  ),
);

const options = { capacity: 500, errorRate: 0.3 };
const classes = [
  { name: 'BloomFilter', Filter: BloomFilter, options },
  { name: 'CountingBloomFilter', Filter: api.CountingBloomFilter, options },
  { name: 'BloomFilter, JS engine', Filter: js.BloomFilter, options },
  { name: 'BloomFilter under a secret', Filter: keyed(BloomFilter, SECRET), options },
  { name: 'RotatingBloomFilter', Filter: api.RotatingBloomFilter, options },
  // Their memory grows as keys are added.
  { name: 'ScalableBloomFilter', Filter: api.ScalableBloomFilter, options: { capacity: 10, errorRate: 0.3 } },
  { name: 'FingerprintSet', Filter: api.FingerprintSet, options: {} },
] as const;

describe.each(classes)('batches of a $name', ({ Filter, options }) => {
  const make = (): BloomFilter => new (Filter as object as typeof BloomFilter)(options as never);

  it('give what single calls give, wherever they are cut', () => {
    const property = fc.property(keyLists, keyLists, fc.nat(), (keys, others, at) => {
      const cut = at % (keys.length + 1);
      const parts = [keys.slice(0, cut), keys.slice(cut)];
      using singly = make();
      using added = make();
      using deduped = make();
      using flagged = make();
      const absent = keys.map((key) => singly.add(key));
      const out = new Uint8Array(keys.length + others.length + 1);
      for (const part of parts) added.addMany(part);
      for (const [i, part] of parts.entries()) {
        flagged.addMany(part, i > 0 ? out.fill(7) : out.subarray(0, part.length));
        expect([...out.subarray(0, part.length)]).toEqual(absent.slice(i * cut, i * cut + part.length).map(Number));
      }
      expect([...out.subarray(parts[1]?.length)].every((flag) => flag === 7)).toBe(true);
      expect(flagged.toBytes()).toEqual(singly.toBytes());
      expect(parts.flatMap((part) => deduped.dedupe(part))).toEqual(keys.filter((_, i) => absent[i]));
      expect(added.toBytes()).toEqual(singly.toBytes());
      const asked = [...others, ...keys];
      const flags = asked.map((key) => Number(singly.has(key)));
      for (const size of [1, ...fews, asked.length + 1]) {
        const groups = range(0, Math.ceil(asked.length / size)).map((i) => asked.slice(i * size, (i + 1) * size));
        expect(groups.flatMap((group) => [...added.hasMany(group)])).toEqual(flags);
        expect(groups.flatMap((group) => [...added.hasMany(group, out)])).toEqual(flags);
        expect(groups.flatMap((group) => added.pick(group))).toEqual(asked.filter((_, i) => flags[i]));
        expect(groups.flatMap((group) => added.omit(group))).toEqual(asked.filter((_, i) => !flags[i]));
      }
    });
    fc.assert(property, { numRuns: 60 });
  });
});

it('a batch begins once, however few its keys', () => {
  let readings = 0;
  const clock = (): number => readings++;
  const timed = new api.RotatingBloomFilter({ capacity: 500, window: 1e9, clock });
  const shared = new SharedBloomFilter({ capacity: 500 });
  const single = vi.spyOn(shared[CELLS], 'hasKey');
  for (const filter of [timed, new api.TombstoneFilter(timed), union(shared, timed)]) {
    readings = 0;
    expect([...filter.hasMany(['a', 'b', 'c'])]).toEqual([0, 0, 0]);
    expect(readings).toBe(1);
  }
  expect([...shared.hasMany(['a', 'b', 'c'])]).toEqual([0, 0, 0]);
  expect(single).not.toHaveBeenCalled();
});

it.each([FEW_QUICK, FEW])('%i mixed keys whose flags go to `out` give those before an error', (count) => {
  const keys: Key[] = range(0, count).map((i) => (i % 2 ? i : `name ${i}`));
  const filter = new BloomFilter({ capacity: 500, errorRate: 1e-9 });
  const out = new Uint8Array(count + 1).fill(7);
  const at = count - 2;
  expect(() => filter.addMany(keys.with(at, null as never), out)).toThrow(`keys[${at}] must be`);
  expect(out.subarray(0, at)).toEqual(new Uint8Array(at).fill(1));
  expect(filter.pick(keys)).toEqual(keys.slice(0, at));
  expect(filter.hasMany(keys, out)).toEqual(new Uint8Array(count).fill(1, 0, at));
});

it('few keys are read once each, of a filter that was not disposed of', () => {
  const filter = new BloomFilter({ capacity: 500, errorRate: 0.01 });
  const reads: number[] = [];
  const read = (at: number, value: unknown): object => ({
    enumerable: true,
    get() {
      reads.push(at);
      // Uses the memory in which keys are hashed.
      filter.add(`meanwhile ${at}`);
      return value;
    },
  });
  for (const wrong of [1.5, undefined, null, {}]) {
    const getters = { 1: read(1, 'x'), 3: read(3, wrong), 4: read(4, 'z') } as object as PropertyDescriptorMap;
    const keys = Object.defineProperties(['a', 'b', 'c', 'd', 'e'], getters);
    reads.length = 0;
    expect(() => filter.dedupe(keys)).toThrow(/^keys\[3\] must be a/);
    expect(reads).toEqual([1, 3]);
    expect([...filter.hasMany(['a', 'x', 'c', 'meanwhile 1', 'd', 'e', 'z'])]).toEqual([1, 1, 1, 1, 0, 0, 0]);
    filter.clear();
  }
  filter.dispose();
  reads.length = 0;
  for (const keys of [[], Object.defineProperties(['a'], { 0: read(0, 'a') })]) {
    expect(() => filter.addMany(keys)).toThrow('after dispose()');
    expect(() => filter.hasMany(keys)).toThrow('after dispose()');
    expect(() => filter.pick(keys)).toThrow('after dispose()');
    expect(() => filter.dedupe(keys)).toThrow('after dispose()');
  }
  expect(reads).toEqual([]);
});

it.each([FEW_QUICK, FEW_QUICK + 1])('of %i keys, the second may run user code', (count) => {
  const names = range(0, count + 1).map((i) => `a name that is joined ${i}`);
  const filter = new BloomFilter({ capacity: 500, errorRate: 1e-9 });
  const keysWith = (act: (keys: string[]) => unknown): string[] => {
    const keys = names.slice(0, count);
    return Object.defineProperty(keys, 1, { get: () => act(keys) ?? names[1] });
  };
  filter.addMany(keysWith((keys) => void keys.push(...names.slice(keys.length))));
  expect(filter.pick(names)).toEqual(names);
  const flags = filter.hasMany(keysWith((keys) => void keys.push(...names.slice(keys.length))));
  expect(flags).toEqual(new Uint8Array(count + 1).fill(1));
  filter.clear();
  expect(() => filter.addMany(keysWith(() => 1.5))).toThrow(/^keys\[1\] must be a safe integer/);
  expect(filter.pick(names)).toEqual(names.slice(0, 1));
  const broken = (): never => {
    throw new Error('broken');
  };
  expect(() => filter.hasMany(keysWith(broken))).toThrow('broken');
  expect(() => filter.dedupe(keysWith(broken))).toThrow('broken');
  expect(() => filter.hasMany(keysWith(() => void filter.dispose()))).toThrow('after dispose()');
});

it.each([1, FEW_QUICK, FEW, FEW + 1])('keys that user code appends to %i keys meanwhile are read too', (count) => {
  const make = (): { keys: string[]; all: string[] } => {
    const keys = range(0, count).map(String);
    const more = range(0, 50).map((i) => `more ${i}`);
    const all = [...keys, ...more];
    const get = (): string => {
      keys.push(...more.splice(0));
      return '0';
    };
    return { keys: Object.defineProperty(keys, 0, { get }), all };
  };
  const filter = new BloomFilter({ capacity: 500, errorRate: 1e-9 });
  const added = make();
  expect(filter.addMany(added.keys).hasMany(added.all)).toEqual(new Uint8Array(count + 50).fill(1));
  expect(filter.hasMany(make().keys)).toEqual(new Uint8Array(count + 50).fill(1));
  expect(filter.hasMany(make().keys, new Uint8Array(200))).toEqual(new Uint8Array(count + 50).fill(1));
  expect(() => filter.hasMany(make().keys, new Uint8Array(count))).toThrow(/^out must have a length of/);
  expect(() => filter.addMany(make().keys, new Uint8Array(count))).toThrow(/^out must have a length of/);
  expect(filter.pick(make().keys)).toEqual(added.all);
  filter.clear();
  expect(filter.dedupe(make().keys)).toEqual(added.all);
});

it('few keys may have a getter that makes the array shorter, and then throws', () => {
  const filter = new BloomFilter({ capacity: 500, errorRate: 1e-9 });
  const keys = ['a', 'b', 'c'];
  Object.defineProperty(keys, 1, {
    configurable: true,
    get() {
      keys.length = 1;
      throw new Error('from a getter');
    },
  });
  expect(() => filter.addMany(keys)).toThrow('from a getter');
  expect([...filter.hasMany(['a', 'b', 'c'])]).toEqual([1, 0, 0]);
});

it('of few keys, a getter may make the array shorter, or take the memory of `out`', () => {
  const filter = BloomFilter.from(['a', 'b'], { capacity: 500, errorRate: 1e-9 });
  const keysWith = (act: (keys: string[]) => void): string[] => {
    const keys = ['a', 'b', 'x', 'y'];
    const get = (): string => {
      act(keys);
      return 'b';
    };
    return Object.defineProperty(keys, 1, { get });
  };
  const shorten = (keys: string[]): void => void keys.splice(2);
  expect(filter.hasMany(keysWith(shorten))).toEqual(new Uint8Array([1, 1]));
  const out = new Uint8Array(5).fill(7);
  const flags = filter.hasMany(keysWith(shorten), out);
  expect([flags.buffer === out.buffer, ...flags]).toEqual([true, 1, 1]);
  const lose = ({ buffer }: Uint8Array<ArrayBuffer>): unknown => structuredClone(buffer, { transfer: [buffer] });
  for (const many of [filter.hasMany, filter.addMany] as ((keys: string[], out: Uint8Array) => unknown)[]) {
    const lost = new Uint8Array(4);
    expect(() =>
      many.call(
        filter,
        keysWith(() => lost.length > 0 && lose(lost)),
        lost,
      ),
    ).toThrow(/^out must .* detached/);
    expect(() => many.call(filter, [], lost)).toThrow(/^out must .* detached/);
    expect(() => many.call(filter, ['a'], lost)).toThrow(/^out must .* detached/);
  }
});

it('few keys are read once each, also if one has no room', () => {
  // It stores eight copies of a key.
  const filter = api.CuckooFilter.from(['a'], { capacity: 10 });
  let reads = 0;
  const get = (): string => {
    reads++;
    return 'a';
  };
  const keys = Object.defineProperty([...'aaaaaaaa'], 7, { get });
  const full = expect.objectContaining({ name: 'FilterFullError', position: 7 });
  expect(() => filter.addMany(keys)).toThrow(full);
  expect(reads).toBe(1);
  const out = new Uint8Array(9).fill(7);
  expect(() => api.CuckooFilter.from(['a'], { capacity: 10 }).addMany(keys, out)).toThrow(full);
  expect([...out]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 7]);
});

it('few keys that were done before one that could not be done by itself are kept', () => {
  const filter = new CountingBloomFilter({ capacity: 500, errorRate: 1e-9 });
  const cells = filter[CELLS];
  const { addKey } = cells;
  let refusals = 1;
  cells.addKey = (key) => {
    if (key === 'b' && refusals-- > 0) throw new Error('no memory now');
    return addKey.call(cells, key);
  };
  expect(filter.dedupe(['a', 'b', 'c', 'a'])).toEqual(['a', 'b', 'c']);
  expect([refusals, filter.countOf('b')]).toEqual([0, 1]);
  const { hasKey } = cells;
  cells.hasKey = (key) => {
    if (key === 'b') throw new Error('no memory now');
    return hasKey.call(cells, key);
  };
  expect([...filter.hasMany(['a', 'd', 'b', 'c'])]).toEqual([1, 0, 1, 1]);
});

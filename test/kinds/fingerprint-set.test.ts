// Fingerprint sets, against a Set of the same keys.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { HashedKeys, hashKeys } from '../../src/entries/hash.ts';
import { FingerprintSet as JsSet } from '../../src/entries/js/fingerprint-set.ts';
import { TombstoneFilter as JsTombstones } from '../../src/entries/js/tombstone.ts';
import { FilterFullError, FilterMemoryError } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { Numbering } from '../../src/kinds/fingerprint-set/numbering.ts';
import { errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { everyKind, underSecret } from '../shared/kinds.ts';
import { classOn, watched, withoutMemory } from '../shared/open.ts';
import { fingerprintBytes } from '../shared/oracle.ts';
import { concat } from '../shared/stream-tools.ts';

type SetClass = typeof FingerprintSet;
const { engine: js } = JsSet as SetClass;
const keysOf = (from: number, count: number): number[] => range(from, from + count);

const classes = everyKind
  .filter(({ kind }) => kind === 'fingerprint-set')
  .map(({ name, Filter, seedOf }) => ({ name, Set: Filter as object as SetClass, seed: seedOf(7) }));

/** Hashes, by the four words of each, that would share pages if places followed from them alone. */
const chosen: Readonly<Record<string, (i: number) => number[]>> = {
  'h1 counts': (i) => [i, 0, 0, 0],
  'the high half of h1 counts': (i) => [0, i, 0, 0],
  'both halves of h1 count': (i) => [i, i, 0, 0],
  'one h1, h2 counts': (i) => [1, 2, i, 0],
  'one h1, h2 counts in steps': (i) => [1, 2, 256 * i, 0],
  'sixteen h1, h2 counts': (i) => [1 + (i % 16), 0, Math.floor(i / 16), 0],
  'one low half of h1': (i) => [1, Math.imul(i, 0x9e3779b1), Math.imul(i, 0x85ebca6b), 0],
  'one high half of h1': (i) => [Math.imul(i, 0x9e3779b1), 1, Math.imul(i, 0x85ebca6b), 0],
};

type Verb = 'add' | 'remove' | 'addMany' | 'removeMany' | 'dedupe' | 'clear' | 'reload';
type Combining = 'union' | 'merge' | 'intersection' | 'difference';
type Step = Readonly<{ verb: Verb | Combining; from: number; count: number }>;

const combining: readonly Combining[] = ['union', 'merge', 'intersection', 'difference'];
const verbs: readonly Verb[] = ['add', 'remove', 'addMany', 'addMany', 'removeMany', 'dedupe', 'clear', 'reload'];
const steps = fc.array(
  fc.record<Step>({
    verb: fc.constantFrom(...verbs, ...combining),
    from: fc.nat(40_000),
    // Also as many as fill a page, and one more.
    count: fc.constantFrom(0, 1, 12, 13, 300, 4097, 9000, 30_000),
  }),
  { minLength: 4, maxLength: 12 },
);

/** Takes a step on both, expects the same answers, and returns the set to go on with. */
function take(set: FingerprintSet, model: Set<number>, { verb, from, count }: Step): FingerprintSet {
  const keys = keysOf(from, count);
  const some = keys.slice(0, 50);
  const addTo = (key: number): boolean => model.size < model.add(key).size;
  const Class = set.constructor as SetClass;
  if (verb === 'clear') {
    set.clear();
    model.clear();
  } else if (verb === 'reload') {
    const loaded = Class.fromBytes(set.toBytes());
    set.dispose();
    return loaded;
  } else if (verb === 'add') expect(some.map((key) => set.add(key))).toEqual(some.map(addTo));
  else if (verb === 'remove') expect(some.map((key) => set.remove(key))).toEqual(some.map((key) => model.delete(key)));
  else if (verb === 'dedupe') expect(set.dedupe(keys)).toEqual(keys.filter(addTo));
  else if (verb === 'addMany' || verb === 'removeMany') {
    // Some keys come twice.
    const twice = [...keys, ...some];
    const out = new Uint8Array(twice.length);
    set[verb](twice, out);
    const flags = twice.map((key) => Number(verb === 'addMany' ? addTo(key) : model.delete(key)));
    expect(Buffer.compare(out, Uint8Array.from(flags))).toBe(0);
  } else {
    using other = Class.from(keys, { seed: set.seed });
    const { count: before } = set;
    const combined = set[verb](other);
    const isIn = (key: number): boolean => key >= from && key < from + count;
    if (verb === 'union' || verb === 'merge') for (const key of keys) model.add(key);
    else for (const key of model) if (isIn(key) === (verb === 'difference')) model.delete(key);
    expect(other.count).toBe(count);
    if (verb === 'merge') return combined;
    expect(set.count).toBe(before);
    set.dispose();
    return combined;
  }
  return set;
}

describe.each(classes)('a fingerprint set: $name', ({ Set: Class, seed }) => {
  it('answers as a Set does, whatever is done in whatever order', () => {
    const property = fc.property(steps, (list) => {
      let set = new Class({ seed });
      const model = new Set<number>();
      for (const step of list) {
        set = take(set, model, step);
        expect(set.count).toBe(model.size);
      }
      const asked = keysOf(0, 71_000);
      const flags = Uint8Array.from(asked, (key) => Number(model.has(key)));
      expect(Buffer.compare(set.hasMany(asked), flags)).toBe(0);
      expect(keysOf(0, 200).filter((key) => set.has(key) !== model.has(key))).toEqual([]);
      const same = Class.from(model, { seed });
      expect([set.equals(same), same.equals(set)]).toEqual([true, true]);
      for (const each of [set, same]) each.dispose();
    });
    fc.assert(property, { seed: 47, numRuns: 40 });
  });

  it('is saved as the sorted fingerprints, however it came to its keys', () => {
    for (const count of [0, 1, 13, 500, 30_000]) {
      const keys = keysOf(1000, count);
      const body = fingerprintBytes(keys, seed);
      const removed = Class.from([...keysOf(0, 40_000), ...keys], { seed }).removeMany(keysOf(0, 1000));
      for (const set of [
        Class.from(keys, { seed }),
        new Class({ seed, capacity: 100_000 }).addMany(keys.toReversed()),
        removed.removeMany(keysOf(1000 + count, Math.max(0, 39_000 - count))),
      ]) {
        expect(Buffer.compare(set.toBytes().subarray(64), body)).toBe(0);
        expect(Buffer.compare(concat([...set.toChunks()]), set.toBytes())).toBe(0);
      }
    }
  });
});

describe.each([FingerprintSet, JsSet])('a fingerprint set', (Class) => {
  it('is saved as it was at the first chunk, whatever comes meanwhile', () => {
    const set = Class.from(keysOf(0, 300_000));
    const file = set.toBytes();
    const chunks = set.toChunks();
    const parts = [chunks.next().value as Uint8Array];
    set.clear();
    set.add('other');
    expect(Buffer.compare(concat([...parts, ...chunks]), file)).toBe(0);
  });

  it('takes the memory that keys need, and no more once it is cleared', () => {
    const set = new Class();
    for (let count = 1000, added = 0; count < 1_000_000; added = count, count = Math.ceil(1.07 * count)) {
      set.addMany(keysOf(added, count - added).map(BigInt));
      expect(set.byteLength / count).toBeLessThan(24);
      expect(set.byteLength / count).toBeGreaterThan(13);
      expect(set.fillRatio()).toBeCloseTo(count / Math.round(set.byteLength / 12), 1);
    }
    const { byteLength, count } = set;
    set.clear();
    // Of the directory, which is short again.
    expect(byteLength - set.byteLength).toBeLessThan(4096);
    expect(set.clone().byteLength).toBeLessThan(byteLength / 100);
    set.addMany(keysOf(0, count));
    expect(set.byteLength).toBeLessThanOrEqual(1.1 * byteLength);
  });

  it('has an error rate of as many fingerprints as there are, of 2^96', () => {
    const set = Class.from(keysOf(0, 1000));
    expect([set.capacity, set.errorRate, set.estimateErrorRate()]).toEqual([1000, 1000 / 2 ** 96, 1000 / 2 ** 96]);
    expect([set.estimateCount(), set.cellCount, set.cellBits, set.hashes]).toEqual([1000, 1000, 96, 1]);
  });

  it('grows for keys that do not fit the scratch', () => {
    const keys = keysOf(0, 40).map((i) => `${i}`.padEnd(100_000));
    const set = new Class();
    const isAdded = keys.map((key) => set.add(key) && !set.add(key));
    expect([isAdded.every(Boolean), set.count, set.pick(keys).length]).toEqual([true, 40, 40]);
  });

  it('goes on growing as a clone, and keeps no table that it has outgrown', () => {
    const { engine, left } = watched((Class as SetClass).engine);
    const Watched = classOn(Class as SetClass, engine);
    const set = Watched.from(keysOf(0, 30_000), { capacity: 0 });
    // Of each, the table, and what keys are hashed in.
    expect([left().length, Watched.fromBytes(set.toBytes()).count, left().length]).toEqual([2, 30_000, 4]);
    const copy = set.clone().addMany(keysOf(30_000, 70_000));
    expect(copy.pick(keysOf(0, 100_000))).toHaveLength(100_000);
  });

  it('takes hashes that are zero, or have much in common', () => {
    const words: number[][] = [];
    for (let i = 0; i < 3000; i++) {
      for (const [word, factor] of [0, 1, 2, 0, 1, 2].entries()) {
        const hash = [0, 0, 0, 0];
        hash[factor] = word < 3 ? i + 1 : (i + 1) * 2 ** 19;
        words.push(hash);
      }
    }
    words.push([0, 0, 0, 0], [0, 0, 0, 5]);
    // A fingerprint of zeros counts as that whose third word is 1, which is among the others.
    const distinct = new Set(words.map((hash) => String(hash.slice(0, 3).map((word) => word >>> 0)))).size - 1;
    const hashes = new HashedKeys(new Uint8Array(Uint32Array.from(words.flat()).buffer), 0);
    const set = new Class().addMany(hashes);
    expect(set.count).toBe(distinct);
    expect(set.hasMany(hashes)).toEqual(new Uint8Array(words.length).fill(1));
    expect(Class.fromBytes(set.toBytes()).equals(set)).toBe(true);
    expect(set.removeMany(hashes).count).toBe(0);
  });

  it('holds hashes that were chosen to fall together, in the memory of others', () => {
    const count = 40_000;
    const { byteLength } = Class.from(keysOf(0, count));
    for (const [name, wordsOf] of Object.entries(chosen)) {
      const words = Array.from({ length: count }, (_, i) => wordsOf(i));
      const set = new Class().addMany(new HashedKeys(new Uint8Array(Uint32Array.from(words.flat()).buffer), 0));
      expect([name, set.count, set.byteLength < 1.2 * byteLength]).toEqual([name, count, true]);
    }
  });

  it('refuses what has another seed, or is another kind', () => {
    const set = Class.from(['a'], { seed: 1 });
    const other = Class.from(['a'], { seed: 2 });
    for (const verb of ['union', 'merge', 'intersection', 'difference'] as const) {
      expect(() => set[verb](other)).toThrow(new RangeError('seed of other must be 1, got 2'));
      expect(() => set[verb](['a'] as never)).toThrow(/^other must be a FingerprintSet/);
    }
    expect(new Class({ seed: 1 }).equals(new Class({ seed: 2 }))).toBe(false);
  });

  it('cannot be made for more keys than fit a memory', () => {
    expect(errorOf(() => new Class({ capacity: 1e12 }))).toBeInstanceOf(FilterMemoryError);
  });
});

it('a set that cannot grow refuses the key, says which kinds are smaller, and keeps the others', () => {
  const engine = { ...withoutMemory(js, (length) => length > 2e6), maxBytes: 2e6 };
  const set = new (classOn(JsSet, engine))();
  const keys = keysOf(0, 200_000);
  const error = errorOf(() => set.addMany(keys)) as FilterFullError;
  expect(error).toBeInstanceOf(FilterFullError);
  expect([error.code, error.position]).toEqual(['MEMORY', set.count]);
  expect(error.cause).toBeInstanceOf(FilterMemoryError);
  expect(error.message).toMatch(/cannot grow: .*ScalableBloomFilter.*CuckooFilter/);
  expect(set.pick(keys)).toEqual(keys.slice(0, set.count));
  expect(() => set.addMany(keysOf(300_000, 50_000))).toThrow(FilterFullError);
  const other = new (classOn(JsSet, engine))().addMany(keysOf(300_000, 50_000));
  expect(errorOf(() => set.merge(other))).toMatchObject({ name: 'FilterFullError', code: 'MEMORY', position: 0 });
  expect(() => set.union(other)).toThrow(FilterMemoryError);
});

it('numbers say in which order hashes come first', () => {
  const keys = keysOf(0, 3 * CHUNK_KEYS).map((key) => key % (2 * CHUNK_KEYS + 7));
  expect(new Numbering(js).numbersOf(hashKeys(keys).bytes)).toEqual(Uint32Array.from(keys));
});

it('a set that there is no memory for beside its table keeps none', () => {
  const { engine, left } = watched(js);
  let isFull = false;
  // What keys are hashed in has one byte.
  const filled = withoutMemory(engine, (length) => isFull && length === 1);
  const Watched = classOn(JsSet, filled);
  const set = Watched.from(['a', 'b']);
  const file = set.toBytes();
  const before = left();
  isFull = true;
  for (const make of [() => new Watched(), () => set.clone(), () => set.union(set), () => Watched.fromBytes(file)]) {
    expect(make).toThrow(FilterMemoryError);
    expect(left()).toEqual(before);
  }
  expect(set.pick(['a', 'b', 'c'])).toEqual(['a', 'b']);
});

it('a set grows where the system refuses another memory', () => {
  const keys = keysOf(0, 200_000);
  const withoutAnother = withoutMemory(js, (_, grows) => grows);
  const set = classOn(JsSet, withoutAnother).from(keys, { capacity: 0 });
  expect([set.count, set.pick(keys).length]).toEqual([200_000, 200_000]);
  expect(set.equals(JsSet.from(keys))).toBe(true);
});

it('a set gets less memory where the system refuses as much as it asks for', () => {
  const refused: number[] = [];
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    const region = js.reserve(byteLength, grows);
    const commit = region.commit.bind(region);
    let most = Infinity;
    region.commit = (length) => {
      if (length > most) {
        refused.push(length);
        throw new FilterMemoryError('no memory', length);
      }
      commit(length);
      most = 2 * length;
    };
    return region;
  };
  const keys = keysOf(0, 200_000);
  const set = new (classOn(JsSet, { ...js, reserve }))().addMany(keys);
  expect([set.count, set.pick(keys).length]).toEqual([200_000, 200_000]);
  expect(refused.length).toBeGreaterThan(0);
});

it('views of memory are taken again after whatever may have moved it', () => {
  const { engine } = FingerprintSet as SetClass;
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    const region = engine.reserve(byteLength, grows);
    if (grows) return region;
    // The old buffer is detached.
    region.instance.memory.grow(1);
    region.instance.scratch.refresh();
    return region;
  };
  const Moving = classOn(FingerprintSet, { ...engine, reserve });
  for (let from = 0; from < 200; from++) {
    // In small sets, keys often overflow the page that would have room for their number.
    const keys = keysOf(20 * from, 12);
    const set = Moving.fromBytes(Moving.from(keys, { capacity: 0 }).toBytes());
    const both = set.union(Moving.from(keysOf(20 * from + 6, 12)));
    const flags = new Uint8Array(100);
    both.addMany(keysOf(20 * from, 100), flags);
    expect([set.count, both.count, flags.indexOf(1)]).toEqual([12, 100, 18]);
    expect(both.intersection(set).pick(keys)).toEqual(keys);
  }
});

it('a set is printed, and its size is known, after it was disposed of', () => {
  const set = FingerprintSet.from(['a', 'b']);
  set.dispose();
  expect(inspect(set)).toMatch(/FingerprintSet {.*count: 2,.*disposed: true/s);
  expect([set.count, set.byteLength]).toEqual([2, 0]);
});

it('a copy that is made to be saved is freed at once, around a set too', () => {
  const { engine, left } = watched(js);
  const set = classOn(JsSet, engine).from(['a', 'b']);
  const filter = new JsTombstones(set);
  const before = left();
  for (const each of [set, filter]) {
    each.toBytes();
    concat([...each.toChunks()]);
    const broken = each.toChunks();
    broken.next();
    broken.return();
  }
  for (const other of [set.union(set), set.intersection(set), set.difference(set)]) other.dispose();
  const gone = new JsSet();
  gone.dispose();
  for (const method of ['union', 'intersection', 'difference'] as const) {
    expect(() => set[method](gone)).toThrow('the filter was used after dispose()');
  }
  expect(left()).toEqual(before);
  filter.dispose();
  expect(left()).toEqual([]);
});

it('sets under one secret are combined, and others refused', () => {
  const Keyed = underSecret(FingerprintSet as never) as object as SetClass;
  const set = Keyed.from(['a', 'b']);
  expect(set.intersection(Keyed.from(['b', 'c'])).pick(['a', 'b', 'c'])).toEqual(['b']);
  expect(() => set.union(FingerprintSet.from(['a']) as never)).toThrow(RangeError);
});

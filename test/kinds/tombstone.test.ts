// What only the tombstone filter has: keys removed from a filter of any other kind.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { DLeftCountingBloomFilter } from '../../src/entries/dleft.ts';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { hashKeys } from '../../src/entries/hash.ts';
import type { LoadableClass } from '../../src/entries/load.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BloomFilter, FilterFullError, type FilterMemoryError, type Key } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { type AnyClass, kindOn, kinds, underSecret } from '../shared/kinds.ts';
import { classOn, watched, withoutMemory } from '../shared/open.ts';
import { bytesOf, digestOf } from '../shared/oracle.ts';
import { refuses } from '../shared/refuses.ts';
import vectors from '../vectors/tombstone.json' with { type: 'json' };

/** The hashes in a file, in its order. */
function tombstonesIn(file: Uint8Array): Uint8Array {
  const count = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(16, true));
  return file.subarray(128, 128 + 16 * count);
}

const KeyedFilter = underSecret(TombstoneFilter as object as AnyClass) as object as typeof TombstoneFilter;
/** The kinds of bases. One whose keys have labels takes no keys alone, as if it were static. */
const bases = [...kinds, kindOn('classic', 'js'), kindOn('classic', 'wasm', true)]
  .filter((kind) => kind.bases.length === 0)
  .map((kind) => ({
    ...kind,
    isStatic: kind.isStatic || 'labelOf' in kind.Filter.prototype,
    Around: kind.isKeyed ? KeyedFilter : TombstoneFilter,
  }));
const key = fc.oneof(fc.string({ maxLength: 2 }), fc.nat(60), fc.uint8Array({ maxLength: 1 }));
const keyLists = fc.array(key, { maxLength: 150 });

describe('a tombstone filter', () => {
  // Keys are removed from 0 on, then added back from 0 on.
  it.each(vectors)('has the cells of the specification: $removed removed, $back added back', (vector) => {
    const { removed, back, size, digest } = vector;
    const all = range(0, 1000);
    const base = BinaryFuseFilter.from(all, { fingerprintBits: 8 });
    const one = new TombstoneFilter(base);
    for (const each of range(0, removed)) expect(one.remove(each)).toBe(true);
    for (const each of range(0, back)) expect(one.add(each)).toBe(true);
    const many = new TombstoneFilter(base.clone()).removeMany(range(0, removed)).addMany(range(0, back));
    for (const filter of [one, many, TombstoneFilter.fromBytes(one.toBytes(), [BinaryFuseFilter])]) {
      expect(filter.removedCount).toBe(size);
      expect(all.filter((each) => filter.has(each))).toHaveLength(1000 - size);
      expect(filter.pick(all)).toHaveLength(1000 - size);
      expect(digestOf(tombstonesIn(filter.toBytes()))).toBe(digest);
    }
  });

  it.each([20, 3000, 40_000])('saves the whole hash of each of %i removed keys, in order', (count) => {
    const keys = range(0, 2 * count);
    const filter = new TombstoneFilter(BloomFilter.from(keys));
    filter.removeMany(keys).addMany(range(0, count));
    const hashes = hashKeys(range(count, 2 * count));
    const words = new BigUint64Array(hashes.bytes.slice().buffer);
    const pairs = range(0, count).map((i) => [words[2 * i] as bigint, words[2 * i + 1] as bigint] as const);
    pairs.sort(([a, b], [c, d]) => (a === c ? (b < d ? -1 : 1) : a < c ? -1 : 1));
    const expected = new Uint8Array(BigUint64Array.from(pairs.flat()).buffer);
    for (const each of [filter, filter.clone(), TombstoneFilter.fromBytes(filter.toBytes(), [BloomFilter])]) {
      expect(Buffer.compare(tombstonesIn(each.toBytes()), expected)).toBe(0);
    }
  });

  it.each(bases)('answers as the base and a Set of the removed keys do: around $name', (row) => {
    const { Filter, Around, isStatic, options, anyOptions, hashKeys: hashesOf } = row;
    const steps = fc.array(fc.tuple(fc.constantFrom('remove', 'add', 'exclude', 'has'), key), { maxLength: 100 });
    const property = fc.property(keyLists, steps, options, (given, then, opts) => {
      using filter = new Around(Filter.from(new Set(given), opts));
      using twin = Filter.from(new Set(given), opts);
      const removed = new Set<string>();
      const isPresent = (each: Key): boolean => twin.has(each) && !removed.has(String(bytesOf(each)));
      for (const [what, each] of then) {
        const before = isPresent(each);
        if (what === 'add' && isStatic && !twin.has(each)) {
          expect(() => filter.add(each)).toThrow(TypeError);
        } else if (what === 'add') {
          expect(filter.add(each)).toBe(!before);
          removed.delete(String(bytesOf(each)));
          if (!isStatic) twin.add(each);
        } else if (what !== 'has') {
          expect(what === 'remove' ? filter.remove(each) : filter.exclude(each)).toBe(before);
          if (before) removed.add(String(bytesOf(each)));
        }
        expect(filter.has(each)).toBe(isPresent(each));
      }
      expect(filter.removedCount).toBe(removed.size);
      const all = [...given, ...then.map(([, each]) => each)];
      expect(filter.base.toBytes()).toEqual(twin.toBytes());
      using loaded = Around.fromBytes(filter.toBytes(), [Filter as object as LoadableClass]);
      for (const read of [filter, loaded]) {
        expect(read.hasMany(all)).toEqual(Uint8Array.from(all, (each) => Number(isPresent(each))));
      }
    });
    fc.assert(property, { seed: 11, numRuns: 30 });

    // Many keys, more than two chunks of them with each key twice, as single ones.
    const words = range(0, CHUNK_KEYS + 60).flatMap((i) => [`key ${i}`, `key ${i >> 1}`]);
    const [opts] = fc.sample(anyOptions, { numRuns: 1, seed: 12 });
    const base = Filter.from(new Set(words.slice(0, 6000)), opts);
    const one = new Around(base);
    const [many, silent] = [one.clone(), one.clone()];
    const step = (verb: 'add' | 'remove', keys: string[]): void => {
      const flags = Uint8Array.from(keys, (each) => Number(one[verb](each)));
      const out = new Uint8Array(keys.length);
      many[`${verb}Many`](keys, out);
      silent[`${verb}Many`](keys);
      expect(out).toEqual(flags);
      for (const filter of [many, silent]) expect(filter.toBytes()).toEqual(one.toBytes());
    };
    step('remove', words);
    const known = isStatic ? words.filter((each) => base.has(each)) : words;
    step('add', known.slice(0, 5000));
    step('remove', words.slice(0, 700));
    const flags = Uint8Array.from(words, (each) => Number(one.has(each)));
    for (const form of [words, ...hashesOf(words, one.seed)]) expect(many.hasMany(form)).toEqual(flags);
  });

  it('forgets nothing of what is done to the base meanwhile, and keeps removed keys removed', () => {
    const base = BloomFilter.from(['a', 'b'], { capacity: 100 });
    const filter = new TombstoneFilter(base);
    filter.remove('a');
    base.addMany(['a', 'c']);
    expect([filter.has('a'), filter.has('c'), filter.base]).toEqual([false, true, base]);
    expect([filter.add('a'), filter.has('a'), filter.add('a'), filter.removedCount]).toEqual([true, true, false, 0]);
    base.clear();
    expect([filter.has('a'), filter.remove('a'), filter.removedCount]).toEqual([false, false, 0]);
    let now = 0;
    const timed = new RotatingBloomFilter({ capacity: 9, window: 9, clock: () => now });
    const around = new TombstoneFilter(timed).addMany(['a']);
    now = 100;
    expect(around.pick(['a'])).toEqual([]);
  });

  it('takes no keys that a base without add lacks, and keeps those before them', () => {
    const words = range(0, CHUNK_KEYS + 10).map(String);
    const filter = new TombstoneFilter(BinaryFuseFilter.from(words, { fingerprintBits: 32 }));
    filter.removeMany(words);
    const others = new TypeError('key must be a key of the base, because a BinaryFuseFilter takes no others');
    expect(() => filter.add('x')).toThrow(others);
    const out = new Uint8Array(words.length + 1).fill(9);
    const given = [...words.slice(0, CHUNK_KEYS + 5), 'x', ...words.slice(CHUNK_KEYS + 5)];
    expect(() => filter.addMany(given, out)).toThrow(`keys[${CHUNK_KEYS + 5}] must be a key of the base`);
    expect(out).toEqual(Uint8Array.from(given, (_, i) => Number(i < CHUNK_KEYS + 5)));
    expect(filter.removedCount).toBe(5);
    expect(() => filter.add(null as never)).toThrow(TypeError);
  });

  it('adds back the keys before one that the base refuses, and no others', () => {
    const base = new CuckooFilter({ buckets: 2, fingerprintBits: 32 });
    const filter = new TombstoneFilter(base).addMany(['a', 'b', 'c']);
    filter.removeMany(['a', 'b', 'c']);
    const out = new Uint8Array(12).fill(9);
    const error = errorOf(() => filter.addMany(['a', 'b', ...'dddddddddc'], out));
    expect(error).toBeInstanceOf(FilterFullError);
    const { position } = error as FilterFullError;
    expect(position).toBe(5);
    expect(out.subarray(0, 5)).toEqual(Uint8Array.of(1, 1, 1, 0, 0));
    expect(out.subarray(position).some(Boolean)).toBe(false);
    expect(['a', 'b', 'c', 'd'].map((each) => filter.has(each))).toEqual([true, true, false, true]);
    // "c" is still in the base, which has no room for another copy.
    expect(filter.add('c')).toBe(true);
    expect(filter.has('c')).toBe(true);
    // It needs room if the base has lost it.
    filter.remove('c');
    expect([base.remove('c'), base.add('e')]).toEqual([true, true]);
    for (const add of [() => filter.add('c'), () => filter.addMany(['c'])]) expect(add).toThrow(FilterFullError);
  });

  it('adds all keys before one that its base refuses in a later chunk, and has its position', () => {
    const size = { buckets: 1200, fingerprintBits: 20 };
    const [base, keys] = [new CuckooFilter(size), range(0, 6000)];
    const first = keys.findIndex((each) => refuses(base, each));
    expect(first).toBeGreaterThan(CHUNK_KEYS);
    const filter = new TombstoneFilter(new CuckooFilter(size));
    const out = new Uint8Array(keys.length).fill(9);
    const error = errorOf(() => filter.addMany(keys, out));
    expect(error).toMatchObject({ name: 'FilterFullError', position: first });
    expect(error.message).toMatch(`keys[${first}] does not fit`);
    expect(out.subarray(0, CHUNK_KEYS + 1).every((flag) => flag === 1)).toBe(true);
    expect([out[first - 1], out[first]]).toEqual([1, 0]);
    expect(filter.base.toBytes()).toEqual(base.toBytes());
  });

  it.each([CuckooFilter, DLeftCountingBloomFilter])('flags keys after one that its base refuses as new: %#', (Base) => {
    const filter = new TombstoneFilter(new Base({ capacity: 1000, errorRate: 1e-4 }));
    for (let copies = 0; !refuses(filter.base as CuckooFilter, 'a'); copies++) expect(copies).toBeLessThan(1000);
    // The base has lost one of the removed keys.
    filter.addMany(['other']).removeMany(['a', 'other']);
    expect((filter.base as CuckooFilter).remove('other')).toBe(true);
    const out = new Uint8Array(3);
    filter.addMany(['a', 'new', 'other'], out);
    expect(out).toEqual(Uint8Array.of(1, 1, 1));
    expect(filter.has('other')).toBe(true);
  });

  it.each([CuckooFilter, DLeftCountingBloomFilter])('adds back keys that a full base still has: %#', (Base) => {
    const base = new Base({ capacity: 8 });
    const keys = range(0, 8);
    const filter = new TombstoneFilter(base).addMany(keys);
    for (let i = 0; !refuses(base, `more ${i}`); i++);
    for (let round = 0; round < 20; round++) {
      filter.removeMany(keys);
      expect(filter.pick(keys)).toEqual([]);
      const out = new Uint8Array(8);
      if (round % 2 === 0) out.set(keys.map((each) => Number(filter.add(each))));
      else filter.addMany(keys, out);
      expect(out).toEqual(new Uint8Array(8).fill(1));
      expect([filter.pick(keys), filter.removedCount, filter.cellCount]).toEqual([keys, 0, 0]);
    }
    // A key that was never in the base is still refused, and the keys before it are in the filter again.
    filter.removeMany(keys);
    const absent = range(100, 1000).find((each) => !base.has(each) && refuses(base.clone(), each)) as number;
    const error = errorOf(() => filter.addMany([...keys, absent, 0]));
    expect((error as FilterFullError).position).toBe(8);
    expect(filter.pick([...keys, absent])).toEqual(keys);
  });

  it('changes nothing if there is no memory for another tombstone, and says which are removed', () => {
    const { engine, left } = watched(TombstoneFilter.engine);
    const poor = withoutMemory(engine, (length) => length > 400);
    const Poor = classOn(TombstoneFilter, poor);
    const filter = new Poor(BinaryFuseFilter.from(range(0, 100)));
    const out = new Uint8Array(20).fill(9);
    expect((errorOf(() => filter.removeMany(range(0, 20), out)) as FilterMemoryError).name).toBe('FilterMemoryError');
    const { removedCount } = filter;
    expect(removedCount).toBeGreaterThan(2);
    expect(out).toEqual(Uint8Array.from(out, (_, i) => Number(i < removedCount)));
    expect(() => filter.remove(removedCount)).toThrow(RangeError);
    expect([filter.has(1), filter.has(removedCount), filter.remove(1)]).toEqual([false, true, false]);
    expect(filter.removedCount).toBe(removedCount);
    expect(filter.add(removedCount - 1)).toBe(true);
    expect(filter.remove(removedCount - 1)).toBe(true);
    filter.dispose();
    expect(left()).toEqual([]);
  });

  it('hides the empty key, whose hash is zeros', () => {
    const filter = new TombstoneFilter(BloomFilter.from(['', 'a', 'b']));
    const answers = [filter.remove(''), filter.remove(''), filter.has(''), filter.removedCount];
    expect(answers).toEqual([true, false, false, 1]);
    expect(filter.hasMany(['', 'a'])).toEqual(Uint8Array.of(0, 1));
    filter.removeMany(['a', '', 'b']);
    expect(filter.removedCount).toBe(3);
    for (const copy of [filter.clone(), TombstoneFilter.fromBytes(filter.toBytes(), [BloomFilter])]) {
      expect(copy.hasMany(['', 'a', 'b'])).toEqual(new Uint8Array(3));
      expect([copy.add(''), copy.add(''), copy.has(''), copy.removedCount]).toEqual([true, false, true, 2]);
    }
    expect(filter.removedCount).toBe(3);
  });

  it('owns its base: clones and disposes of both', () => {
    const filter = new TombstoneFilter(BloomFilter.from(['a', 'b'])).removeMany(['a']);
    const { base } = filter;
    const copy = filter.clone();
    expect(copy.base).not.toBe(base);
    copy.addMany(['a', 'c']);
    expect([filter.pick(['a', 'c']), copy.pick(['a', 'c'])]).toEqual([[], ['a', 'c']]);
    filter.dispose();
    expect(() => base.has('b')).toThrow('the filter was used after dispose()');
    const disposed = /^base must be a filter, got an object \(BloomFilter\) after dispose/;
    expect(() => new TombstoneFilter(base)).toThrow(disposed);
    expect(copy.has('b')).toBe(true);
  });

  it('keeps no copy of its base if there is no memory for a clone', () => {
    const { engine, left } = watched(BloomFilter.engine);
    const own = TombstoneFilter.engine;
    let isFull = false;
    const reserve = (length: number) => own.reserve(isFull ? own.maxBytes + 1 : length);
    const Poor = classOn(TombstoneFilter, { ...own, reserve });
    const filter = new Poor(classOn(BloomFilter, engine).from(['a', 'b'])).removeMany(['a']);
    const before = left();
    isFull = true;
    expect((errorOf(() => filter.clone()) as FilterMemoryError).name).toBe('FilterMemoryError');
    expect([left(), filter.pick(['a', 'b'])]).toEqual([before, ['b']]);
  });

  it('keeps nothing of what was copied to be saved if there is no memory for a copy of its base', () => {
    const { engine, left } = watched(FingerprintSet.engine);
    let isFull = false;
    const poor = withoutMemory(engine, () => isFull);
    const Poor = classOn(FingerprintSet, poor);
    const filter = new (classOn(TombstoneFilter, engine))(Poor.from(['a', 'b'])).removeMany(['a']);
    const before = left();
    isFull = true;
    expect(errorOf(() => filter.toBytes()).name).toBe('FilterMemoryError');
    expect(errorOf(() => filter.toChunks().next()).name).toBe('FilterMemoryError');
    expect([left(), filter.pick(['a', 'b'])]).toEqual([before, ['b']]);
    isFull = false;
    filter.base.dispose();
    expect(() => filter.toBytes()).toThrow('the filter was used after dispose()');
    filter.dispose();
    expect(left()).toEqual([]);
  });

  it('takes 18 to 32 bytes of memory for each removed key, from a thousand on', () => {
    const keys = range(0, 60_000);
    const filter = new TombstoneFilter(BinaryFuseFilter.from(keys));
    for (let from = 0; from < keys.length; from += 250) {
      filter.removeMany(keys.slice(from, from + 250));
      if (from < 750) continue;
      const bytes = (filter.byteLength - filter.base.byteLength) / filter.removedCount;
      expect(bytes).toBeGreaterThan(18);
      expect(bytes).toBeLessThan(32);
    }
  });

  it('says what it is, by its base', () => {
    const base = BloomFilter.from(range(0, 1000), { errorRate: 0.001, seed: 7 });
    const filter = new TombstoneFilter(base).removeMany(range(0, 10));
    expect(filter).toMatchObject({ kind: 'tombstone', engine: 'wasm', capacity: 1000, errorRate: 0.001, seed: 7 });
    expect(filter).toMatchObject({ cellName: 'tombstones', cellCount: 10, cellBits: 128, hashes: 1, removedCount: 10 });
    expect(filter.byteLength).toBeGreaterThan(base.byteLength + 10 * 16);
    // The places of removed keys are random, so once in a while their table grows by half before it is full.
    expect(filter.byteLength).toBeLessThan(base.byteLength + 1.5 * 10 * 64);
    expect([filter.fillRatio(), filter.estimateErrorRate()]).toEqual([base.fillRatio(), base.estimateErrorRate()]);
    expect(filter.estimateCount()).toBe(base.estimateCount() - 10);
    const few = new TombstoneFilter(base.clone());
    base.clear();
    expect([filter.estimateCount(), few.estimateCount() > 900]).toEqual([0, true]);
    const shown = /^TombstoneFilter \{\s+capacity: 1000,[\s\S]*removedCount: 10,\s+base: BloomFilter \{/;
    expect(inspect(filter)).toMatch(shown);
    for (const window of [9, undefined]) {
      const around = inspect(new TombstoneFilter(new RotatingBloomFilter({ capacity: 9, window })));
      expect(around.match(/fillRatio/g)).toEqual(window ? null : ['fillRatio', 'fillRatio']);
    }
  });

  it('is made around filters only, and not around another of its kind', () => {
    const make = (base: unknown) => () => new TombstoneFilter(base as BloomFilter);
    for (const base of [undefined, null, 7, {}, BloomFilter]) {
      expect(make(base)).toThrow(/^base must be a filter, got /);
    }
    expect(make({ toBytes: () => {} })).toThrow(/ that is not from this copy of bloomery$/);
    const wanted = 'base must be a filter without tombstones, got an object (TombstoneFilter)';
    expect(make(new TombstoneFilter(BloomFilter.from(['a'])))).toThrow(new TypeError(wanted));
  });

  it('needs a new base if removed keys take a quarter of its memory, or are most of what is found', () => {
    const base = new BloomFilter({ bits: 2 ** 17, hashes: 7 }).addMany(range(0, 10_000));
    const filter = new TombstoneFilter(base);
    const most = base.byteLength / 4 / 32;
    const needsAfter = (use: unknown): boolean => use !== undefined && filter.needsRebuild;
    expect(needsAfter(filter.removeMany(range(0, most)))).toBe(false);
    expect(needsAfter(filter.remove(most))).toBe(true);
    filter.add(most);
    for (const each of range(0, 500)) filter.has(each % most);
    expect(needsAfter(filter.hasMany(range(most, most + 499)))).toBe(false);
    expect(needsAfter(filter.hasMany([0]))).toBe(true);
    expect(filter.clone().needsRebuild).toBe(false);
    expect(needsAfter(filter.hasMany([most, most + 1]))).toBe(false);
    // What is found while no key is removed counts too.
    filter.addMany(range(0, most)).hasMany(range(0, 100));
    filter.remove(0);
    expect(needsAfter(filter.hasMany(range(0, 50).fill(0)))).toBe(false);
  });

  it('goes on after its memory has grown', () => {
    const { engine, regions } = watched(TombstoneFilter.engine);
    const Watched = classOn(TombstoneFilter, engine);
    const filter = new Watched(BinaryFuseFilter.from(range(0, 1000))).removeMany(range(0, 100));
    const before = regions.at(-1)?.instance.memory.buffer;
    const others = range(0, 5).map(() => engine.reserve(engine.sharing.most / 2));
    expect(regions.at(-6)?.instance.memory.buffer).not.toBe(before);
    expect([filter.has(7), filter.has(700), filter.remove(8), filter.remove(800)]).toEqual([false, true, false, true]);
    expect(filter.pick(range(90, 110))).toEqual(range(100, 110));
    expect([filter.add(7), filter.removedCount]).toEqual([true, 100]);
    for (const region of [...others, filter]) region.dispose();
  });
});

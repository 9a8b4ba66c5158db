import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import type { CountingFilter } from '../../src/filters/filter.ts';
import { BloomFilter, type Key, type Keys, lines } from '../../src/index.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { asynchronous, keysOf, splitAt } from '../format/saved.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { columnOf } from '../shared/columns.ts';
import { type AnyFilter, everyKind, type KindOnEngine, kinds } from '../shared/kinds.ts';
import { concat } from '../shared/stream-tools.ts';

const bigints = fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n);
/** A key of any type. */
const key = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), bigints, fc.uint8Array());
/** Distinct keys, because a cuckoo filter takes at most eight copies of one. */
const keyLists: fc.Arbitrary<Key[]> = fc.uniqueArray(key, { maxLength: 300, selector: String });

/** The same keys in every form that takes strings. */
function formsOf(strings: readonly string[], seed: number, { hashKeys }: KindOnEngine): Keys[] {
  const bytes = strings.map((string) => Buffer.from(string));
  const text = Buffer.from(strings.map((string) => `${string}\n`).join(''));
  return [strings, strings.values(), bytes, lines(text), columnOf(bytes), ...hashKeys(strings, seed)];
}

/** More than two chunks of keys, about half of them new. */
const words = Array.from({ length: 2 * CHUNK_KEYS + 100 }, (_, i) => `clé ${i % 4500}`);
const asked = Array.from({ length: 9000 }, (_, i) => `clé ${i}`);
/** Longer than the scratch. */
const long = 'ö'.repeat(200_001);

/** Methods that need the cells, and arguments for them. */
const calls: readonly (readonly [name: string, ...args: unknown[]])[] = [
  ...['has', 'add', 'remove', 'countOf', 'labelOf', 'refresh', 'exclude'].map((name) => [name, 'a'] as const),
  ...['hasMany', 'pick', 'omit', 'addMany', 'dedupe', 'removeMany', 'labelsOf'].map((name) => [name, []] as const),
  ...['fillRatio', 'estimateCount', 'estimateErrorRate', 'toBytes'].map((name) => [name] as const),
  ...['clone', 'clear', 'rotate', 'toBloomFilter'].map((name) => [name] as const),
];

// Little, because test/kernel/parity.test.ts compares all functions of the engines.
const others = everyKind.filter(({ engine, isKeyed }) => isKeyed === (engine.name === 'wasm'));
it.each(others)('a filter is that of the other engine, byte for byte, and answers so: $name', (row) => {
  const { Filter, Twin, engine, anyOptions } = row;
  const property = fc.property(keyLists, keyLists, anyOptions, (given, others, options) => {
    using filter = Filter.from(given, options);
    using twin = Twin.from(given, options);
    expect([filter.engine, twin.engine === filter.engine]).toEqual([engine.name, false]);
    expect(filter.toBytes()).toEqual(twin.toBytes());
    const all = [...given, ...others];
    const flags = twin.hasMany(all);
    expect(filter.hasMany(all)).toEqual(flags);
    expect(all.map((each) => Number(filter.has(each)))).toEqual([...flags]);
  });
  fc.assert(property, { seed: 6, numRuns: 8 });
});

describe.each(kinds)('every kind of filter: $kind', (row) => {
  const { Filter, Twin, bases, className, engine, kind, isStatic, options, anyOptions } = row;

  it('finds all keys that it was made of, and picks and omits as it answers', () => {
    const property = fc.property(keyLists, keyLists, options, (given, others, opts) => {
      using filter = Filter.from(given, opts);
      expect(filter).toMatchObject({ kind, engine: engine.name, seed: opts.seed });
      const all = [...given, ...others];
      const flags = all.map((each) => filter.has(each));
      expect(flags.slice(0, given.length)).not.toContain(false);
      expect(filter.hasMany(all)).toEqual(Uint8Array.from(flags, Number));
      expect(filter.pick(all)).toEqual(all.filter((_, i) => flags[i]));
      expect(filter.omit(all)).toEqual(all.filter((_, i) => !flags[i]));
    });
    fc.assert(property, { seed: 3, numRuns: 15 });
  });

  it('takes keys in every form, and looks up many as single ones', () => {
    const property = fc.property(options, (opts) => {
      const distinct = [...new Set(words)];
      const made = Filter.from(distinct, opts);
      for (const form of formsOf(distinct, made.seed, row)) {
        expect(Filter.from(form, opts).toBytes()).toEqual(made.toBytes());
      }
      const flags = Uint8Array.from(asked, (each) => Number(made.has(each)));
      for (const form of formsOf(asked, made.seed, row)) expect(made.hasMany(form)).toEqual(flags);
      const [hashed] = row.hashKeys(asked, made.seed);
      expect(made.pick(hashed)).toEqual(hashed.pick(flags));
      expect(made.omit(hashed)).toEqual(hashed.pick(flags.map((flag) => 1 - flag)));
      expect(Filter.from(['a', long], opts).has(long)).toBe(true);
    });
    fc.assert(property, { seed: 4, numRuns: 1 });
  });

  it('is saved and loaded by either engine, whole or in chunks, and goes on in the same way', async () => {
    const cuts = fc.array(fc.nat(1000), { maxLength: 6 });
    const property = fc.asyncProperty(keyLists, anyOptions, cuts, async (given, opts, places) => {
      const made = Filter.from(given, opts);
      const { capacity, errorRate, seed } = made;
      const file = made.toBytes();
      expect(concat(made.toChunks())).toEqual(file);
      const ends = places.map((place) => Math.min(place, file.length));
      const parts = splitAt(file, ends);
      const classes = [Twin, ...bases, BloomFilter] as object as LoadableClass[];
      const read = [
        Filter.fromBytes(file),
        Twin.fromBytes(file),
        Twin.fromChunks(parts),
        await Filter.fromChunks(asynchronous(parts)),
        loadAny(classes, file) as object as AnyFilter,
        made.clone(),
      ];
      const flags = made.hasMany(given);
      if (!isStatic) made.addMany(keysOf(200));
      for (const each of read) {
        expect(each.toBytes()).toEqual(file);
        expect(each).toMatchObject({ kind, capacity, errorRate, seed });
        expect(each.hasMany(given)).toEqual(flags);
        if (!isStatic) each.addMany(keysOf(200));
        expect(each.toBytes()).toEqual(made.toBytes());
      }
      for (const each of [made, ...read]) each.dispose();
    });
    await fc.assert(property, { seed: 2, numRuns: 10 });
  });

  it('keeps the class of a subclass, and names its own', () => {
    class Own extends Filter {}
    const own = Own.from(['a']);
    for (const each of [own, own.clone(), Own.fromBytes(own.toBytes()), Own.fromChunks([own.toBytes()])]) {
      expect(each).toBeInstanceOf(Own);
      expect([String(each), each.has('a')]).toEqual([`[object ${className}]`, true]);
      each.dispose();
      expect(String(each)).toBe(`[object ${className}]`);
    }
    // Consoles look at prototypes, too.
    expect(String(Filter.prototype)).toBe('[object Object]');
    expect(inspect(Filter.prototype)).toContain('{}');
  });

  it('is of no use once it is disposed of', () => {
    const filter = Filter.from(['a']);
    for (let times = 0; times < 3; times++) filter.dispose();
    filter[Symbol.dispose]();
    const methods = filter as object as Record<string, (...args: unknown[]) => unknown>;
    for (const [name, ...args] of calls) {
      // What a static filter tells of itself needs no memory, nor the count of a set.
      if (!(name in Filter.prototype) || (isStatic && /^estimate|^fill/.test(name))) continue;
      if (row.isExact && name.startsWith('estimate')) continue;
      expect(() => methods[name]?.(...args), name).toThrow('the filter was used after dispose()');
    }
    expect(() => [...filter.toChunks()]).toThrow('the filter was used after dispose()');
  });

  it('refuses options that it does not know, and error rates that none can have', () => {
    const from = (opts: unknown) => () => Filter.from(['a'], opts as object);
    expect(from({ sede: 1 })).toThrow(/^unknown option sede; the options are (\w+, )+seed\b/);
    for (const opts of [null, 7, 'seed', []]) expect(from(opts)).toThrow(TypeError);
    const rateError = row.isExact ? /^unknown option errorRate/ : /^errorRate must be /;
    for (const wrong of [0, 1, -1, Number.NaN]) expect(from({ errorRate: wrong })).toThrow(rateError);
    for (const wrong of ['1', null]) expect(from({ errorRate: wrong })).toThrow(TypeError);
    expect(Object.is(Filter.from(['a'], { seed: -0 }).seed, 0)).toBe(true);
    // An option may be inherited.
    expect(Filter.from(['a'], Object.create({ seed: 5 })).seed).toBe(5);
  });
});

describe.each(kinds.filter(({ isStatic }) => !isStatic))('every kind to which keys are added: $kind', (row) => {
  const { Filter, className, kind, anyOptions } = row;

  it('is as new once it is cleared', () => {
    const property = fc.property(anyOptions, (opts) => {
      using filter = Filter.from(words.slice(0, 1000), opts).clone();
      filter.clear();
      expect(filter.toBytes()).toEqual(Filter.from([], opts).toBytes());
      expect([filter.has('clé 0'), filter.fillRatio(), filter.estimateCount()]).toEqual([false, 0, 0]);
      expect(Object.is(filter.estimateErrorRate(), 0)).toBe(true);
      expect([filter.add('clé 0'), filter.add('clé 0'), filter.has('clé 0')]).toEqual([true, false, true]);
    });
    fc.assert(property, { seed: 7, numRuns: 5 });
  });

  if ('equals' in Filter.prototype) {
    it('equals a filter of the same keys and seed, and can be compared with its kind only', () => {
      const filter = Filter.from(['a', 'b'], { capacity: 900 });
      expect(filter.equals(filter.clone())).toBe(true);
      for (const other of [
        Filter.from(['a', 'c'], { capacity: 900 }),
        Filter.from(['a', 'b'], { capacity: 900, seed: 1 }),
        ...(row.isExact
          ? []
          : [{ capacity: 2000 }, { capacity: 900, errorRate: 0.1 }].map((opts) => Filter.from(['a', 'b'], opts))),
      ]) {
        expect([filter.equals(other), other.equals(filter)]).toEqual([false, false]);
      }
      for (const other of kinds.filter((each) => each.kind !== kind)) {
        const message = `other must be a ${className}, got a ${other.className}`;
        expect(() => filter.equals(other.Filter.from(['a']))).toThrow(new TypeError(message));
      }
    });
  }

  it('adds many keys as it adds single ones, in every form, and dedupes so', () => {
    const property = fc.property(anyOptions, (opts) => {
      const one = Filter.from([], opts);
      const flags = Uint8Array.from(words, (each) => Number(one.add(each)));
      const out = new Uint8Array(words.length);
      expect(Filter.from([], opts).addMany(words, out).toBytes()).toEqual(one.toBytes());
      expect(out).toEqual(flags);
      for (const form of formsOf(words, one.seed, row)) {
        expect(Filter.from([], opts).addMany(form).toBytes()).toEqual(one.toBytes());
      }
      const found = Uint8Array.from(words, (each) => Number(one.has(each)));
      expect(one.hasMany(words)).toEqual(found);
      // Where a key is more than its bytes, there is no such method.
      if ('dedupe' in Filter.prototype) {
        const fresh = Filter.from([], opts);
        expect(fresh.dedupe(words)).toEqual(words.filter((_, i) => flags[i]));
        expect(fresh.hasMany(words)).toEqual(found);
        const [hashed] = row.hashKeys(words, one.seed);
        expect(Filter.from([], opts).dedupe(hashed)).toEqual(hashed.pick(flags));
      }
      expect([one.has(long), one.add(long), one.has(long), one.add(long)]).toEqual([false, true, true, false]);
    });
    fc.assert(property, { seed: 5, numRuns: 1 });
  });
});

describe.each(kinds.filter(({ Filter }) => 'remove' in Filter.prototype))('every kind that removes: $kind', (row) => {
  const filled = (keys: Key[]) => row.Filter.from(keys, row.at(1e-6)) as object as AnyFilter & CountingFilter;

  it('refuses what it cannot remove, and does not change', () => {
    const filter = filled(['a', 'b']);
    const before = filter.toBytes();
    const out = new Uint8Array(2).fill(9);
    filter.removeMany(['x', 'y'], out);
    expect([...out, filter.remove('x')]).toEqual([0, 0, false]);
    const short = new RangeError('out must have a length of 2 or more, got 1');
    expect(() => filter.removeMany(['a', 'b'], new Uint8Array(1))).toThrow(short);
    expect(() => filter.removeMany(['a'].values(), new Uint8Array(9))).toThrow(/^out needs a known number of keys/);
    expect(() => filter.removeMany('ab' as never)).toThrow(/^keys must be .*, got "ab", which is one key$/);
    for (const verb of ['add', 'has', 'remove', 'countOf'] as const) {
      if (!(verb in filter)) continue;
      expect(() => filter[verb](null as never)).toThrow(TypeError);
      expect(() => filter[verb](null as never)).toThrow(/^key must be /);
      expect(() => filter[verb](1.5)).toThrow(RangeError);
    }
    expect(filter.toBytes()).toEqual(before);
  });

  it('removes keys of all types, in a batch as one by one', () => {
    const keys = [...new Set(awkwardKeys(1000, 11))];
    // Some of them twice, and some that are absent.
    const gone = [...keys.slice(0, 400), ...keys.slice(0, 100), ...awkwardKeys(400, 12)];
    const [single, batch, silent] = [filled(keys), filled(keys), filled(keys)];
    const expected = gone.map((each) => Number(single.remove(each)));
    expect(new Set(expected)).toEqual(new Set([0, 1]));
    const out = new Uint8Array(gone.length);
    expect(batch.removeMany(gone, out)).toBe(batch);
    expect([...out]).toEqual(expected);
    for (const each of [batch, silent.removeMany(gone)]) expect(each.toBytes()).toEqual(single.toBytes());
  });

  it('removes keys longer than the scratch, and those before a bad one, whose position it names', () => {
    const keys = words.slice(0, 4500);
    const filter = filled([...keys, long]);
    if ('countOf' in filter) expect(filter.countOf(long)).toBe(1);
    expect([filter.remove(long), filter.has(long), filter.remove(long)]).toEqual([true, false, false]);
    const bad = keys.with(4200, null as never);
    expect(() => filter.removeMany(bad)).toThrow(/^keys\[4200\] must be a string, .*, got null$/);
    expect(filter.pick(keys)).toEqual(keys.slice(4200));
  });
});

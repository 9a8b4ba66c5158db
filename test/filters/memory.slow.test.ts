import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { RedisBloomDump } from '../../src/entries/redisbloom.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { type Engine, PAGE } from '../../src/kernel/region.ts';
import { PADDING } from '../../src/kernel/scratch.ts';
import { FilterMemoryError } from '../../src/util/checks/errors.ts';
import { entries } from '../shared/kinds.ts';
import { classOn, watched, withoutMemory } from '../shared/open.ts';
import { indicesOf } from '../shared/oracle.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const names = ['one', 'two', 'three', ''];

describe.each(entries)('memory: $name', ({ name, engine, api: { BloomFilter } }) => {
  it('of a large filter is in its own instance, and of the size needed', () => {
    const limit = engine.sharing.most;
    expect(limit).toBe(name === 'wasm' ? 2 ** 24 : 2 ** 20);
    const small = [engine.reserve(2 ** 20), engine.reserve(2 ** 20)];
    const large = [engine.reserve(limit + 1), engine.reserve(limit + 1)];
    expect(small[0]?.instance).toBe(small[1]?.instance);
    expect(large[0]?.instance).not.toBe(large[1]?.instance);
    expect(large[0]?.instance.memory.buffer.byteLength).toBeLessThan(limit + 2 ** 18 + 2 ** 16);
    for (const region of [...small, ...large]) region.dispose();
  });

  it.each([
    ['of 4 MiB', 2 ** 22, 40],
    ['as large as may share an arena', engine.sharing.most, 12],
    ['larger than that', engine.sharing.most + 1, 4],
  ])('of dropped filters is kept by nothing but the last arena: %s', async (_, byteLength, count) => {
    // As in Safari, where a collection in a loop keeps the registry and all held values until the loop ends.
    const held: unknown[] = [];
    class Waiting {
      register(_: object, value: unknown): void {
        held.push(value);
      }
      unregister(): void {}
    }
    vi.resetModules();
    vi.stubGlobal('FinalizationRegistry', Waiting);
    const fresh = await (name === 'wasm' ? import('../../src/index.ts') : import('../../src/entries/js/index.ts'));
    vi.unstubAllGlobals();
    const make = () => new WeakRef(fresh.BloomFilter.engine.reserve(byteLength).instance.memory);
    const memories = Array.from({ length: count }, make);
    const alive = (): number => new Set(memories.flatMap((memory) => memory.deref() ?? [])).size;
    // Two or three of the largest filters that share a memory fit into one.
    if (byteLength === engine.sharing.most) expect(alive()).toBe(name === 'wasm' ? 6 : 4);
    // A WeakRef keeps its target alive until the turn of the event loop ends, and a collection need not find at once all
    // that it can find: one turn is enough in most cases.
    for (let turn = 0; turn < 100; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      if (alive() <= 1) break;
    }
    expect(alive()).toBeLessThanOrEqual(1);
    if (byteLength <= engine.sharing.most) expect(held).toHaveLength(count);
  });

  it('is freed when a filter is no longer referenced, and not while one is in use', async () => {
    const filters = Array.from({ length: 100 }, (_, i) => new BloomFilter({ bits: 4096, hashes: 3 }).addMany([i]));
    const pointers = new Map<object, Set<number>>();
    let isReused = false;
    for (let round = 0; round < 20 && !isReused; round++) {
      for (let i = 0; i < 200; i++) {
        const { instance, pointer } = engine.reserve(100_000);
        const known = pointers.get(instance) ?? new Set();
        isReused ||= known.has(pointer);
        pointers.set(instance, known.add(pointer));
        new BloomFilter({ bits: 4096, hashes: 3 }).addMany([i + 1000]);
      }
      collectGarbage();
      // Finalizers run in a task of their own.
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(isReused).toBe(true);
    // Also in an arena that was full, and that other filters keep.
    const half = engine.sharing.most / 2;
    const kept = engine.reserve(half);
    const isBeside = (): boolean => engine.reserve(half).instance === kept.instance;
    while (isBeside());
    for (let round = 0; round < 20; round++) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve));
      isReused = Array.from({ length: 10 }, isBeside).some(Boolean);
      if (isReused) break;
    }
    expect([isReused, kept.disposed]).toEqual([true, false]);
    expect(filters.every((filter, i) => filter.has(i) && Math.round(filter.fillRatio() * 4096) <= 3)).toBe(true);
  });

  it('is refused above the limit, with an error that names size and limit, and nothing changes', () => {
    const { maxBytes } = engine;
    expect(maxBytes).toBeGreaterThan(name === 'wasm' ? 2 ** 32 - 2 ** 19 : 2 ** 31 - 2 ** 19);
    const limit = name === 'wasm' ? '4.29 GB' : '2.15 GB';
    expect(() => new BloomFilter({ bits: (maxBytes + 1) * 8, hashes: 1 })).toThrow(
      new FilterMemoryError(`a filter of ${limit} is too large: at most ${limit} fit into one`, maxBytes + 1),
    );
    expect(() => new BloomFilter({ bits: 2 ** 53 - 1, hashes: 1 })).toThrow('a filter of 1.13 PB is too large');
    expect(() => new BloomFilter({ bits: 28.8e12, hashes: 1 })).toThrow('a filter of 3.6 TB is too large');
    expect(() => new BloomFilter({ capacity: 2 ** 53 - 1, errorRate: 0.5 })).toThrow(RangeError);
    expect(new BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });

  it('holds the largest possible filter, up to its last bit', () => {
    const bits = engine.maxBytes * 8;
    using filter = new BloomFilter({ bits, hashes: 7 });
    for (const [i, key] of names.entries()) expect(filter.add(key), `key ${i}`).toBe(true);
    expect(filter.hasMany(names)).toEqual(new Uint8Array(4).fill(1));
    expect(filter.has('absent')).toBe(false);
    const { bytes } = filter[CELLS].region;
    const indices = names.flatMap((key) => indicesOf(key, bits, 7, 0));
    expect(indices.filter((index) => ((bytes[Math.floor(index / 8)] ?? 0) >> (index % 8)) & 1)).toEqual(indices);
  });
});

type Change = (engine: Engine) => Engine;
const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);

it.each<[kind: string, from: (on: Change) => { clone(): unknown }]>([
  ['fuse-map', (on) => classOn(FuseMap, on(FuseMap.engine)).from(keys, new Uint8Array(keys.length), { shards: 8 })],
  ['sharded-fuse', (on) => classOn(ShardedFuseFilter, on(ShardedFuseFilter.engine)).from(keys, { shards: 8 })],
  ['scalable', (on) => classOn(ScalableBloomFilter, on(ScalableBloomFilter.engine)).from(keys, { capacity: 99 })],
  ['redisbloom', (on) => classOn(RedisBloomDump, on(RedisBloomDump.engine)).from(keys, { capacity: 99 })],
])('nothing is left of a clone of several parts for which there is not enough memory: %s', (_, from) => {
  let left = (): number[] => [];
  let most = Infinity;
  const filter = from((engine) => {
    const watching = watched(withoutMemory(engine, () => most-- === 0));
    left = watching.left;
    return watching.engine;
  });
  const before = left();
  most = 3;
  expect(() => filter.clone()).toThrow(FilterMemoryError);
  expect(left()).toEqual(before);
  expect(before.length).toBeGreaterThan(3);
});

it('goes on behind the last byte of a filter, as far as its cells are read', () => {
  // The filter ends where a page of its memory ends.
  const before = 65_535 * PAGE - PADDING - CuckooFilter.engine.maxBytes;
  using filter = new CuckooFilter({ buckets: (300 * PAGE - before) / 8, fingerprintBits: 16 });
  expect(filter.byteLength).toBeGreaterThan(CuckooFilter.engine.sharing.most);
  using loaded = CuckooFilter.fromChunks(filter.toChunks());
  expect([filter.count, loaded.count]).toEqual([0, 0]);
});

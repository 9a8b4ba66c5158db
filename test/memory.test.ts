import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { createEngine } from '../src/kernel/engine.ts';
import { instantiate } from '../src/kernel/wasm.ts';
import { entries, kinds, open, rowOf, shapeOf } from './kinds.ts';
import { indicesOf } from './oracle.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const { Core } = rowOf('classic');
const names = ['one', 'two', 'three', ''];

describe.each(entries)('memory: $name', ({ name, engine, api: { BloomFilter } }) => {
  it('holds 100,000 small filters at once, none of which affects another', () => {
    const filters = Array.from({ length: 100_000 }, (_, i) => {
      const filter = new BloomFilter({ bits: 64 + (i % 1000), hashes: 3 });
      filter.add(i);
      return filter;
    });
    expect(filters.every((filter, i) => filter.has(i))).toBe(true);
    // Each filter has at most three bits, so bits set by another would show.
    expect(filters.every((filter) => Math.round(filter.fillRatio() * filter.bits) <= 3)).toBe(true);
    for (const filter of filters) filter.dispose();
  });

  it('adds an arena when the others are full, and drops it when it is empty', () => {
    // 200 filters of 1 MiB need more than three arenas of 64 MiB.
    const filters = Array.from({ length: 200 }, () => new BloomFilter({ bits: 2 ** 23, hashes: 3 }));
    for (const [i, filter] of filters.entries()) filter.add(i);
    expect(filters.every((filter, i) => filter.has(i) && !filter.has(i + 1000))).toBe(true);
    for (const filter of filters) filter.dispose();
    const buffers = new Set(
      Array.from({ length: 60 }, () => open(Core, engine, { bits: 2 ** 23, hashes: 3 })).map(
        (each) => each.bytes().buffer,
      ),
    );
    expect(buffers.size).toBe(60);
  });

  it('is zeroed, even if another filter used it before', () => {
    for (const bits of [64, 5000, 2 ** 20]) {
      for (let round = 0; round < 50; round++) {
        using filter = new BloomFilter({ bits, hashes: 8 });
        expect(filter.fillRatio()).toBe(0);
        filter.addMany(Array.from({ length: bits / 8 }, (_, i) => i));
      }
    }
  });

  it('is aligned to 64 bytes for every filter', () => {
    for (const bits of [1, 9, 1000, 2 ** 20 + 1, 2 ** 24]) {
      const region = engine.reserve(Math.ceil(bits / 8));
      expect(region.pointer % 64).toBe(0);
      expect(region.byteLength).toBe(Math.ceil(bits / 8));
      region.dispose();
    }
  });

  it('of a filter over 1 MiB is in its own instance, and of the size needed', () => {
    const small = [engine.reserve(2 ** 20), engine.reserve(2 ** 20)];
    const large = [engine.reserve(2 ** 20 + 1), engine.reserve(2 ** 20 + 1)];
    expect(small[0]?.instance).toBe(small[1]?.instance);
    expect(large[0]?.instance).not.toBe(large[1]?.instance);
    expect(large[0]?.instance.memory.buffer.byteLength).toBeLessThan(2 ** 20 + 2 ** 18 + 2 ** 16);
    for (const region of [...small, ...large]) region.dispose();
  });

  it('is freed by `using`', () => {
    let outside: InstanceType<typeof BloomFilter>;
    {
      using filter = new BloomFilter({ capacity: 10 });
      outside = filter;
      filter.add('a');
    }
    expect(() => outside.has('a')).toThrow(TypeError);
  });

  it('is freed when a filter is no longer referenced', async () => {
    const blocks = new Map<object, Set<number>>();
    let reused = false;
    for (let round = 0; round < 20 && !reused; round++) {
      for (let i = 0; i < 200; i++) {
        const { instance, pointer } = engine.reserve(100_000);
        const pointers = blocks.get(instance) ?? new Set();
        reused ||= pointers.has(pointer);
        blocks.set(instance, pointers.add(pointer));
      }
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(reused).toBe(true);
  });

  it('is not freed while a filter is in use', async () => {
    const filters = Array.from({ length: 100 }, (_, i) => new BloomFilter({ bits: 4096, hashes: 3 }).addMany([i]));
    for (let round = 0; round < 5; round++) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (let i = 0; i < 100; i++) new BloomFilter({ bits: 4096, hashes: 3 }).addMany([i + 1000]);
    }
    expect(filters.every((filter, i) => filter.has(i) && Math.round(filter.fillRatio() * 4096) <= 3)).toBe(true);
  });

  it('is refused above the limit, with an error that names size and limit, and nothing changes', () => {
    const { maxBytes } = engine;
    expect(maxBytes).toBeGreaterThan(name === 'wasm' ? 2 ** 32 - 2 ** 19 : 2 ** 31 - 2 ** 19);
    const limit = name === 'wasm' ? '4.29 GB' : '2.15 GB';
    expect(() => new BloomFilter({ bits: (maxBytes + 1) * 8, hashes: 1 })).toThrow(
      new RangeError(`a filter of ${limit} is too large: at most ${limit} fit into one`),
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
    using other = new BloomFilter({ bits: 64, hashes: 1 });
    expect(other.fillRatio()).toBe(0);
  });
});

describe.each(kinds)('memory of every kind: $name', ({ sized, blockCells }) => {
  it('is freed by dispose, which may be called again, and every later use throws', () => {
    for (const cells of [256, 2 ** 24]) {
      const filter = sized({ cells, hashes: 3 }).addMany(names);
      const other = sized({ cells, hashes: 3 });
      filter.dispose();
      filter.dispose();
      filter[Symbol.dispose]();
      const uses: (() => unknown)[] = [
        () => filter.add('a'),
        () => filter.has('a'),
        () => filter.addMany(['a']),
        () => filter.addMany([]),
        () => filter.hasMany([]),
        () => filter.pick([]),
        () => filter.omit([]),
        () => filter.dedupe([]),
        () => filter.union(other),
        () => other.union(filter),
        () => other.merge(filter),
        () => other.intersection(filter),
        () => other.equals(filter),
        () => filter.clone(),
        () => filter.clear(),
        () => filter.fillRatio(),
        () => filter.estimateCount(),
        () => filter.estimateErrorRate(),
      ];
      for (const use of uses) expect(use, String(use)).toThrow(/after dispose\(\)/);
      expect(other.fillRatio()).toBe(0);
      expect(shapeOf(filter).cells).toBe(Math.ceil(cells / blockCells) * blockCells);
    }
  });
});

describe('memory of WebAssembly', () => {
  const wasm = entries[0];

  it('holds 9.6 · 10^9 bits, and sets bits above 2^32 at the right place', () => {
    const bits = 9_585_058_378;
    const region = wasm.engine.reserve(Math.ceil(bits / 8));
    region.dispose();
    const { filter, bytes } = open(Core, wasm.engine, { capacity: 1_000_000_000 });
    expect(filter.cellCount).toBe(bits);
    const keys = Array.from({ length: 1000 }, (_, i) => `https://example.org/${i}`);
    filter.addMany(keys);
    const indices = new Set(keys.flatMap((key) => indicesOf(key, bits, 7, 0)));
    expect([...indices].filter((index) => index > 2 ** 32).length).toBeGreaterThan(3000);
    expect(filter.fillRatio() * bits).toBeCloseTo(indices.size, 3);
    const body = bytes();
    expect([...indices].every((index) => ((body[Math.floor(index / 8)] ?? 0) >> (index % 8)) & 1)).toBe(true);
    expect(filter.hasMany(keys).every((flag) => flag === 1)).toBe(true);
    filter.dispose();
  });

  it('falls back to an arena if the system refuses another memory', () => {
    let memories = 0;
    // Simulated: V8 on x86-64 refuses about the 13,000th memory, which takes a minute to reach.
    const engine = createEngine('wasm', 65_535, (pages, maximum) => {
      if (memories === 3) throw new RangeError('could not allocate memory');
      memories++;
      return instantiate(pages, maximum);
    });
    const small = engine.reserve(100);
    const own = [engine.reserve(2 ** 21), engine.reserve(2 ** 21)];
    const refused = engine.reserve(2 ** 21);
    expect(new Set([small, ...own].map((region) => region.instance)).size).toBe(3);
    expect(refused.instance).toBe(small.instance);
    expect(refused.bytes.every((byte) => byte === 0)).toBe(true);
    const largest = 2 ** 26 - 2 ** 22;
    expect(() => engine.reserve(largest)).toThrow('no memory for a filter of 62.9 MB');
    expect(() => engine.reserve(largest)).toThrow(RangeError);
    refused.dispose();
    expect(engine.reserve(2 ** 21).instance).toBe(small.instance);
  });

  it('throws an error that names bloomery/js if WebAssembly is refused', async () => {
    const { Module } = WebAssembly;
    vi.resetModules();
    const fresh = await import('../src/index.ts');
    try {
      Object.defineProperty(WebAssembly, 'Module', {
        configurable: true,
        writable: true,
        value: class {
          constructor() {
            throw new WebAssembly.CompileError('blocked by CSP');
          }
        },
      });
      expect(() => new fresh.BloomFilter({ capacity: 10 })).toThrow(
        /^WebAssembly is refused here: import from 'bloomery\/js'$/,
      );
    } finally {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Module });
    }
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });

  it('works without FinalizationRegistry, as in older Workers', async () => {
    vi.resetModules();
    vi.stubGlobal('FinalizationRegistry', undefined);
    try {
      const fresh = await import('../src/index.ts');
      const filter = new fresh.BloomFilter({ capacity: 10 });
      expect(filter.add('a')).toBe(true);
      filter.dispose();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('works with a compiled module passed to useKernel', async () => {
    const { readFileSync } = await import('node:fs');
    vi.resetModules();
    const fresh = await import('../src/index.ts');
    fresh.useKernel(new WebAssembly.Module(readFileSync('dist/kernel.wasm')));
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

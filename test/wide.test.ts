import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as wasmWide from '../src/entries/wide.ts';
import * as jsWide from '../src/entries/wide-js.ts';
import { BloomFilter, optimalBits } from '../src/index.ts';
import { open, rowOf } from './kinds.ts';
import { bytesOf, murmur3, wideBitsOf, wideBytes } from './oracle.ts';

const { Core } = rowOf('wide');
const entries = [
  { name: 'wasm', api: wasmWide },
  { name: 'js', api: jsWide },
] as const;
const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe.each(entries)('WideBlockedBloomFilter: $name', ({ name, api: { WideBlockedBloomFilter } }) => {
  const { engine } = WideBlockedBloomFilter;

  it('tells what it was made of', () => {
    expect(new WideBlockedBloomFilter({ capacity: 1_000_000, errorRate: 1e-6, seed: 3 })).toMatchObject({
      kind: 'wide',
      engine: name,
      capacity: 1_000_000,
      errorRate: 1e-6,
      bits: 512 * wasmWide.optimalWideBlocks(1_000_000, 1e-6),
      hashes: 16,
      seed: 3,
    });
    const given = new WideBlockedBloomFilter({ bits: 5120 });
    expect(given).toMatchObject({ capacity: 221, bits: 5120, hashes: 16, seed: 0, byteLength: 640 });
    expect(given.errorRate).toBe(wasmWide.expectedWideBlockedErrorRate(221, 5120));
  });

  it.each([
    [1, 512],
    [512, 512],
    [513, 1024],
    [2 ** 24 + 1, 2 ** 24 + 512],
  ])('rounds %i bits up to whole blocks: %i', (bits, rounded) => {
    const filter = new WideBlockedBloomFilter({ bits });
    expect(filter).toMatchObject({ bits: rounded, byteLength: rounded / 8 });
    expect(filter.equals(new WideBlockedBloomFilter({ bits: rounded }))).toBe(true);
  });

  it('gives a key one bit in each word of one block', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), fc.nat(2 ** 32 - 1), (key, blocks, seed) => {
        const { filter, bytes } = open(Core, engine, { bits: 512 * blocks, seed });
        expect(filter.add(key)).toBe(true);
        expect(filter.add(key)).toBe(false);
        expect(bytes()).toEqual(wideBytes([key], blocks, seed));
        const body = bytes();
        const touched = numbers(16 * blocks).filter((word) => body.subarray(4 * word, 4 * word + 4).some(Boolean));
        expect(touched.map((word) => word - (touched[0] ?? 0))).toEqual(numbers(16));
        expect((touched[0] ?? 1) % 16).toBe(0);
        filter.dispose();
      }),
    );
  });

  it('says maybe of just those keys whose sixteen bits are set', () => {
    const { filter } = open(Core, engine, { bits: 1024 });
    const set = new Set<number>();
    let present = 0;
    for (const key of numbers(2000)) {
      const bits = wideBitsOf(...murmur3(bytesOf(key), 0), 2);
      const expected = bits.every((bit) => set.has(bit));
      expect(filter.has(key)).toBe(expected);
      present += Number(expected);
      if (key % 9 !== 0) continue;
      expect(filter.add(key)).toBe(!expected);
      for (const bit of bits) set.add(bit);
    }
    // Neither answer may be missing from the test.
    expect(present).toBeGreaterThan(20);
    expect(present).toBeLessThan(1500);
  });

  it('unites: the bytes of the union are those of a filter of all keys', () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        const a = open(Core, engine, { bits: 1024 });
        const b = open(Core, engine, { bits: 1024 });
        b.filter.addMany(right);
        a.filter.addMany(left).merge(b.filter);
        expect(a.bytes()).toEqual(wideBytes([...left, ...right], 2, 0));
        expect(b.bytes()).toEqual(wideBytes(right, 2, 0));
      }),
    );
  });

  it('names what differs when it cannot combine', () => {
    const a = new WideBlockedBloomFilter({ bits: 1024, seed: 5 });
    for (const verb of ['union', 'intersection', 'merge'] as const) {
      expect(() => a[verb](new WideBlockedBloomFilter({ bits: 1536, seed: 5 }))).toThrow(
        'bits of other must be 1024, got 1536',
      );
      expect(() => a[verb](new WideBlockedBloomFilter({ bits: 1024 }))).toThrow('seed of other must be 5, got 0');
      const classic = new BloomFilter({ bits: 1024, hashes: 16, seed: 5 });
      expect(() => a[verb](classic as never)).toThrow(/^other must be a WideBlockedBloomFilter, got /);
    }
  });

  it('estimates', () => {
    const filter = new WideBlockedBloomFilter({ capacity: 20_000, errorRate: 0.001 }).addMany(numbers(20_000));
    const rate = filter.estimateErrorRate();
    expect(Math.abs(rate / 0.001 - 1)).toBeLessThan(0.3);
    const hits = filter.hasMany(numbers(1_000_000).map((i) => i + 20_000)).reduce((sum, flag) => sum + flag, 0);
    // 6 deviations.
    expect(Math.abs(hits - rate * 1e6)).toBeLessThan(6 * Math.sqrt(rate * 1e6));
    expect(Math.abs(filter.estimateCount() - 20_000)).toBeLessThan(600);
    const full = new WideBlockedBloomFilter({ bits: 512 }).addMany(numbers(2000));
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateCount()).toBe(Number.POSITIVE_INFINITY);
    expect(full.estimateErrorRate()).toBe(1);
  });

  it('refuses error rates that are not for blocks, and names both sizes and the kind to turn to', () => {
    expect(new WideBlockedBloomFilter({ capacity: 1000, errorRate: 1e-8 }).errorRate).toBe(1e-8);
    for (const errorRate of [9.99e-9, 1e-20, Number.MIN_VALUE]) {
      const make = (): unknown => new WideBlockedBloomFilter({ capacity: 1000, errorRate });
      expect(make).toThrow(RangeError);
      expect(make).toThrow(
        /^errorRate must be at least 1e-8 in blocks, got \S+, for which they take \d+ bits or more, and a BloomFilter \d+$/,
      );
      expect(make).toThrow(`a BloomFilter ${optimalBits(1000, errorRate)}`);
    }
  });

  it('refuses a promise and a size at once, and sizes out of range', () => {
    const both: object = { capacity: 1, bits: 512 };
    expect(() => new WideBlockedBloomFilter(both as never)).toThrow('got something of both');
    for (const bits of [0, -1, 1.5, 2 ** 41, Number.NaN]) {
      expect(() => new WideBlockedBloomFilter({ bits })).toThrow(
        /^bits must be an integer from 1 to 2199023255040, got /,
      );
    }
    expect(() => new WideBlockedBloomFilter({ bits: 2 ** 41 - 512 })).toThrow(/is too large/);
    expect(() => new WideBlockedBloomFilter({ bits: '512' } as never)).toThrow(TypeError);
  });

  it('prints', () => {
    const filter = new WideBlockedBloomFilter({ capacity: 100, errorRate: 0.001 });
    expect(inspect(filter, { breakLength: Infinity })).toBe(
      `WideBlockedBloomFilter { capacity: 100, errorRate: 0.001, bits: 2048, seed: 0, engine: '${name}', fillRatio: 0 }`,
    );
    filter.dispose();
    expect(inspect(filter)).toContain('disposed: true');
  });

  it('lives with filters of the main entry, whose memory it does not share', () => {
    const filters = numbers(50).map((i) => ({
      plain: new BloomFilter({ bits: 4096, hashes: 3 }).addMany([`plain ${i}`]),
      wide: new WideBlockedBloomFilter({ bits: 4096 }).addMany([`wide ${i}`]),
    }));
    for (const [i, { plain, wide }] of filters.entries()) {
      expect([plain.has(`plain ${i}`), wide.has(`wide ${i}`)]).toEqual([true, true]);
      expect(Math.round(plain.fillRatio() * 4096)).toBeLessThanOrEqual(3);
      expect(Math.round(wide.fillRatio() * 4096)).toBe(16);
    }
  });

  it('is right after the memory has grown, which moves what its module works on', () => {
    const first = new WideBlockedBloomFilter({ bits: 51_200 }).addMany(numbers(100));
    const expected = wideBytes(numbers(100), 100, 0);
    const others = numbers(40).map(() => new WideBlockedBloomFilter({ bits: 2 ** 22 }).addMany(numbers(10)));
    expect(first.toBytes().subarray(64)).toEqual(expected);
    expect(first.hasMany(numbers(100))).toEqual(new Uint8Array(100).fill(1));
    for (const other of others) expect(other.equals(others[0] as typeof other)).toBe(true);
    first.addMany(numbers(200));
    expect(first.toBytes().subarray(64)).toEqual(wideBytes(numbers(200), 100, 0));
  });
});

it.each([1024, 2 ** 24])('wide filters of both engines combine, small or large: %i bits', (bits) => {
  const a = new wasmWide.WideBlockedBloomFilter({ bits }).addMany(numbers(30));
  const b = new jsWide.WideBlockedBloomFilter({ bits }).addMany(numbers(50).slice(20));
  const all = new jsWide.WideBlockedBloomFilter({ bits }).addMany(numbers(50));
  expect(a.union(b).equals(all)).toBe(true);
  expect(b.union(a).equals(all)).toBe(true);
  expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
  expect(a.equals(b)).toBe(false);
});

describe('a linked module of WebAssembly', () => {
  it('may be given compiled, and is refused if it is another', async () => {
    vi.resetModules();
    const main = await import('../src/index.ts');
    const fresh = await import('../src/entries/wide.ts');
    const kernel = new WebAssembly.Module(readFileSync('dist/kernel.wasm'));
    const wide = new WebAssembly.Module(readFileSync('dist/wide.wasm'));
    const another = /^module must be the 'bloomery\/wide\/kernel.wasm' of this very version, got another$/;
    expect(() => fresh.useKernel(kernel)).toThrow(another);
    expect(() => main.useKernel(wide)).toThrow("module must be the 'bloomery/kernel.wasm' of this very version");
    expect(() => fresh.useKernel({})).toThrow(/^module must be a WebAssembly.Module, got /);
    main.useKernel(kernel);
    fresh.useKernel(wide);
    const { Module } = WebAssembly;
    try {
      // As in a runtime that imports WebAssembly but does not compile it.
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Refusing });
      expect(new fresh.WideBlockedBloomFilter({ capacity: 10 }).add('a')).toBe(true);
    } finally {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Module });
    }
  });

  it('says where to turn when WebAssembly is refused', async () => {
    vi.resetModules();
    const fresh = await import('../src/entries/wide.ts');
    const { Module } = WebAssembly;
    try {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Refusing });
      expect(() => new fresh.WideBlockedBloomFilter({ capacity: 10 })).toThrow(/WebAssembly is refused here/);
    } finally {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Module });
    }
    expect(new fresh.WideBlockedBloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

/** Knows compiled modules, and compiles none. */
class Refusing extends WebAssembly.Module {
  constructor() {
    super(Buffer.of(0, 97, 115, 109, 1, 0, 0, 0));
    throw new WebAssembly.CompileError('refused');
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
  }
}

// What the engine does where a system has, or gives, no more memory.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../src/kernel/engine.ts';
import { instantiate, SHARING } from '../../src/kernel/engine-wasm.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { FilterMemoryError } from '../../src/util/checks/errors.ts';
import { errorOf } from '../format/saved.ts';

beforeEach(() => vi.resetModules());

describe('memory of WebAssembly', () => {
  /** An engine with a limited number of memories: Chromium allows a page 125, Firefox 999. */
  function engineOf(limitNow: () => number): Engine {
    let memories = 0;
    return createEngine('wasm', 65_535, SHARING, (pages, maximum) => {
      if (memories === limitNow()) throw new RangeError('no memory');
      memories++;
      return instantiate(pages, maximum);
    });
  }

  it('is in an arena if the system refuses a large filter a memory of its own', () => {
    const engine = engineOf(() => 3);
    const own = [engine.reserve(2 ** 25), engine.reserve(2 ** 25)];
    const refused = engine.reserve(2 ** 25);
    const small = engine.reserve(100);
    expect(new Set([small, ...own].map((region) => region.instance)).size).toBe(3);
    expect(refused.instance).toBe(small.instance);
    expect(refused.bytes).toEqual(new Uint8Array(2 ** 25));
    const largest = 2 ** 32 - 2 ** 22;
    expect(() => engine.reserve(largest)).toThrow(new FilterMemoryError('no memory for a filter of 4.29 GB', largest));
    refused.dispose();
    expect(engine.reserve(2 ** 25).instance).toBe(small.instance);
  });

  it('is in arenas of the usual size after a filter was refused that is too large for any', () => {
    let limit = 1;
    const engine = engineOf(() => limit);
    const small = engine.reserve(100);
    expect(() => engine.reserve(engine.maxBytes)).toThrow('no memory');
    limit = 20;
    const others = Array.from({ length: 20 }, () => engine.reserve(2 ** 22).instance);
    expect(new Set([small.instance, ...others]).size).toBe(3);
  });

  it('is in an arena if the system refuses a filter that loads a memory that grows', () => {
    const engine = engineOf(() => 1);
    const small = engine.reserve(100);
    const region = engine.reserve(2 ** 25, true);
    expect(region.instance).toBe(small.instance);
    region.commit(2 ** 25);
    expect(region.bytes).toEqual(new Uint8Array(2 ** 25));
  });

  it('is refused with the error for it where a memory cannot grow', () => {
    const region = engineOf(() => 9).reserve(2 ** 25, true);
    vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
    });
    expect(() => region.commit(2 ** 24)).toThrow(new FilterMemoryError('no memory', 2 ** 24));
  });

  it('reaches 4 GB in one arena', () => {
    const engine = engineOf(() => 1);
    const length = 2 ** 29;
    const regions = Array.from({ length: 6 }, () => engine.reserve(length));
    expect(regions.at(-1)?.pointer).toBeGreaterThan(2 ** 31);
    expect(() => engine.reserve(2 * length)).toThrow('no memory for a filter of 1.07 GB');
    engine.reserve(2 * length - 2 ** 20).dispose();
    for (const [i, { bytes }] of regions.entries()) bytes[0] = bytes[length - 1] = i;
    expect(regions.every(({ bytes }, i) => bytes[0] === i && bytes[length - 1] === i)).toBe(true);
    regions[5]?.dispose();
    const { bytes } = engine.reserve(length);
    expect([bytes[0], bytes[length - 1]]).toEqual([0, 0]);
  });

  it('goes on in the last arena if the system refuses another one', () => {
    const engine = engineOf(() => 2);
    const regions = Array.from({ length: 60 }, () => engine.reserve(2 ** 22));
    const instances = regions.map((region) => region.instance);
    expect(new Set(instances).size).toBe(2);
    expect(instances.filter((instance) => instance === instances.at(-1)).length).toBeGreaterThan(50);
    for (const [i, region] of regions.entries()) region.bytes.fill(i);
    for (const [i, region] of regions.entries()) expect(region.bytes).toEqual(new Uint8Array(2 ** 22).fill(i));
  });

  it('is given back when all filters are gone from an arena that had to go on', () => {
    let [limit, asked] = [1, 0];
    const engine = engineOf(() => {
      asked++;
      return limit;
    });
    const useInstance = (byteLength: number): object => {
      const region = engine.reserve(byteLength);
      // After `dispose`, a region has none.
      const { instance } = region;
      region.dispose();
      return instance;
    };
    const first = useInstance(2 ** 26);
    const before = asked;
    expect(useInstance(100) === first, 'no other memory is to be had').toBe(true);
    // It is not asked again.
    expect(asked).toBe(before);
    const region = engine.reserve(2 ** 28);
    expect(region.instance === first).toBe(true);
    limit = 2;
    region.dispose();
    expect(useInstance(100) === first).toBe(false);
  });

  it('is in small arenas if the system refuses large ones', () => {
    const engine = createEngine('wasm', 65_535, SHARING, (pages, maximum) => {
      if (maximum > 2048) throw new RangeError('no memory');
      return instantiate(pages, maximum);
    });
    const regions = Array.from({ length: 20 }, () => engine.reserve(2 ** 22));
    expect(new Set(regions.map((region) => region.instance)).size).toBe(3);
  });

  it.each([
    ['Chromium and Firefox', 'Mozilla/5.0', false, [0, 3, 3, 4, 4, 5]],
    ['WebKit, which refuses so large a buffer', 'Mozilla/5.0', true, [0, 3, 3, 4, 4, 5]],
    ['Node, which counts memories itself', 'Node.js/20', false, [0, 0, 0, 0, 0, 0]],
  ])(
    'asks a browser to collect garbage for each 96 MiB, less often if slow: %s',
    async (_, userAgent, refused, wanted) => {
      const sizes: number[] = [];
      let now = 0;
      let duration = 0;
      const counting = class extends ArrayBuffer {
        constructor(byteLength: number) {
          sizes.push(byteLength);
          now += duration;
          if (refused) throw new RangeError('out of memory');
          super(8);
        }
      };
      vi.stubGlobal('navigator', { userAgent });
      const { BloomFilter } = await import('../../src/index.ts');
      vi.stubGlobal('ArrayBuffer', counting);
      vi.stubGlobal('performance', { now: () => now });
      const countAfter = (reserved: number): number => {
        for (let i = 0; i < reserved; i++) BloomFilter.engine.reserve(2 ** 25);
        return sizes.length;
      };
      // With the first one comes an arena.
      const counts = [countAfter(2), countAfter(7)];
      await new Promise((resolve) => setTimeout(resolve, 5));
      counts.push(countAfter(3));
      duration = 1000;
      // After the first of them, 346 MiB more.
      counts.push(countAfter(1), countAfter(10), countAfter(1));
      expect(counts).toEqual(wanted);
      expect(sizes.every((size) => size === 2 ** 33)).toBe(true);
    },
  );

  it.each([
    ['a RangeError', new RangeError('could not allocate memory')],
    ['a string, as in Firefox', 'out of memory'],
  ])('is refused with an error that says so: %s', async (_, thrown) => {
    const fresh = await import('../../src/index.ts');
    const refusing = class {
      constructor() {
        throw thrown;
      }
    };
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(refusing as never);
    const error = errorOf(() => new fresh.BloomFilter({ capacity: 10 }));
    expect(error).toBeInstanceOf(FilterMemoryError);
    expect(error).toMatchObject({ message: 'no memory for a filter of 13 B', byteLength: 13 });
    expect(error.cause).toMatchObject({ message: 'no memory', cause: thrown });
  });

  it('works without FinalizationRegistry, as in older Workers', async () => {
    vi.stubGlobal('FinalizationRegistry', undefined);
    vi.stubGlobal('WeakRef', undefined);
    const fresh = await import('../../src/index.ts');
    for (let i = 0; i < 5; i++) {
      using filter = new fresh.BloomFilter({ bits: 2 ** 27, hashes: 3 });
      expect(filter.add('a')).toBe(true);
    }
  });
});

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BloomFilter as JsBloomFilter } from '../../src/entries/js.ts';
import type * as wideEntry from '../../src/entries/wide.ts';
import type * as entry from '../../src/index.ts';
import { entries } from '../shared/kinds.ts';

const REFUSED = "WebAssembly is refused here: import from 'bloomery/js'";
const KiB = 2 ** 10;
const MiB = 2 ** 20;
const options = (byteLength: number) => ({ bits: 8 * byteLength, hashes: 3 });

let fresh: typeof entry;
let wide: typeof wideEntry;

beforeEach(async () => {
  vi.resetModules();
  fresh = await import('../../src/index.ts');
  wide = await import('../../src/entries/wide.ts');
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Replaces functions of WebAssembly, until globals are restored. */
function replace(replacements: object): void {
  const copied = Object.fromEntries(
    Object.getOwnPropertyNames(WebAssembly).map((name) => [name, WebAssembly[name as keyof typeof WebAssembly]]),
  );
  vi.stubGlobal('WebAssembly', { ...copied, ...replacements });
}

interface Counted {
  memories: number;
  compiled: number;
}

/** Acts like a page of Chrome before 115, which refuses to start modules above 4 KB synchronously. */
function actLikeOldChrome(): Counted {
  const { Module, Instance, Memory, compile } = WebAssembly;
  const small = new WeakSet<WebAssembly.Module>();
  const counted: Counted = { memories: 0, compiled: 0 };
  const refusal = (name: string): RangeError =>
    new RangeError(`WebAssembly.${name} is disallowed on the main thread, if the buffer size is larger than 4KB.`);
  replace({
    async compile(bytes: Uint8Array<ArrayBuffer>) {
      counted.compiled++;
      const module = await compile(bytes);
      if (bytes.length <= 4096) small.add(module);
      return module;
    },
    Module: new Proxy(Module, {
      construct(_, [bytes]: [Uint8Array<ArrayBuffer>]) {
        if (bytes.length > 4096) throw refusal('Compile');
        const module = new Module(bytes);
        small.add(module);
        return module;
      },
    }),
    Instance: new Proxy(Instance, {
      construct(_, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
        if (!small.has(module)) throw refusal('Instance');
        return new Instance(module, imports);
      },
    }),
    Memory: new Proxy(Memory, {
      construct(_, [descriptor]: [WebAssembly.MemoryDescriptor]) {
        counted.memories++;
        return new Memory(descriptor);
      },
    }),
  });
  return counted;
}

describe.each(entries)('prepare: $name', ({ api }) => {
  it('may be called at any time and any number of times, on every class', async () => {
    const classes = [api.BloomFilter, api.BlockedBloomFilter, api.CountingBloomFilter];
    const before = new api.BloomFilter({ capacity: 10 }).addMany(['a']);
    const given = await Promise.all([...classes, ...classes].map((Class) => Class.prepare()));
    expect(new Set(given)).toEqual(new Set([undefined]));
    expect(before.has('a')).toBe(true);
    await api.BloomFilter.prepare();
    expect(new api.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

describe('prepare', () => {
  it('compiles once and makes one memory, however often it is called', async () => {
    const counted = actLikeOldChrome();
    await Promise.all([fresh.BloomFilter.prepare(), fresh.BlockedBloomFilter.prepare()]);
    await fresh.CountingBloomFilter.prepare();
    expect(counted).toEqual({ memories: 1, compiled: 1 });
  });

  it('does nothing after a filter exists', async () => {
    new fresh.BloomFilter({ capacity: 10 });
    const counted = actLikeOldChrome();
    await fresh.BloomFilter.prepare();
    expect(counted).toEqual({ memories: 0, compiled: 0 });
  });

  it('leaves the filters alone that are made while it runs', async () => {
    const preparing = fresh.BloomFilter.prepare();
    const first = new fresh.BloomFilter({ capacity: 10 }).addMany(['a']);
    await preparing;
    const second = new fresh.BloomFilter({ capacity: 10 });
    expect([first.has('a'), second.has('a')]).toEqual([true, false]);
  });

  it('in plain JavaScript needs no WebAssembly', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    await JsBloomFilter.prepare();
  });

  it.each([
    ['compiling', { compile: () => Promise.reject(new WebAssembly.CompileError('blocked by CSP')) }],
    ['instantiating', { instantiate: () => Promise.reject(new WebAssembly.CompileError('unsafe-eval')) }],
  ])('rejects where %s is refused, and so do filters', async (_, refusing) => {
    // In old Chrome, a filter made without `prepare` fails for a reason of its own, so this is the harder case.
    actLikeOldChrome();
    replace(refusing);
    const reason = await fresh.BloomFilter.prepare().catch((error: unknown) => error);
    expect(reason).toEqual(new Error(REFUSED));
    expect((reason as Error).cause).toBeInstanceOf(WebAssembly.CompileError);
    expect(() => new fresh.BloomFilter({ capacity: 10 })).toThrow(reason as Error);
    expect(() => new fresh.BloomFilter(options(20 * MiB))).toThrow(reason as Error);
    await expect(fresh.BloomFilter.prepare()).rejects.toThrow(REFUSED);
  });

  it('rejects where there is no WebAssembly', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    await expect(fresh.BloomFilter.prepare()).rejects.toThrow(REFUSED);
    await expect(wide.WideBlockedBloomFilter.prepare()).rejects.toThrow("import from 'bloomery/wide/js'");
  });

  it('names an entry with the same exports where WebAssembly is refused, and says if there is none', async () => {
    const { ScalableBloomFilter } = await import('../../src/entries/scalable.ts');
    const { hashKeys } = await import('../../src/hash.ts');
    const { digestOf } = await import('../../src/redis/hashes.ts');
    actLikeOldChrome();
    replace({ compile: () => Promise.reject(new WebAssembly.CompileError('blocked by CSP')) });
    const scalable = "WebAssembly is refused here: import from 'bloomery/scalable/js'";
    const reason = await ScalableBloomFilter.prepare().catch((error: unknown) => error);
    expect(reason).toEqual(new Error(scalable));
    expect((reason as Error).cause).toBeInstanceOf(WebAssembly.CompileError);
    expect(() => new ScalableBloomFilter({ capacity: 10 })).toThrow(new Error(scalable));
    expect(() => hashKeys(['a'])).toThrow(new Error("WebAssembly is refused here: import from 'bloomery/hash/js'"));
    expect(() => digestOf('a')).toThrow(new Error('WebAssembly is refused here: bloomery/redis cannot run without it'));
    expect(() => new fresh.BloomFilter({ capacity: 10 })).toThrow(new Error(REFUSED));
  });

  it('keeps filters of entries of the same engine in one memory', async () => {
    const { ScalableBloomFilter } = await import('../../src/entries/scalable.ts');
    const { hashKeys } = await import('../../src/hash.ts');
    const counted = actLikeOldChrome();
    await ScalableBloomFilter.prepare();
    expect(hashKeys(['a']).length).toBe(1);
    expect(new ScalableBloomFilter({ capacity: 10 }).add('a')).toBe(true);
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
    expect(counted).toEqual({ memories: 1, compiled: 1 });
  });

  it('can be called again after useKernel, where only compiling is refused', async () => {
    const module = new WebAssembly.Module(readFileSync('dist/kernel.wasm'));
    replace({ compile: () => Promise.reject(new WebAssembly.CompileError('disallowed by embedder')) });
    await expect(fresh.BloomFilter.prepare()).rejects.toThrow(REFUSED);
    fresh.useKernel(module);
    await fresh.BloomFilter.prepare();
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });

  it('leaves it to the first filter to say that there is no memory', async () => {
    const none = class {
      constructor() {
        throw new RangeError('could not allocate memory');
      }
    };
    replace({ Memory: none });
    await fresh.BloomFilter.prepare();
    expect(() => new fresh.BloomFilter({ capacity: 10 })).toThrow(/^no memory for a filter of 13 B$/);
    const { chooseEngine } = await import('../../src/auto.ts');
    expect((await chooseEngine()).BloomFilter.from(['a']).engine).toBe('js');
    const { CuckooFilter } = await chooseEngine(
      () => import('../../src/entries/cuckoo.ts'),
      () => import('../../src/entries/cuckoo-js.ts'),
    );
    expect(CuckooFilter.from(['a']).engine).toBe('js');
    vi.unstubAllGlobals();
    await fresh.BloomFilter.prepare();
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

describe('a page of Chrome before 115', () => {
  let counted: Counted;

  beforeEach(() => {
    counted = actLikeOldChrome();
  });

  it.each(['compiles', 'is given a module'])('is told to await prepare() if it %s', async (which) => {
    if (which === 'is given a module') {
      fresh.useKernel(await WebAssembly.compile(readFileSync('dist/kernel.wasm')));
    }
    for (const Class of [fresh.BloomFilter, wide.WideBlockedBloomFilter]) {
      expect(() => new Class({ capacity: 10 })).toThrow('is asynchronous here: await prepare() first');
      await Class.prepare();
      expect(new Class({ capacity: 10 }).add('a')).toBe(true);
    }
  });

  it('has filters of every kind and size after prepare(), all in one memory', async () => {
    await fresh.BloomFilter.prepare();
    const sizes = [10, 100 * KiB, MiB, 16 * MiB, 20 * MiB, 64 * MiB];
    const filters = sizes.flatMap((size) => [
      new fresh.BloomFilter(options(size)),
      new fresh.BlockedBloomFilter({ bits: 8 * size }),
      new fresh.CountingBloomFilter({ counters: 2 * size, hashes: 3 }),
    ]);
    for (const [i, filter] of filters.entries()) filter.addMany([`key ${i}`]);
    for (const [i, filter] of filters.entries()) {
      expect([filter.has(`key ${i}`), filter.has(`key ${i + 1}`)]).toEqual([true, false]);
      // Three or eight cells, so those set by another filter would show.
      expect(Math.round(filter.fillRatio() * filter.cellCount)).toBeLessThanOrEqual(8);
    }
    expect(counted.memories).toBe(2);
  });

  it('keeps its one memory when all filters are disposed of, and uses it again', async () => {
    await fresh.BloomFilter.prepare();
    for (let i = 0; i < 100; i++) {
      using large = new fresh.BloomFilter(options(20 * MiB));
      using small = new fresh.BloomFilter(options(MiB));
      expect([large.fillRatio(), small.fillRatio()]).toEqual([0, 0]);
      large.addMany([i, i + 1, i + 2]);
      small.addMany([i]);
    }
    expect(counted.memories).toBe(2);
  });

  it('loads, clones and combines filters', async () => {
    await fresh.BloomFilter.prepare();
    for (const size of [100, 100 * KiB, 20 * MiB]) {
      const filter = new fresh.BloomFilter(options(size)).addMany(['a']);
      const other = new fresh.BloomFilter(options(size)).addMany(['b']);
      const loaded = fresh.BloomFilter.fromBytes(filter.toBytes());
      const streamed = fresh.BloomFilter.fromChunks(filter.toChunks());
      for (const same of [loaded, streamed, filter.clone()]) expect(same.equals(filter)).toBe(true);
      expect(filter.union(other).hasMany(['a', 'b', 'c'])).toEqual(Uint8Array.of(1, 1, 0));
    }
    const counting = new fresh.CountingBloomFilter({ capacity: 100 }).addMany(['a']);
    expect(counting.toBloomFilter().has('a')).toBe(true);
  });

  it('says that memory is missing if filters do not fit into its one memory', async () => {
    await fresh.BloomFilter.prepare();
    const first = new fresh.BloomFilter({ capacity: 10 }).addMany(['a']);
    expect(() => new fresh.BloomFilter(options(2 ** 32 - 2 ** 20))).toThrow('no memory for a filter of 4.29 GB');
    expect(first.has('a')).toBe(true);
  });

  it('has filters of a linked module after prepare() of its class', async () => {
    await wide.WideBlockedBloomFilter.prepare();
    for (const size of [100, MiB, 20 * MiB]) {
      const filter = new wide.WideBlockedBloomFilter({ bits: 8 * size }).addMany(['a']);
      expect(filter.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    }
    expect(counted.memories).toBe(2);
  });
});

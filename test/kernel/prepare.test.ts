// How WebAssembly is started, and what is thrown where it is refused.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BloomFilter as JsBloomFilter } from '../../src/entries/js/index.ts';
import type * as wideEntry from '../../src/entries/wide.ts';
import type * as entry from '../../src/index.ts';
import { decode } from '../../src/kernel/embedded-module.ts';
import { code } from '../../src/kernel/generated/kernel/wasm.js';

const REFUSED = "WebAssembly is refused here: import from 'bloomery/js'";
const MiB = 2 ** 20;
const options = (byteLength: number) => ({ bits: 8 * byteLength, hashes: 3 });
const compiled = (name: string): WebAssembly.Module =>
  new WebAssembly.Module(readFileSync(new URL(`../../build/${name}.wasm`, import.meta.url)));

let fresh: typeof entry;
let wide: typeof wideEntry;

beforeEach(async () => {
  vi.resetModules();
  fresh = await import('../../src/index.ts');
  wide = await import('../../src/entries/wide.ts');
});

/** Replaces functions of WebAssembly, until globals are restored. */
function replace(replacements: object): void {
  vi.stubGlobal('WebAssembly', Object.assign(Object.create(WebAssembly), replacements));
}

const csp = new WebAssembly.CompileError('blocked by CSP');
const refuseToCompile = (): void => replace({ compile: () => Promise.reject(csp) });

/** A WebAssembly.Module that recognizes compiled modules, but refuses to compile. */
class Refusing extends WebAssembly.Module {
  constructor() {
    super(Buffer.of(0, 97, 115, 109, 1, 0, 0, 0));
    throw csp;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
  }
}

/** Acts like a page of Chrome before 115, which refuses to start modules above 4 KB synchronously. */
function actLikeOldChrome(): { memories: number; compiled: number } {
  const { Module, Instance, Memory, compile } = WebAssembly;
  const small = new WeakSet<WebAssembly.Module>();
  const counted = { memories: 0, compiled: 0 };
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

describe('a compiled module', () => {
  it('may be supplied, and is refused if it is another one, such as that of another version', () => {
    const unmarked = readFileSync('build/kernel.release.wasm');
    expect(Buffer.compare(decode(code.text), unmarked)).toBe(0);
    expect(createHash('sha256').update(unmarked).digest('hex').startsWith(code.stamp)).toBe(true);
    const kernel = readFileSync('build/kernel.wasm');
    expect(kernel.subarray(0, unmarked.length).equals(unmarked)).toBe(true);
    // The stamp is at the end of the file.
    const another = Buffer.concat([kernel.subarray(0, -1), Buffer.from('z')]);
    for (const bytes of [Buffer.of(0, 97, 115, 109, 1, 0, 0, 0), another, unmarked, readFileSync('build/wide.wasm')]) {
      const refused = "module must be the 'bloomery/kernel.wasm' of this very version, got another";
      expect(() => fresh.useKernel(new WebAssembly.Module(bytes))).toThrow(new TypeError(refused));
    }
    expect(() => wide.useWideKernel(compiled('kernel'))).toThrow("'bloomery/wide/kernel.wasm' of this very version");
    expect(() => wide.useWideKernel({})).toThrow(/^module must be a WebAssembly.Module, got /);
    fresh.useKernel(compiled('kernel'));
    wide.useWideKernel(compiled('wide'));
    replace({ Module: Refusing });
    expect(new wide.WideBlockedBloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });

  it('is missed where compiling is refused, until it is not', async () => {
    const { keyed } = await import('../../src/entries/keyed.ts');
    replace({ Module: Refusing });
    const Keyed = keyed(fresh.BloomFilter, new Uint8Array(16).fill(7));
    const ofKeyed = new Error("WebAssembly is refused here: import from 'bloomery/keyed/js'");
    expect(() => new Keyed({ capacity: 10 })).toThrow(ofKeyed);
    const ofWide = new Error("WebAssembly is refused here: import from 'bloomery/wide/js'");
    expect(() => new wide.WideBlockedBloomFilter({ capacity: 10 })).toThrow(ofWide);
    vi.unstubAllGlobals();
    expect(new wide.WideBlockedBloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

describe('prepare', () => {
  it('rejects where only compiling is refused, until a compiled module is supplied', async () => {
    const module = compiled('kernel');
    refuseToCompile();
    await expect(fresh.BloomFilter.prepare()).rejects.toThrow(REFUSED);
    fresh.useKernel(module);
    await fresh.BloomFilter.prepare();
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });

  it('compiles once and makes one memory, however often it is called, and for all entries of an engine', async () => {
    const { ScalableBloomFilter } = await import('../../src/entries/scalable.ts');
    const { hashKeys } = await import('../../src/entries/hash.ts');
    const counted = actLikeOldChrome();
    await Promise.all([fresh.BloomFilter.prepare(), fresh.BlockedBloomFilter.prepare()]);
    await ScalableBloomFilter.prepare();
    expect(hashKeys(['a']).length).toBe(1);
    for (const Class of [ScalableBloomFilter, fresh.BloomFilter])
      expect(new Class({ capacity: 9 }).add('a')).toBe(true);
    expect(counted).toEqual({ memories: 1, compiled: 1 });
  });

  it('does nothing after a filter exists, and leaves those alone that are made while it runs', async () => {
    const preparing = fresh.BloomFilter.prepare();
    const first = new fresh.BloomFilter({ capacity: 10 }).addMany(['a']);
    await preparing;
    const counted = actLikeOldChrome();
    await fresh.BloomFilter.prepare();
    expect([first.has('a'), new fresh.BloomFilter({ capacity: 10 }).has('a')]).toEqual([true, false]);
    expect(counted).toEqual({ memories: 0, compiled: 0 });
  });

  it.each([
    ['compiling', { compile: () => Promise.reject(csp) }],
    ['instantiating', { instantiate: () => Promise.reject(csp) }],
  ])('rejects where %s is refused, and so do filters', async (_, refusing) => {
    // In old Chrome, a filter made without `prepare` fails for a reason of its own, so this is the harder case.
    actLikeOldChrome();
    replace(refusing);
    const reason = await fresh.BloomFilter.prepare().catch((error: unknown) => error);
    expect(reason).toEqual(new Error(REFUSED));
    expect((reason as Error).cause).toBe(csp);
    expect(() => new fresh.BloomFilter({ capacity: 10 })).toThrow(reason as Error);
    expect(() => new fresh.BloomFilter(options(20 * MiB))).toThrow(reason as Error);
    await expect(fresh.BloomFilter.prepare()).rejects.toThrow(REFUSED);
  });

  it('rejects where there is no WebAssembly, which plain JavaScript does not need', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    await expect(fresh.BloomFilter.prepare()).rejects.toThrow(REFUSED);
    await expect(wide.WideBlockedBloomFilter.prepare()).rejects.toThrow("import from 'bloomery/wide/js'");
    expect(await JsBloomFilter.prepare()).toBeUndefined();
  });

  it('names an entry with the same exports where WebAssembly is refused, and says if there is none', async () => {
    const { ScalableBloomFilter } = await import('../../src/entries/scalable.ts');
    const { hashKeys } = await import('../../src/entries/hash.ts');
    const { digestOf } = await import('../../src/redis/hashes.ts');
    actLikeOldChrome();
    refuseToCompile();
    const refused = (what: string): Error => new Error(`WebAssembly is refused here: ${what}`);
    const reason = await ScalableBloomFilter.prepare().catch((error: unknown) => error);
    expect(reason).toEqual(refused("import from 'bloomery/scalable/js'"));
    expect((reason as Error).cause).toBe(csp);
    expect(() => new ScalableBloomFilter({ capacity: 10 })).toThrow(reason as Error);
    expect(() => hashKeys(['a'])).toThrow(refused("import from 'bloomery/hash/js'"));
    expect(() => digestOf('a')).toThrow(refused('bloomery/redis cannot run without it'));
    expect(() => new fresh.BloomFilter({ capacity: 10 })).toThrow(new Error(REFUSED));
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
    const { chooseEngine } = await import('../../src/entries/auto.ts');
    expect((await chooseEngine()).BloomFilter.from(['a']).engine).toBe('js');
    const { CuckooFilter } = await chooseEngine(
      () => import('../../src/entries/cuckoo.ts'),
      () => import('../../src/entries/js/cuckoo.ts'),
    );
    expect(CuckooFilter.from(['a']).engine).toBe('js');
    vi.unstubAllGlobals();
    await fresh.BloomFilter.prepare();
    expect(new fresh.BloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

describe('the engine is chosen', () => {
  const js = { name: 'js' };

  it('by what the entry itself needs, which may fail where the main one works', async () => {
    const { chooseEngine } = await import('../../src/entries/auto.ts');
    const dispose = vi.fn();
    const entryThat = (prepare: () => Promise<void>) => async () => ({
      NUMBER: 1,
      Filter: { engine: { prepare, reserve: () => ({ dispose }) } },
    });
    const refused = entryThat(() => Promise.reject(new Error('refused')));
    expect(await chooseEngine<object>(refused, async () => js)).toBe(js);
    const works = entryThat(async () => {});
    const allowed = await chooseEngine<object>(works, async () => js);
    expect([allowed, dispose.mock.calls.length]).toEqual([expect.objectContaining({ NUMBER: 1 }), 1]);
  });

  it('without a choice where no WebAssembly runs', async () => {
    const { chooseEngine } = await import('../../src/auto/js.ts');
    expect((await chooseEngine()).BloomFilter).toBe((await import('../../src/entries/js/index.ts')).BloomFilter);
    const refused = () => Promise.reject(new Error('it is imported'));
    expect(await chooseEngine<object>(refused, async () => js)).toBe(js);
  });
});

describe('a page of Chrome before 115', () => {
  it.each(['compiles', 'is given a module'])('is told to await prepare() if it %s', async (which) => {
    if (which === 'is given a module') fresh.useKernel(compiled('kernel'));
    actLikeOldChrome();
    for (const Class of [fresh.BloomFilter, wide.WideBlockedBloomFilter]) {
      expect(() => new Class({ capacity: 10 })).toThrow('is asynchronous here: await prepare() first');
      await Class.prepare();
      expect(new Class({ capacity: 10 }).add('a')).toBe(true);
    }
  });

  it('has filters of every kind and size after prepare(), all in one memory, until they do not fit', async () => {
    const counted = actLikeOldChrome();
    await fresh.BloomFilter.prepare();
    const filters = [10, MiB, 20 * MiB].flatMap((size) => [
      new fresh.BloomFilter(options(size)),
      new fresh.BlockedBloomFilter({ bits: 8 * size }),
      fresh.CountingBloomFilter.fromBytes(new fresh.CountingBloomFilter({ counters: 2 * size, hashes: 3 }).toBytes()),
    ]);
    for (const [i, filter] of filters.entries()) filter.addMany([`key ${i}`]);
    for (const [i, filter] of filters.entries()) {
      expect([filter.has(`key ${i}`), filter.has(`key ${i + 1}`)]).toEqual([true, false]);
      // Three or eight cells, so those set by another filter would show.
      expect(Math.round(filter.fillRatio() * filter.cellCount)).toBeLessThanOrEqual(8);
      filter.dispose();
    }
    expect(new fresh.BloomFilter(options(20 * MiB)).fillRatio()).toBe(0);
    expect(() => new fresh.BloomFilter(options(2 ** 32 - MiB))).toThrow('no memory for a filter of 4.29 GB');
    await wide.WideBlockedBloomFilter.prepare();
    const large = new wide.WideBlockedBloomFilter({ bits: 160 * MiB }).addMany(['a']);
    expect(large.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    // One for each engine, and one that was made before its kernel was refused.
    expect(counted.memories).toBe(3);
  });
});

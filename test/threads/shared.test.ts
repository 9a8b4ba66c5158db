import { once } from 'node:events';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { hashKeys } from '../../src/entries/hash.ts';
import { BlockedBloomFilter as JsBlocked, BloomFilter as JsBloom } from '../../src/entries/js/index.ts';
import { keyed } from '../../src/entries/keyed.ts';
import { SharedBlockedBloomFilter, SharedBloomFilter, sharedClassOf } from '../../src/entries/shared.ts';
import { union } from '../../src/entries/views.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, type Key, lines } from '../../src/index.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { collectGarbage } from '../shared/garbage.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { SECRET } from '../shared/secret.ts';

const kinds = [
  { name: 'classic', Shared: SharedBloomFilter, Plain: BloomFilter, Js: JsBloom },
  { name: 'blocked', Shared: SharedBlockedBloomFilter, Plain: BlockedBloomFilter, Js: JsBlocked },
] as const;

it.each(['counting', 'cuckoo', '', 'constructor', undefined])('no class is that of other kinds: %s', (kind) => {
  expect(sharedClassOf(kind as string)).toBeUndefined();
});

/** How many filters threads add the same keys to: that they meet in a word is a matter of chance. */
const ROUNDS = 20;
/** So few keys that threads meet often. */
const KEYS = 200_000;

/** Lets a thread add the integers of a range to one filter after the other, and returns how many it was told were new. */
async function freshOf(workerData: { readonly from: number; readonly to: number }): Promise<number> {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData });
  const [fresh] = await once(worker, 'message');
  await worker.terminate();
  return fresh;
}

describe.each(kinds)('a shared filter in one thread: $name', ({ name, ...classes }) => {
  const Shared = classes.Shared as typeof SharedBloomFilter;
  const Plain = classes.Plain as object as typeof BloomFilter;
  const Js = classes.Js as object as typeof BloomFilter;

  it('has the bits of a filter for one thread, for all keys, one by one and many at once', () => {
    const keys = awkwardKeys(3000, 31);
    for (const options of [
      { capacity: 3000, errorRate: 0.01 },
      { capacity: 3000, errorRate: 0.0001, seed: 77 },
      // Larger than the cache, where the loops are others.
      { capacity: 10_000_000, errorRate: 0.001 },
    ]) {
      const plain = new Plain(options);
      const [one, many] = [new Shared(options), new Shared(options)];
      const flags = new Uint8Array(keys.length);
      many.addMany(keys, flags);
      const fresh = keys.map((key) => plain.add(key));
      expect(keys.map((key) => one.add(key))).toEqual(fresh);
      expect(flags).toEqual(Uint8Array.from(fresh, Number));
      expect(many.toFilter().equals(plain)).toBe(true);
      expect(one.toFilter().equals(plain)).toBe(true);
      expect(one.hasMany(keys).every(Boolean)).toBe(true);
      expect(keys.every((key) => many.has(key))).toBe(true);
      const absent = range(1e6, 1e6 + 5000);
      expect(one.hasMany(absent)).toEqual(plain.hasMany(absent));
      expect(absent.map((key) => one.has(key))).toEqual(absent.map((key) => plain.has(key)));
      one.dispose();
      many.dispose();
    }
  });

  it('answers as one for one thread, whatever is done to both', () => {
    const key = fc.nat(40);
    const step = fc.oneof(
      fc.record({ verb: fc.constantFrom('add', 'has'), keys: fc.tuple(key) }),
      fc.record({ verb: fc.constantFrom('addMany', 'dedupe', 'pick', 'omit', 'clear'), keys: fc.array(key) }),
    );
    const property = fc.property(fc.array(step), (steps) => {
      const options = { capacity: 20, errorRate: 0.1 };
      const [shared, plain] = [new Shared(options), new Plain(options)];
      for (const { verb, keys } of steps) {
        const run = (filter: SharedBloomFilter | BloomFilter): unknown => {
          if (verb === 'clear') return filter.clear();
          if (verb === 'addMany') return filter.addMany(keys) === filter;
          const method = verb as 'add';
          return filter[method]((method === 'add' || verb === 'has' ? keys[0] : keys) as Key);
        };
        expect(run(shared), verb).toEqual(run(plain));
      }
      expect(shared.toBytes()).toEqual(plain.toBytes());
      shared.dispose();
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('tells the same facts, and saves the same file', () => {
    const keys = range(0, 5000);
    const plain = Plain.from(keys, { errorRate: 0.02, seed: 5 });
    const shared = Shared.from(keys, { errorRate: 0.02, seed: 5, attachments: 2 });
    const facts = ['kind', 'engine', 'capacity', 'errorRate', 'hashes', 'seed', 'cellName', 'cellCount', 'cellBits'];
    for (const fact of [...facts, 'byteLength']) expect(Reflect.get(shared, fact), fact).toBe(Reflect.get(plain, fact));
    for (const estimate of ['fillRatio', 'estimateCount', 'estimateErrorRate'] as const) {
      expect(shared[estimate](), estimate).toBe(plain[estimate]());
    }
    const dispose = vi.spyOn(Plain.prototype, 'dispose');
    expect(shared.toBytes()).toEqual(plain.toBytes());
    expect(Buffer.concat([...shared.toChunks()])).toEqual(Buffer.from(plain.toBytes()));
    expect(Shared.fromBytes(plain.toBytes()).toBytes()).toEqual(plain.toBytes());
    const chunks = shared.toChunks();
    chunks.next();
    chunks.return();
    expect(() => Shared.fromBytes(plain.toBytes(), { attachments: 0 })).toThrow(/^attachments must be/);
    // The copies of which files are made, or shared filters, also if that is given up.
    expect(dispose).toHaveBeenCalledTimes(6);
    expect(Shared.fromFilter(Js.fromBytes(plain.toBytes()) as never).toBytes()).toEqual(plain.toBytes());
    expect(String(shared)).toBe(`[object Shared${Plain.name}]`);
    expect(sharedClassOf(name)).toBe(Shared);
  });

  it('takes every source of keys, and is a part of views', () => {
    const shared = Shared.from(['ada', 'grace'], { capacity: 100, errorRate: 1e-5 });
    shared.addMany(hashKeys(['joan'])).addMany(lines(new TextEncoder().encode('alan\nbob\n')));
    const names = ['ada', 'grace', 'joan', 'alan', 'bob', 'eve'];
    expect(shared.pick(names)).toEqual(names.slice(0, 5));
    expect(shared.omit(new Set(names))).toEqual(['eve']);
    const both = union(shared, new BloomFilter({ capacity: 10 }).addMany(['eve']));
    expect(both.pick(names)).toEqual(names);
  });

  it('is one filter for all that are attached, even within one thread', () => {
    const one = new Shared({ capacity: 1000 });
    const other = Shared.attach(one.handle);
    expect(one.attachment).not.toBe(other.attachment);
    other.add('ada');
    one.addMany(range(0, 100));
    expect(one.has('ada')).toBe(true);
    expect(other.hasMany(range(0, 100)).every(Boolean)).toBe(true);
    one.dispose();
    expect(() => one.has('ada')).toThrow('the filter was used after dispose()');
    expect(() => one.addMany(['ada'])).toThrow('the filter was used after dispose()');
    expect(other.has('ada')).toBe(true);
    one.dispose();
  });

  it('gets overlapping keys from four threads without losing a bit, round after round', async () => {
    const options = { capacity: KEYS, errorRate: 0.01 };
    const plain = new Plain(options);
    const different = plain.dedupe(integersFrom(0, KEYS)).length;
    const filters = Array.from({ length: ROUNDS }, () => new Shared({ ...options, attachments: 5 }));
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const task = { handles: filters.map(({ handle }) => handle), threads: 4, arrived };
    // Each key comes from two or three threads.
    const ranges = [0, 1, 2, 3].map((i) => ({ from: (i * KEYS) / 8, to: ((i + 5) * KEYS) / 8 }));
    const counts = await Promise.all(ranges.map((range) => freshOf({ ...task, ...range })));
    for (const [round, filter] of filters.entries()) {
      expect(filter.toFilter().equals(plain), `round ${round}`).toBe(true);
      filter.dispose();
    }
    // At least one thread was told that a key is new. The order of keys changes few answers by chance.
    const fresh = counts.reduce((sum, count) => sum + count, 0) / ROUNDS;
    expect(fresh).toBeGreaterThan(0.98 * different);
  });

  it('keeps what a thread has added when that is terminated, and its place can be used again', async () => {
    const shared = new Shared({ capacity: 1_000_000, attachments: 2 });
    for (const from of [0, 300_000, 600_000]) {
      const task = { handles: [shared.handle], threads: 1, arrived: new Int32Array(new SharedArrayBuffer(4)) };
      const workerData = { ...task, from, to: from + 300_000, isEndless: true };
      const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData });
      const [{ attachment, added }] = await once(worker, 'message');
      await worker.terminate();
      expect(() => Shared.attach(shared.handle)).toThrow('all 2 attachments of the filter are in use');
      shared.release(attachment);
      expect(shared.pick(integersFrom(from, added))).toHaveLength(added);
      const again = Shared.attach(shared.handle);
      expect(again.attachment).toBe(attachment);
      again.dispose();
    }
  });

  it('has a limited number of attachments, which are given back', () => {
    const filter = new Shared({ capacity: 1000, attachments: 3 });
    const others = [Shared.attach(filter.handle), Shared.attach(filter.handle)];
    const full = /all 3 attachments of the filter are in use: dispose of one, or make the filter with more/;
    expect(() => Shared.attach(filter.handle)).toThrow(full);
    others[0]?.dispose();
    const next = Shared.attach(filter.handle);
    others[0]?.dispose();
    expect(() => Shared.attach(filter.handle)).toThrow(full);
    filter.release(next.attachment);
    Shared.attach(filter.handle);
    expect(() => filter.release(filter.attachment)).toThrow(RangeError);
    for (const wrong of [3, -1])
      expect(() => filter.release(wrong)).toThrow('attachment must be an integer from 0 to 2');
    others[1]?.[Symbol.dispose]();
    expect(() => filter.release(others[1]?.attachment ?? 0)).toThrow('attachment must be that of another thread');
  });

  it('gives the place of a filter back that is garbage, but not once more if it was disposed of', async () => {
    const filter = new Shared({ capacity: 1000, attachments: 2 });
    const attach = () => {
      collectGarbage();
      return Shared.attach(filter.handle);
    };
    attach();
    (await vi.waitFor(attach, { timeout: 10_000 })).dispose();
    const last = Shared.attach(filter.handle);
    for (let i = 0; i < 5; i++) {
      await new Promise((done) => setImmediate(done));
      expect(attach).toThrow('all 2 attachments of the filter are in use');
    }
    last.dispose();
  });

  it('is refused where no thread may share memory, and takes no attachment if it cannot run', () => {
    const { handle } = new Shared({ capacity: 10, attachments: 2 });
    const run = vi.spyOn(WebAssembly, 'Instance').mockThrow(new Error('no memory'));
    for (const _ of [1, 2]) expect(() => Shared.attach(handle)).toThrow('no memory');
    run.mockRestore();
    const reserve = vi.spyOn(BloomFilter.engine, 'reserve').mockThrow(new Error('no memory'));
    for (const _ of [1, 2]) expect(() => Shared.attach(handle)).toThrow('no memory');
    reserve.mockRestore();
    vi.stubGlobal('crossOriginIsolated', false);
    const message =
      /^threads share memory only in a cross-origin isolated page: serve it with the headers Cross-Origin/;
    for (const make of [() => Shared.attach(handle), () => new Shared({ capacity: 10 })]) expect(make).toThrow(message);
    vi.unstubAllGlobals();
    Shared.attach(handle).dispose();
  });

  it('is made without compiling after prepare', async () => {
    vi.resetModules();
    const { [Shared.name]: Fresh } = (await import('../../src/entries/shared.ts')) as object as Record<
      string,
      typeof Shared
    >;
    await Fresh?.prepare();
    const compile = vi.spyOn(WebAssembly, 'Module');
    expect(new (Fresh as typeof Shared)({ capacity: 10 }).has('ada')).toBe(false);
    expect(compile).not.toHaveBeenCalled();
  });

  it('is shown by its parameters, and has no JSON form', () => {
    const filter = new Shared({ capacity: 100 });
    const plain = inspect(filter.toFilter(), { breakLength: Infinity });
    expect(inspect(filter, { breakLength: Infinity })).toBe(`Shared${plain}`);
    expect(inspect([[[filter]]], { depth: 2 })).toContain(`[Shared${Plain.name}]`);
    expect(() => JSON.stringify({ filter })).toThrow(/^a filter has no JSON form: use toBytes\(\)/);
    filter.dispose();
    expect(inspect(filter)).toContain('disposed: true');
    expect(filter[CELLS].region.disposed).toBe(true);
  });

  it('refuses wrong options, handles and filters', () => {
    expect(() => new Shared(undefined as never)).toThrow(TypeError);
    expect(() => new Shared({ capacity: 0 })).toThrow('capacity');
    const unknown = /^unknown option attachment; the options are .*, attachments, seed$/;
    expect(() => new Shared({ capacity: 10, attachment: 3 } as never)).toThrow(unknown);
    for (const attachments of [0, 1025, 1.5]) {
      expect(() => new Shared({ capacity: 10, attachments })).toThrow(/attachments must be an integer from 1 to 1024/);
    }
    expect(() => new Shared({ capacity: 10, attachments: '3' as never })).toThrow(TypeError);
    expect(() => new Shared({ capacity: 5e9 })).toThrow(/is too large: at most 4.2\d GB fit/);
    const { handle } = new Shared({ capacity: 10 });
    const { memory, parameters } = handle as { memory: WebAssembly.Memory; parameters: typeof handle.parameters };
    const pages = memory.buffer.byteLength / 2 ** 16;
    const wanted = `handle must be the handle of a shared ${name} filter, got`;
    const own = new WebAssembly.Memory({ initial: pages });
    new Uint8Array(own.buffer).set(new Uint8Array(memory.buffer, 0, 64));
    for (const wrong of [
      undefined,
      7,
      {},
      { ...handle, kind: 'counting' },
      { ...handle, memory: new WebAssembly.Memory({ initial: 1 }) },
      { ...handle, memory: new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }) },
      { ...handle, memory: new Shared({ capacity: 1e6 }).handle.memory },
      { ...handle, memory: { buffer: memory.buffer } },
      { ...handle, memory: own },
      ...[1024, undefined].map((attachments) => ({ ...handle, attachments })),
      { ...handle, parameters: undefined },
      ...[
        ...[2 ** 30, parameters.cellCount - 0.5, -1].map((cellCount) => ({ cellCount })),
        ...[2 ** 53, 0, ...(name === 'blocked' ? [7] : [])].map((hashes) => ({ hashes })),
        ...[2 ** 32, '7'].map((seed) => ({ seed })),
        ...[-1, 0].map((capacity) => ({ capacity })),
        { capacity: 0, errorRate: -0 },
        ...[1, '0.5'].map((errorRate) => ({ errorRate })),
      ].map((change) => ({ ...handle, parameters: { ...parameters, ...change } })),
    ]) {
      expect(() => Shared.attach(wrong as never)).toThrow(wanted);
    }
    const counting = new CountingBloomFilter({ capacity: 10 });
    expect(() => Shared.fromFilter(counting as never)).toThrow(`filter must be a ${Plain.name}, got an object`);
    const secret = keyed(Plain, SECRET).from(['ada']);
    expect(() => Shared.fromFilter(secret as never)).toThrow('filter must be without a secret');
    expect(() => Shared.fromFilter(null as never)).toThrow(`filter must be a ${Plain.name}, got null`);
    expect(() => Shared.fromBytes(counting.toBytes())).toThrow('bytes must be a saved filter');
  });
});

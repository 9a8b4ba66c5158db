// Lookups that are stopped: by a signal, or because the filter is closed meanwhile.

import { describe, expect, it, vi } from 'vitest';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { loadShard, type OpenedFilter, openFilter, type RangeSource } from '../../src/entries/open.ts';
import { ShardedFuseFilter } from '../../src/entries/sharded-fuse.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { later } from '../guard/tools.ts';
import { type Counting, countingSource } from './filters.ts';

const file = new BlockedBloomFilter({ bits: 2 ** 24 }).addMany(['ada']).toBytes();
const many = Array.from({ length: 100 }, (_, i) => `key ${i}`);
const reason = new Error('enough');
const closed = new TypeError('the filter was used after close()');

/** A source that takes no notice of signals, and answers nothing but the first read until `answer` is called. */
function slowSource(options: Pick<RangeSource, 'inFlight'> = {}, bytes = file) {
  const waiting: (() => void)[] = [];
  const counting = countingSource(bytes, { gap: 0, ...options });
  const signals: (AbortSignal | undefined)[] = [];
  let isFirst = true;
  const source: RangeSource = {
    ...counting,
    async read(offset, length, signal) {
      counting.reads.push([offset, length]);
      signals.push(signal);
      if (!isFirst) await new Promise<void>((done) => waiting.push(done));
      isFirst = false;
      return bytes.subarray(offset, offset + length);
    },
  };
  const answer = (): void => {
    for (const done of waiting.splice(0)) done();
  };
  return { source, answer, signals, reads: counting.reads };
}

/** What is settled until then. Vitest fails if a promise rejects that nobody handles. */
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Aborts the signal of what waits, at once or after a turn, and expects the reason. */
async function expectAborted(wait: (signal: AbortSignal) => Promise<unknown>, isAtOnce = false): Promise<void> {
  const controller = new AbortController();
  const call = wait(controller.signal);
  if (!isAtOnce) await turn();
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
}

describe('a lookup that a signal stops', () => {
  it('rejects at once with its reason, though the source takes no notice, or it waits for its turn', async () => {
    const { source, answer } = slowSource({ inFlight: 1 });
    const filter = await openFilter([BlockedBloomFilter], source);
    const first = filter.has('ada');
    await expectAborted((signal) => filter.has('ada', { signal }));
    await expectAborted((signal) => filter.pick(many, { signal }));
    await expectAborted((signal) => filter.verify({ signal }));
    answer();
    expect(await first).toBe(true);
    const later = filter.has('ada');
    await turn();
    answer();
    expect(await later).toBe(true);
  });

  it('reads no key if the signal has aborted, and rejects also where nothing is to be read', async () => {
    const signal = AbortSignal.abort(reason);
    const next = vi.fn(() => ({ done: true, value: '' }) as const);
    const keys = { [Symbol.iterator]: () => ({ next }) };
    const filter = await openFilter([FingerprintSet], countingSource(new FingerprintSet().toBytes()));
    const options = { signal };
    const calls = [filter.has('ada', options), filter.hasMany(keys, options), filter.verify(options)];
    for (const call of [...calls, filter.pick(keys, options)]) await expect(call).rejects.toBe(reason);
    expect(next).not.toHaveBeenCalled();
    const map = await openFilter([FuseMap], countingSource(FuseMap.from([], []).toBytes()));
    for (const call of [map.get('ada', options), map.getMany([], options)]) await expect(call).rejects.toBe(reason);
  });

  it('rejects if the signal aborts while the keys are read', async () => {
    const controller = new AbortController();
    const keys = function* () {
      controller.abort(reason);
      yield 'ada';
    };
    const filter = await openFilter([BlockedBloomFilter], countingSource(file));
    await expect(filter.pick(keys(), { signal: controller.signal })).rejects.toBe(reason);
  });

  it.each([0, 2 ** 20])('leaves nothing on the signal, and stops the reads: cache of %i bytes', async (cacheBytes) => {
    const filter = await openFilter([BlockedBloomFilter], countingSource(file), { cacheBytes });
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await filter.pick(many, { signal });
    await filter.verify({ signal });
    expect(added).toHaveBeenCalled();
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
    // Nor in the filter.
    const abort = vi.spyOn(AbortController.prototype, 'abort');
    await filter.close();
    expect(abort).not.toHaveBeenCalled();
    const { source, signals } = slowSource();
    const slow = await openFilter([BlockedBloomFilter], source, { cacheBytes });
    await expectAborted((signal) => slow.has('ada', { signal }));
    await expectAborted((signal) => slow.verify({ signal }));
    expect(new Set(signals.slice(1).map((each) => each?.reason))).toEqual(new Set([reason]));
  });
});

type Open = (source: RangeSource | Promise<RangeSource>, signal?: AbortSignal) => Promise<unknown>;
const shards = ShardedFuseFilter.from(many, { shards: 2, fingerprintBits: 1 }).toBytes();

describe.each<{ name: string; bytes: Uint8Array; open: Open }>([
  { name: 'openFilter', bytes: file, open: (source, signal) => openFilter([BlockedBloomFilter], source, { signal }) },
  { name: 'loadShard', bytes: shards, open: (source, signal) => loadShard(BinaryFuseFilter, 1, source, { signal }) },
])('opening that fails, or that a signal stops: $name', ({ bytes, open }) => {
  it('does not wait for the source, and closes it when it comes', async () => {
    const counting = countingSource(bytes);
    const { promise, resolve: give } = later<RangeSource>();
    await expectAborted((signal) => open(promise, signal), true);
    give(counting);
    await turn();
    expect([counting.closes, counting.reads.length]).toEqual([1, 0]);
    const refused = open(Promise.reject(new Error('late')), AbortSignal.abort(reason));
    await expect(refused).rejects.toBe(reason);
    const fails = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('my own'))));
    await expectAborted((signal) => open(fails(signal), signal), true);
  });

  it('gives the signal to each read', async () => {
    const source = countingSource(bytes);
    const read = vi.spyOn(source, 'read');
    const { signal } = new AbortController();
    await open(source, signal);
    expect(read.mock.calls.filter(([, , given]) => given !== signal)).toEqual([]);
  });

  it('has closed the source before it rejects', async () => {
    let isClosed = false;
    const source = countingSource(new Uint8Array(600));
    source.close = async () => {
      await turn();
      isClosed = true;
    };
    await expect(open(source)).rejects.toMatchObject({ code: 'FOREIGN' });
    expect(isClosed).toBe(true);
  });

  it('does not wait for the head', async () => {
    const source = { ...countingSource(bytes), read: () => new Promise<never>(() => {}) };
    await expectAborted((signal) => open(source, signal));
  });
});

describe.each(['throws', 'rejects'])('a source whose close %s', (how) => {
  /** Counts how often it is closed. */
  function failing(bytes: Uint8Array, read?: RangeSource['read']): Counting {
    const source = countingSource(bytes);
    source.close = () => {
      source.closes++;
      const error = new Error('no such handle');
      if (how === 'throws') throw error;
      return Promise.reject(error);
    };
    if (read) source.read = read;
    return source;
  }

  const signal = AbortSignal.abort(reason);
  const noDisk = async (): Promise<never> => {
    throw new Error('no such disk');
  };
  const open = (source: RangeSource) => openFilter([BlockedBloomFilter], source);
  const load = (source: RangeSource) => loadShard(BinaryFuseFilter, 0, source);

  it.each<[string, Counting, (source: Counting) => Promise<unknown>, object]>([
    ['the file is no filter', failing(new Uint8Array(600)), open, { code: 'FOREIGN' }],
    ['the signal aborts', failing(file), (source) => openFilter([BlockedBloomFilter], source, { signal }), reason],
    ['a shard cannot be read', failing(shards, noDisk), load, { message: 'no such disk' }],
  ])('is closed once, and the error before that is told: %s', async (_case, source, use, error) => {
    await expect(use(source)).rejects.toMatchObject(error);
    await turn();
    expect(source.closes).toBe(1);
  });

  it('is an error if nothing else is', async () => {
    const source = failing(file);
    const filter = await openFilter([BlockedBloomFilter], source);
    await expect(filter.close()).rejects.toThrow('no such handle');
    await filter.close();
    await expect(filter.has('ada')).rejects.toThrow(closed);
    expect(source.closes).toBe(1);
    const sharded = failing(shards);
    await expect(loadShard(BinaryFuseFilter, 0, sharded)).rejects.toThrow('no such handle');
    expect(sharded.closes).toBe(1);
  });
});

describe('a filter that is closed during a lookup', () => {
  it('rejects it at once, stops its reads, and reads no more', async () => {
    const { source, answer, reads, signals } = slowSource({ inFlight: 2 });
    const filter = await openFilter([BlockedBloomFilter], source);
    const options = { signal: new AbortController().signal };
    const calls = [filter.has('ada', options), filter.pick(many, options), filter.omit(many), filter.verify()];
    const settled = Promise.allSettled(calls);
    await turn();
    const before = reads.length;
    await filter.close();
    for (const result of await settled) expect(result).toEqual({ status: 'rejected', reason: closed });
    await expect(filter.verify()).rejects.toThrow(closed);
    expect(signals.slice(1).map((each) => each?.reason)).toEqual([closed, closed]);
    answer();
    await turn();
    answer();
    await turn();
    expect(reads.length).toBe(before);
    // Some requests take no signals of the DOM that tests run in, so none is made up for them.
    const { source: other, signals: none } = slowSource();
    void (await openFilter([BlockedBloomFilter], other)).has('ada');
    await turn();
    expect(none).toEqual([undefined, undefined]);
  });

  it('rejects the lookup also if everything had been asked for', async () => {
    const small = new BlockedBloomFilter({ bits: 2 ** 13 }).toBytes();
    for (const use of [(each: OpenedFilter) => each.has('ada'), (each: OpenedFilter) => each.verify()]) {
      const { source, answer } = slowSource({}, small);
      const filter = await openFilter([BlockedBloomFilter], source);
      const settled = expect(use(filter)).rejects.toThrow(closed);
      await turn();
      await filter.close();
      answer();
      await settled;
    }
  });
});

it('a source that uses its buffer again is read rightly if it allows one read at a time', async () => {
  const absent = many.map((key) => `no ${key}`);
  for (const [bits, options] of [
    [2 ** 11, {}],
    [2 ** 11, { cacheBytes: 8192 }],
    [2 ** 25, {}],
  ] as const) {
    const bytes = new BlockedBloomFilter({ bits }).addMany(many).toBytes();
    const buffer = new Uint8Array(2 ** 21);
    const source: RangeSource = {
      ...countingSource(bytes, { gap: 0, inFlight: 1 }),
      async read(offset, length) {
        buffer.set(bytes.subarray(offset, offset + length));
        return buffer.subarray(0, length);
      },
    };
    const opened = await openFilter([BlockedBloomFilter], source, options);
    const [flags, more] = await Promise.all([opened.hasMany(many), opened.hasMany(absent), opened.verify()]);
    expect(flags).toEqual(new Uint8Array(many.length).fill(1));
    expect(more).toEqual(BlockedBloomFilter.fromBytes(bytes).hasMany(absent));
    // What is in the cache was not written over by verify.
    expect(await opened.hasMany(many)).toEqual(flags);
  }
});

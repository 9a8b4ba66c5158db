import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { adapterOf, RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter, type BlockedBloomFilterOptions } from '../../src/index.ts';
import { interrupted } from './intercept.ts';
import { client, keysOf, newName, piecesOf, server } from './one-server.ts';

const scriptsRun = (): Promise<number> => server.callsOf('evalsha');

const open = (options: object, name = newName()): Promise<RedisBloomFilter> =>
  RedisBloomFilter.open(client, name, options);

/** The bits of a filter of `pieces` pieces of 4064 bytes, the smallest, and some blocks more or less. */
const bitsOf = (pieces: number, blocks = 0): number => 256 * (127 * pieces + blocks);

/** The keys `key 0`, `key 1`, …, except that every third one repeats an earlier one. */
const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `key ${i % 3 === 2 ? i >> 1 : i}`);

/** Throws unless a filter has the answers and the bits of one in memory. */
async function expectAsInMemory(options: BlockedBloomFilterOptions): Promise<void> {
  const shared = await open(options);
  const local = new BlockedBloomFilter(options);
  for (const count of [0, 1, 127, 128, 129, 1500]) {
    const [flags, expected] = [new Uint8Array(count), new Uint8Array(count)];
    local.addMany(keys(count), expected);
    await shared.addMany(keys(count), flags);
    expect(flags).toEqual(expected);
    const probes = Uint32Array.from({ length: count }, (_, i) => i);
    expect(await shared.hasMany(probes)).toEqual(local.hasMany(probes));
  }
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
  const { bits, hashes, seed, capacity, errorRate, byteLength, kind } = local;
  expect(shared).toMatchObject({ bits, hashes, seed, capacity, errorRate, byteLength, kind });
  expect(await shared.fillRatio()).toBe(local.fillRatio());
  expect(await shared.estimateCount()).toBe(local.estimateCount());
}

describe('a filter', () => {
  it.each([
    ['one block', { bits: 256 }],
    ['one piece less a block', { bits: bitsOf(1, -1) }],
    ['one piece', { bits: bitsOf(1) }],
    ['one piece and a block', { bits: bitsOf(1, 1) }],
    ['sixteen pieces less a block', { bits: bitsOf(16, -1) }],
    ['sixteen pieces and a block', { bits: bitsOf(16, 1) }],
    ['a seed, and pieces of 511 blocks', { capacity: 200_000, errorRate: 0.001, seed: 2 ** 32 - 1 }],
  ])('has the bits and the answers of one in memory: %s', (_, options) => expectAsInMemory(options));

  it('answers every sequence of calls as one in memory does, with a copy in the process and without', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 5 });
    const key = fc.oneof(text, fc.uint8Array({ maxLength: 3 }), fc.nat(9), fc.bigInt(-3n, 3n));
    const verb = fc.constantFrom('add', 'has', 'addMany', 'hasMany', 'dedupe', 'pick', 'omit', 'refresh');
    const step = fc.tuple(verb, fc.boolean(), fc.array(key, { maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const shared = await open({ bits: 512 });
        const mirrored = await open({ mirror: true }, shared.name);
        const local = new BlockedBloomFilter({ bits: 512 });
        for (const [verb, isMirrored, keys] of steps) {
          const filter = isMirrored ? mirrored : shared;
          if (verb === 'add' || verb === 'has') {
            const flags = await Promise.all(keys.map((each) => filter[verb](each)));
            expect(flags).toEqual(keys.map((each) => local[verb](each)));
          } else if (verb === 'addMany') {
            await filter.addMany(keys);
            local.addMany(keys);
          } else if (verb === 'refresh') {
            await mirrored.refresh();
          } else if (verb === 'hasMany') {
            expect(await filter.hasMany(keys)).toEqual(local.hasMany(keys));
          } else {
            const select: 'dedupe' | 'pick' | 'omit' = verb;
            expect(await filter[select](keys)).toEqual(local[select](keys));
          }
        }
        for (const each of [shared, mirrored]) expect((await each.toLocal()).equals(local)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('sends many keys in calls of at most 128', async () => {
    const shared = await open({ capacity: 10_000 });
    const before = await scriptsRun();
    await shared.addMany(Uint32Array.from({ length: 1025 }, (_, i) => i));
    expect((await scriptsRun()) - before).toBe(9);
    // Or of as many as may be on their way.
    const few = await open({ inFlight: 100 }, shared.name);
    const begun = await scriptsRun();
    await few.hasMany(Uint32Array.from({ length: 1001 }, (_, i) => i));
    expect((await scriptsRun()) - begun).toBe(11);
  });

  it('takes hardly more memory than its bits', async () => {
    const used = async (): Promise<number> => Number(await server.info('memory', 'used_memory_dataset'));
    const before = await used();
    const shared = await open({ bits: 8 * 32e6 });
    expect((await used()) - before).toBeLessThan(1.02 * shared.byteLength);
    await shared.delete();
  });

  it.each([
    [{}, true, 1000],
    [{}, false, 0],
    [{ once: false }, true, 0],
    [{ wait: { replicas: 1, ms: 70 } }, false, 1570],
  ])('has its answer saved for as long as it may be asked for again: %j, flags %s', async (settings, flags, life) => {
    const shared = await open({ capacity: 100, timeout: 500, ...settings });
    const start = Date.now();
    const added = shared.addMany(['a'], flags ? new Uint8Array(1) : undefined);
    await added.catch(({ code }) => expect(code).toBe('UNREPLICATED'));
    const saved = (await keysOf(`${shared.name}:*:once:*`)).filter((key) => !key.endsWith(':wait'));
    expect(saved).toHaveLength(Math.sign(life));
    const left = life && Number(await server.send('pttl', saved[0] ?? ''));
    expect(left).toBeLessThanOrEqual(life);
    expect(left).toBeGreaterThanOrEqual(life && life - (Date.now() - start) - 1);
  });
});

describe('a copy in the process', () => {
  it('needs no server for keys that it knows, until the filter is cleared', async () => {
    const mirrored = await open({ capacity: 10_000, mirror: true });
    await mirrored.addMany(keys(5000));
    const other = await open({}, mirrored.name);
    await other.add('theirs');
    const before = await scriptsRun();
    expect(await mirrored.hasMany(keys(5000))).toEqual(new Uint8Array(5000).fill(1));
    expect(await mirrored.dedupe(keys(5000))).toEqual([]);
    expect(await mirrored.add('key 1')).toBe(false);
    expect(await scriptsRun()).toBe(before);
    expect(await mirrored.has('theirs')).toBe(true);
    expect(await scriptsRun()).toBe(before + 1);
    await other.clear();
    // While there is no memory for an empty copy, it has not noticed that.
    const reserve = vi.spyOn(BlockedBloomFilter.engine, 'reserve').mockThrow(new Error('no memory'));
    await expect(mirrored.has('unknown')).rejects.toThrow('no memory');
    reserve.mockRestore();
    expect(await mirrored.has('key 1')).toBe(true);
    expect(await mirrored.has('unknown')).toBe(false);
    expect(await mirrored.has('key 1')).toBe(false);
    await expect(other.refresh()).rejects.toThrow(TypeError);
  });

  it('does not keep keys lost that Redis has lost, if they are added without flags, with wait or refreshed', async () => {
    const mirrored = await open({ bits: 512, mirror: true });
    const other = await open({}, mirrored.name);
    const [piece = ''] = await piecesOf(mirrored.name);
    // What a failover does to keys that no replica has received.
    const lose = (): Promise<unknown> => server.send('set', piece, '\0'.repeat(64));
    await mirrored.addMany(['a', 'b']);
    await lose();
    await mirrored.addMany(['a']);
    expect(await other.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    expect(await mirrored.dedupe(['a', 'b'])).toEqual([]);
    await lose();
    const dispose = vi.spyOn(BlockedBloomFilter.prototype, 'dispose');
    await mirrored.refresh();
    expect(dispose).toHaveBeenCalledTimes(1);
    expect(await mirrored.dedupe(['a', 'b'])).toEqual(['a', 'b']);
    expect(await other.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 1));
    const waiting = await open({ mirror: true, wait: { replicas: 1, ms: 1 } }, mirrored.name);
    await waiting.refresh();
    await lose();
    await expect(waiting.dedupe(['a'])).rejects.toMatchObject({ code: 'UNREPLICATED' });
    expect(await other.has('a')).toBe(true);
    await other.delete();
    expect(await mirrored.add('a')).toBe(false);
    await expect(mirrored.addMany(['a'])).rejects.toMatchObject({ code: 'ABSENT' });
    await mirrored.delete();
    await expect(mirrored.add('a')).rejects.toMatchObject({ code: 'ABSENT' });
  });
});

it('a copy is read again, and freed, if the filter is cleared meanwhile', async () => {
  const other = await open({ capacity: 100 });
  const clearing = interrupted(
    client,
    ({ options }) => options.binary,
    () => other.clear(),
  );
  const mirrored = await RedisBloomFilter.open(clearing, other.name, { mirror: true });
  const dispose = vi.spyOn(BlockedBloomFilter.prototype, 'dispose');
  await mirrored.refresh();
  expect(dispose).toHaveBeenCalledTimes(2);
});

describe('single calls, of which there are many at once', () => {
  it('are sent in few commands, whose scripts the server may forget', async () => {
    const shared = await open({ capacity: 1000 });
    await shared.has('warm');
    const before = await scriptsRun();
    const flags = await Promise.all(keys(120).map((key) => shared.add(key)));
    expect((await scriptsRun()) - before).toBeLessThan(4);
    expect(flags).toEqual(keys(120).map((key, i, all) => all.indexOf(key) === i));
    await server.send('script', 'flush');
    expect([await shared.has('key 0'), await shared.add('b')]).toEqual([true, true]);
  });

  it('let others come in between, and are answered in the order of their keys', async () => {
    const shared = await open({ capacity: 20_000 });
    const asked = Array.from({ length: 9000 }, (_, i) => `key ${i}`);
    const known = asked.filter((_, i) => i % 3 === 0);
    await shared.addMany(known);
    /** How many were answered in each turn of the event loop. */
    const turns = [0];
    let isAsking = true;
    const turn = (): void => {
      turns.push(0);
      if (isAsking) setImmediate(turn);
    };
    turn();
    const ask = async (key: string): Promise<number> => {
      const flag = await shared.has(key);
      turns.push((turns.pop() ?? 0) + 1);
      return Number(flag);
    };
    const flags = await Promise.all(asked.map(ask));
    isAsking = false;
    const local = BlockedBloomFilter.from(known, { capacity: 20_000 });
    expect(Uint8Array.from(flags)).toEqual(local.hasMany(asked));
    expect(turns.filter((count) => count > 4096)).toEqual([]);
  });

  it('are about the bytes that they were given, whatever becomes of these', async () => {
    const shared = await open({ capacity: 1000 });
    for (const bytes of [Uint8Array.of(1, 2), Buffer.from([3, 4]), new Uint8Array(new SharedArrayBuffer(2))]) {
      const before = Uint8Array.from(bytes);
      const added = shared.add(bytes);
      bytes.fill(9);
      expect(await added).toBe(true);
      // The second call of a turn is sent after the first.
      const first = shared.has('another');
      const has = shared.has(before);
      before.fill(9);
      expect(await first).toBe(false);
      expect([await has, await shared.has(bytes)]).toEqual([true, false]);
    }
  });
});

it('as many replicas have a filter as those of the master with the fewest', async () => {
  let replicas = 0;
  const adapter = { ...adapterOf(client), master: (key: string) => key, wait: async () => replicas++ };
  const filter = await RedisBloomFilter.open(adapter, newName(), { capacity: 10_000 });
  expect([await filter.replicated({ replicas: 1, ms: 1 }), replicas]).toEqual([0, filter.pieces]);
});

it('console.log shows the parameters, without asking Redis', async () => {
  const shared = await open({ capacity: 1000 }, 'shown');
  const rotating = await RotatingRedisBloomFilter.open(client, 'shown too', { capacity: 1000, window: 60_000 });
  const head = `name: 'shown', capacity: 1000, errorRate: 0.01`;
  const shown = inspect(shared, { breakLength: Number.POSITIVE_INFINITY });
  expect(shown).toBe(`RedisBloomFilter { ${head}, bits: ${shared.bits}, seed: 0, pieces: 1 }`);
  expect(inspect(rotating)).toMatch(/^RotatingRedisBloomFilter \{.*window: 60000.*\}$/s);
  expect(inspect({ a: { b: shared } }, { depth: 1 })).toBe('{ a: { b: [RedisBloomFilter] } }');
  expect(String(shared) + String(rotating)).toBe('[object RedisBloomFilter][object RotatingRedisBloomFilter]');
});

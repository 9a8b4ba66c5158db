import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BlockedBloomFilter, type BlockedBloomFilterOptions, column, lines } from '../../src/index.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { type Client, connect, libraries } from './clients.ts';
import { client, newName, piecesOf, server } from './one-server.ts';

/** How often the server has run a command. */
const callsOf = (command: string): Promise<number> => server.callsOf(command);

const open = (options: BlockedBloomFilterOptions, given = client): Promise<RedisBloomFilter> =>
  RedisBloomFilter.open(given, newName(), options);

/** The bits of a filter of `pieces` pieces of 4064 bytes, the smallest, and some blocks more or less. */
const bitsOf = (pieces: number, blocks = 0): number => 256 * (127 * pieces + blocks);

/** The keys `key 0`, `key 1`, …, except that every third one repeats an earlier one. */
const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `key ${i % 3 === 2 ? i >> 1 : i}`);

/** Throws unless a filter has the answers and the bits of one in memory. */
async function expectAsInMemory(options: BlockedBloomFilterOptions, given = client): Promise<void> {
  const shared = await open(options, given);
  const local = new BlockedBloomFilter(options);
  for (const count of [0, 1, 127, 128, 129, 3000]) {
    const keys = keysOf(count);
    const expected = new Uint8Array(count);
    local.addMany(keys, expected);
    const flags = new Uint8Array(count);
    await shared.addMany(keys, flags);
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

describe.each(libraries)('with %s, a filter', (library) => {
  let own: Client;

  beforeAll(async () => {
    own = await connect(library, [server.port]);
  });

  afterAll(() => own.close());

  it('has the bits and the answers of one in memory', () => expectAsInMemory({ bits: bitsOf(16, 1) }, own.client));

  it('takes every source of keys, and gives keys back in its shape', async () => {
    const text = new TextEncoder().encode('ada\nbob\nada\ncarl');
    const sources = [
      lines(text),
      column(text, Int32Array.of(0, 3, 7, 11)),
      Uint32Array.of(1, 2, 1),
      BigInt64Array.of(1n, -2n, 1n),
      ['a', 7, 7n, new Uint8Array([1])],
    ];
    for (const source of sources) {
      const shared = await open({ capacity: 1000 }, own.client);
      const local = new BlockedBloomFilter({ capacity: 1000 });
      expect(await shared.dedupe(source)).toEqual(local.dedupe(source));
      expect(await shared.pick(source)).toEqual(local.pick(source));
      expect(await shared.omit(source)).toEqual(local.omit(source));
    }
  });

  it('is imported, merged and exported', async () => {
    const options = { capacity: 20_000, seed: 7 };
    const one = BlockedBloomFilter.from(keysOf(9000), options);
    const other = BlockedBloomFilter.from(['more', 'keys'], options);
    const shared = await RedisBloomFilter.fromLocal(own.client, newName(), one);
    expect((await shared.toLocal()).toBytes()).toEqual(one.toBytes());
    await shared.add('again');
    await shared.merge(other);
    one.add('again');
    expect((await shared.toLocal()).equals(one.merge(other))).toBe(true);
  });

  it('sends single calls that come together in few commands, also after the server has forgotten its scripts', async () => {
    const shared = await open({ capacity: 1000 }, own.client);
    await shared.has('warm');
    const before = await callsOf('evalsha');
    const flags = await Promise.all(keysOf(120).map((key) => shared.add(key)));
    expect((await callsOf('evalsha')) - before).toBeLessThan(4);
    expect(flags).toEqual(keysOf(120).map((key, i, all) => all.indexOf(key) === i));
    await server.send('script', 'flush');
    expect([await shared.has('key 0'), await shared.add('b')]).toEqual([true, true]);
  });
});

describe('a filter', () => {
  it.each([
    ['one block', { bits: 256 }],
    ['one piece less a block', { bits: bitsOf(1, -1) }],
    ['one piece', { bits: bitsOf(1) }],
    ['one piece and a block', { bits: bitsOf(1, 1) }],
    ['sixteen pieces less a block', { bits: bitsOf(16, -1) }],
    ['a capacity and a seed', { capacity: 100_000, errorRate: 0.001, seed: 2 ** 32 - 1 }],
  ])('has the bits and the answers of one in memory: %s', (_, options) => expectAsInMemory(options));

  it('answers every sequence of calls as one in memory does', async () => {
    const key = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.uint8Array({ maxLength: 3 }),
      fc.nat(9),
      fc.bigInt(-3n, 3n),
    );
    const keys = fc.array(key, { maxLength: 20 });
    const step = fc.tuple(fc.constantFrom('add', 'has', 'addMany', 'hasMany', 'dedupe', 'pick', 'omit', 'clear'), keys);
    const shared = await open({ bits: 1024 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        await shared.clear();
        const local = new BlockedBloomFilter({ bits: 1024 });
        for (const [verb, keys] of steps) {
          if (verb === 'add' || verb === 'has') {
            const flags = await Promise.all(keys.map((each) => shared[verb](each)));
            expect(flags).toEqual(keys.map((each) => local[verb](each)));
          } else if (verb === 'addMany') {
            await shared.addMany(keys);
            local.addMany(keys);
          } else if (verb === 'clear') {
            await shared.clear();
            local.clear();
          } else if (verb === 'hasMany') {
            expect(await shared.hasMany(keys)).toEqual(local.hasMany(keys));
          } else {
            const select: 'dedupe' | 'pick' | 'omit' = verb;
            expect(await shared[select](keys)).toEqual(local[select](keys));
          }
        }
        expect((await shared.toLocal()).equals(local)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('reads an iterable once, and copies bytes that it reuses', async () => {
    const buffer = new Uint8Array(1);
    function* reused(): Generator<Uint8Array> {
      for (let i = 0; i < 300; i++) {
        buffer[0] = i;
        yield buffer;
      }
    }
    const shared = await open({ capacity: 1000 });
    const expected = Array.from({ length: 256 }, (_, i) => Uint8Array.of(i));
    expect(await shared.dedupe(reused())).toEqual(expected);
  });

  it('sends many keys in calls of at most 128', async () => {
    const shared = await open({ capacity: 10_000 });
    const before = await callsOf('evalsha');
    await shared.addMany(Uint32Array.from({ length: 1025 }, (_, i) => i));
    expect((await callsOf('evalsha')) - before).toBe(9);
  });
});

describe('what Redis holds', () => {
  it('is the body of the file, of which each byte begins with its lowest bit', async () => {
    const name = newName();
    const shared = await RedisBloomFilter.open(client, name, { bits: 512 });
    await shared.addMany(['a', 'b']);
    const body = (await shared.toLocal()).toBytes().slice(64);
    const [piece = ''] = await piecesOf(name);
    for (let i = 0; i < 512; i++) {
      // Redis counts the bits of a byte from the highest.
      expect(await server.send('getbit', piece, i ^ 7)).toBe(((body[i >> 3] as number) >> (i & 7)) & 1);
    }
  });

  it('takes hardly more memory than the bits', async () => {
    const used = async (): Promise<number> => Number(await server.info('memory', 'used_memory_dataset'));
    const before = await used();
    const shared = await open({ bits: 8 * 32e6 });
    expect((await used()) - before).toBeLessThan(1.02 * shared.byteLength);
    await shared.delete();
  });
});

describe('a copy in the process', () => {
  it('gives the same answers as none, and sends what it knows to be present once', async () => {
    const step = fc.tuple(fc.constantFrom('dedupe', 'pick', 'omit'), fc.array(fc.nat(30), { maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.boolean(), async (steps, refreshes) => {
        const name = newName();
        const other = await RedisBloomFilter.open(client, name, { bits: 512 });
        const mirrored = await RedisBloomFilter.open(client, name, { mirror: true });
        const local = new BlockedBloomFilter({ bits: 512 });
        for (const [verb, keys] of steps) {
          expect(await mirrored[verb](keys)).toEqual(local[verb](keys));
          await other.addMany([100 + keys.length]);
          local.add(100 + keys.length);
          if (refreshes) await mirrored.refresh();
        }
        expect((await mirrored.toLocal()).equals(local)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('needs no server for keys that it knows, until the filter is cleared', async () => {
    const name = newName();
    const mirrored = await RedisBloomFilter.open(client, name, { capacity: 10_000, mirror: true });
    const keys = keysOf(5000);
    await mirrored.addMany(keys);
    const other = await RedisBloomFilter.open(client, name);
    await other.add('theirs');
    const before = await callsOf('evalsha');
    expect(await mirrored.hasMany(keys)).toEqual(new Uint8Array(5000).fill(1));
    expect(await mirrored.dedupe(keys)).toEqual([]);
    expect(await mirrored.add('key 1')).toBe(false);
    expect(await callsOf('evalsha')).toBe(before);
    expect(await mirrored.has('theirs')).toBe(true);
    expect(await callsOf('evalsha')).toBe(before + 1);
    await other.clear();
    expect(await mirrored.has('key 1')).toBe(true);
    expect(await mirrored.has('unknown')).toBe(false);
    expect(await mirrored.has('key 1')).toBe(false);
    await expect(other.refresh()).rejects.toThrow(TypeError);
  });

  it('does not keep keys lost that Redis has lost, if they are added without flags or after a refresh', async () => {
    const name = newName();
    const mirrored = await RedisBloomFilter.open(client, name, { bits: 512, mirror: true });
    const other = await RedisBloomFilter.open(client, name);
    const [piece = ''] = await piecesOf(name);
    // What a failover does to keys that no replica has received.
    const lose = (): Promise<unknown> => server.send('set', piece, '\0'.repeat(64));
    await mirrored.addMany(['a', 'b']);
    await lose();
    await mirrored.addMany(['a']);
    expect(await other.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    expect(await mirrored.dedupe(['a', 'b'])).toEqual([]);
    await lose();
    await mirrored.refresh();
    expect(await mirrored.dedupe(['a', 'b'])).toEqual(['a', 'b']);
    expect(await other.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 1));
    await other.delete();
    expect(await mirrored.add('a')).toBe(false);
    await expect(mirrored.addMany(['a'])).rejects.toMatchObject({ code: 'ABSENT' });
    await mirrored.delete();
    await expect(mirrored.add('a')).rejects.toMatchObject({ code: 'ABSENT' });
  });
});

describe('single calls, of which there are many at once', () => {
  it('let others come in between, and are answered in the order of their keys', async () => {
    const shared = await open({ capacity: 20_000 });
    const keys = Array.from({ length: 20_000 }, (_, i) => `key ${i}`);
    const known = keys.filter((_, i) => i % 3 === 0);
    await shared.addMany(known);
    const local = BlockedBloomFilter.from(known, { capacity: 20_000 });
    let answered = 0;
    let most = 0;
    const turn = (): void => {
      most = Math.max(most, answered);
      answered = 0;
      if (isAsking) setImmediate(turn);
    };
    let isAsking = true;
    setImmediate(turn);
    const flags = await Promise.all(
      keys.map(async (key) => {
        const flag = await shared.has(key);
        answered++;
        return Number(flag);
      }),
    );
    isAsking = false;
    most = Math.max(most, answered);
    expect(Uint8Array.from(flags)).toEqual(local.hasMany(keys));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4096);
  });

  it('are about the bytes that they were given, whatever becomes of these', async () => {
    const shared = await open({ capacity: 1000 });
    for (const bytes of [Uint8Array.of(1, 2), Buffer.from([3, 4]), new Uint8Array(new SharedArrayBuffer(2))]) {
      const before = Uint8Array.from(bytes);
      const added = shared.add(bytes);
      bytes.fill(9);
      expect(await added).toBe(true);
      const has = shared.has(before);
      before.fill(9);
      expect([await has, await shared.has(bytes)]).toEqual([true, false]);
    }
  });
});

it('console.log shows the parameters, without asking Redis', async () => {
  const shared = await RedisBloomFilter.open(client, 'shown', { capacity: 1000 });
  const rotating = await RotatingRedisBloomFilter.open(client, 'shown too', { capacity: 1000, window: 60_000 });
  const head = `name: 'shown', capacity: 1000, errorRate: 0.01`;
  expect(inspect(shared, { breakLength: Number.POSITIVE_INFINITY })).toBe(
    `RedisBloomFilter { ${head}, bits: ${shared.bits}, seed: 0, pieces: 1 }`,
  );
  expect(inspect(rotating)).toMatch(/^RotatingRedisBloomFilter \{.*window: 60000.*\}$/s);
  expect(inspect({ a: { b: shared } }, { depth: 1 })).toBe('{ a: { b: [RedisBloomFilter] } }');
  expect([String(shared), String(rotating)]).toEqual([
    '[object RedisBloomFilter]',
    '[object RotatingRedisBloomFilter]',
  ]);
});

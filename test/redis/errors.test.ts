import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import {
  type RedisAdapter,
  RedisBloomFilter,
  RedisFilterError,
  type RedisFilterErrorCode,
  RotatingRedisBloomFilter,
} from '../../src/redis.ts';
import { type Client, type ConnectOptions, connect, type Library, libraries, PASSWORD } from './clients.ts';
import { intercepted } from './intercept.ts';
import { Relay } from './relay.ts';
import { Server, until } from './servers.ts';

const CAPACITY = { capacity: 1000 };

let server: Server;
let client: Client;
let names = 0;
const open: { close(): void }[] = [];

const newName = (): string => `errors:${names++}`;

async function connectTo(port: number, library: Library = 'redis', options?: ConnectOptions): Promise<Client> {
  const client = await connect(library, [port], options);
  open.push(client);
  return client;
}

async function startRelay(port = server.port): Promise<Relay> {
  const relay = await Relay.start(port);
  open.push(relay);
  return relay;
}

beforeAll(async () => {
  server = await Server.start();
  client = await connect('redis', [server.port]);
}, 60_000);

afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

afterAll(() => {
  client.close();
  server.stop();
});

/** The keys of a filter's bits. */
async function piecesOf(name: string): Promise<string[]> {
  const keys = (await client.send('keys', `${name}:*`)) as string[];
  return keys.filter((key) => !/:once:|:filters$/.test(key));
}

/** Waits for an error of a filter in Redis, and returns it. */
async function failureOf(
  call: Promise<unknown>,
  code: RedisFilterErrorCode,
  message?: RegExp,
): Promise<RedisFilterError> {
  const error: unknown = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RedisFilterError);
  const failure = error as RedisFilterError;
  expect([failure.code, failure.message]).toEqual([
    code,
    message ? expect.stringMatching(message) : expect.any(String),
  ]);
  return failure;
}

describe('the arguments', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a client',
      () => RedisBloomFilter.open({} as RedisAdapter, 'x', CAPACITY),
      /^client must be a client or cluster of/,
    ],
    ['no client', () => RedisBloomFilter.open(null as never, 'x', CAPACITY), /^client must be .*, got null/],
    ['an empty name', () => RedisBloomFilter.open(client.client, '', CAPACITY), /^name must be/],
    [
      'a name with a tag',
      () => RedisBloomFilter.open(client.client, '{x}', CAPACITY),
      /^name must be .* without braces/,
    ],
    ['a name that is no text', () => RedisBloomFilter.open(client.client, 7 as never, CAPACITY), /^name must be/],
    [
      'an unknown option',
      () => RedisBloomFilter.open(client.client, 'x', { capacty: 1 } as never),
      /did you mean capacity/,
    ],
    ['a seed alone', () => RedisBloomFilter.open(client.client, 'x', { seed: 1 } as never), /^capacity must be/],
    [
      'a low error rate',
      () => RedisBloomFilter.open(client.client, 'x', { capacity: 1, errorRate: 1e-6 }),
      /^errorRate must be at least 0.00001 in Redis, got 0.000001; take 0.00001, and check .* in another store$/,
    ],
    [
      'a low error rate of a filter that forgets',
      () => RotatingRedisBloomFilter.open(client.client, 'x', { ...CAPACITY, errorRate: 1.9e-5, window: 1000 }),
      /^errorRate must be at least 0.00002 in Redis, got 0.000019; /,
    ],
    [
      'no error rate',
      () => RedisBloomFilter.open(client.client, 'x', { capacity: 1, errorRate: 0 }),
      /^errorRate must/,
    ],
    [
      'the constructor',
      async () => Reflect.construct(RedisBloomFilter, [client.client, 'x', CAPACITY]),
      /^a RedisBloomFilter is opened: use await RedisBloomFilter\.open\(client, name, options\)$/,
    ],
    [
      'the other constructor',
      async () => Reflect.construct(RotatingRedisBloomFilter, [client.client, 'x', CAPACITY]),
      /^a RotatingRedisBloomFilter is opened: use await RotatingRedisBloomFilter\.open\(/,
    ],
    ['spread', () => RedisBloomFilter.open(client.client, 'x', { ...CAPACITY, spread: 0 }), /^spread must be/],
    ['timeout', () => RedisBloomFilter.open(client.client, 'x', { timeout: 0 }), /^timeout must be/],
    ['inFlight', () => RedisBloomFilter.open(client.client, 'x', { inFlight: 1.5 }), /^inFlight must be/],
    ['readFrom', () => RedisBloomFilter.open(client.client, 'x', { readFrom: 'slave' as never }), /^readFrom must be/],
    ['once', () => RedisBloomFilter.open(client.client, 'x', { once: 1 as never }), /^once must be/],
    [
      'wait',
      () => RedisBloomFilter.open(client.client, 'x', { wait: { replicas: 0, ms: 1 } }),
      /^wait.replicas must be/,
    ],
    ['what to wait for', () => RedisBloomFilter.open(client.client, 'x', { wait: true as never }), /^wait must be/],
    [
      'what to wait for, in a list',
      () => RedisBloomFilter.open(client.client, 'x', { wait: [] as never }),
      /^wait must be/,
    ],
    [
      'what to wait for, misspelled',
      () => RedisBloomFilter.open(client.client, 'x', { wait: { replica: 1, ms: 1 } as never }),
      /^unknown option wait.replica; did you mean replicas\?/,
    ],
    [
      'another kind of filter',
      () => RedisBloomFilter.fromLocal(client.client, 'x', new BloomFilter(CAPACITY) as never),
      /^filter must be a BlockedBloomFilter/,
    ],
  ])('are checked: %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
    expect(await client.send('exists', 'x')).toBe(0);
  });

  it('wait for replicas needs an adapter that can', async () => {
    const adapter: RedisAdapter = {
      cluster: false,
      isClosed: () => false,
      master: () => 0,
      send: async () => null,
    };
    await expect(RedisBloomFilter.open(adapter, 'x', { wait: { replicas: 1, ms: 1 } })).rejects.toThrow(TypeError);
  });

  it('are keys: a wrong one rejects its own call, and those before it are added', async () => {
    const shared = await RedisBloomFilter.open(client.client, newName(), CAPACITY);
    const calls = await Promise.allSettled([shared.add('a'), shared.add(1.5), shared.add('b')]);
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(shared.addMany(['c', null as never, 'd'])).rejects.toThrow(/^keys\[1\] must be/);
    expect(await shared.pick(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
    await expect(shared.addMany(['e', 'f'], new Uint8Array(1))).rejects.toThrow(/^out must have a length of 2 /);
    expect(await shared.has('e')).toBe(false);
  });

  it('are a filter to merge that has the same size and seed', async () => {
    const shared = await RedisBloomFilter.open(client.client, newName(), CAPACITY);
    await expect(shared.merge(new BlockedBloomFilter({ capacity: 10 }))).rejects.toThrow(/^bits of filter must be/);
    const seeded = new BlockedBloomFilter({ ...CAPACITY, seed: 1 });
    await expect(shared.merge(seeded)).rejects.toThrow(/^seed of filter must be 0/);
  });
});

it('the least error rate can be had', async () => {
  const shared = await RedisBloomFilter.open(client.client, newName(), { ...CAPACITY, errorRate: 1e-5 });
  expect(shared.errorRate).toBe(1e-5);
  const options = { ...CAPACITY, errorRate: 2e-5, window: 60_000 };
  expect((await RotatingRedisBloomFilter.open(client.client, newName(), options)).errorRate).toBe(2e-5);
});

describe('a name', () => {
  it('without a filter is an error, unless it is to be made', async () => {
    const name = newName();
    const message = /^there is no filter "errors:\d+"; open it with a capacity, and it is made: \{ capacity: /;
    await failureOf(RedisBloomFilter.open(client.client, name), 'ABSENT', message);
    await failureOf(RotatingRedisBloomFilter.open(client.client, name), 'ABSENT', message);
    const reading = RedisBloomFilter.open(client.client, name, { readFrom: 'replica' });
    await failureOf(reading, 'ABSENT', /^there is no filter "errors:\d+"$/);
    expect(await client.send('exists', name)).toBe(0);
  });

  it.each([
    [{ capacity: 2000 }, /^capacity of "errors:\d+" must be 1000, as the filter was made, got 2000$/],
    [{ capacity: 1000, errorRate: 0.001 }, /^errorRate of .* must be 0.01/],
    [{ capacity: 1000, seed: 1 }, /^seed of .* must be 0/],
    [{ bits: 256 }, /^capacity of .* must be 1000, .* got 0$/],
  ])('is refused with other parameters: %o', async (options, message) => {
    const name = newName();
    await RedisBloomFilter.open(client.client, name, CAPACITY);
    await failureOf(RedisBloomFilter.open(client.client, name, options), 'MISMATCH', message);
  });

  it.each<[string, RedisFilterErrorCode, (name: string) => Promise<unknown>]>([
    ['a text', 'FOREIGN', (name) => client.send('set', name, 'hello')],
    ['JSON of another', 'FOREIGN', (name) => client.send('set', name, '{"version":1}')],
    ['a list', 'FOREIGN', (name) => client.send('lpush', name, 'x')],
    ['a later version', 'VERSION', (name) => client.send('set', name, '{"bloomery":2}')],
    [
      'changed parameters',
      'DAMAGED',
      async (name) => {
        await RedisBloomFilter.open(client.client, name, CAPACITY);
        const text = String(await client.send('get', name));
        await client.send('set', name, text.replace('"seed":0', '"seed":1'));
      },
    ],
  ])('that holds something else is left alone: %s', async (_, code, make) => {
    const name = newName();
    await make(name);
    const before = await client.send('dump', name);
    await failureOf(RedisBloomFilter.open(client.client, name, CAPACITY), code);
    await failureOf(RedisBloomFilter.open(client.client, name), code);
    expect(await client.send('dump', name)).toBe(before);
  });

  it('that is taken is not imported to, unless it is to be replaced', async () => {
    const name = newName();
    const one = await RedisBloomFilter.open(client.client, name, CAPACITY);
    await one.add('a');
    const local = BlockedBloomFilter.from(['b'], CAPACITY);
    await failureOf(RedisBloomFilter.fromLocal(client.client, name, local), 'EXISTS');
    expect(await one.has('a')).toBe(true);
    const other = await RedisBloomFilter.fromLocal(client.client, name, local, { replace: true });
    expect([await other.has('a'), await other.has('b')]).toEqual([false, true]);
    // The first client finds the new pieces by itself.
    expect([await one.has('a'), await one.has('b')]).toEqual([false, true]);
    expect(await piecesOf(name)).toHaveLength(1);
    await RedisBloomFilter.fromLocal(client.client, name, new BlockedBloomFilter({ bits: 256 }), { replace: true });
    await failureOf(one.has('a'), 'MISMATCH');
  });

  it('that was half made is finished by whoever comes next', async () => {
    const name = newName();
    const one = await RedisBloomFilter.open(client.client, name, { bits: 256 * 127 * 16 });
    const text = String(await client.send('get', name));
    await client.send('set', name, text.replace('"ready"', '"creating"'));
    const pieces = await piecesOf(name);
    for (const piece of pieces.slice(3)) await client.send('unlink', piece);
    await RedisBloomFilter.open(client.client, name);
    expect(await piecesOf(name)).toHaveLength(16);
    expect(await client.send('get', name)).toBe(text);
    expect(await one.dedupe(Uint32Array.of(1, 2, 3))).toHaveLength(3);
  });
});

describe('a filter that was cleared or deleted by another client', () => {
  it('is found again, empty', async () => {
    const name = newName();
    const one = await RedisBloomFilter.open(client.client, name, CAPACITY);
    const other = await RedisBloomFilter.open(client.client, name);
    await one.add('a');
    await Promise.all([other.clear(), other.clear()]);
    expect([await one.add('a'), await other.has('a')]).toEqual([true, true]);
    expect(await piecesOf(name)).toHaveLength(1);
  });

  it('is absent', async () => {
    const name = newName();
    const one = await RedisBloomFilter.open(client.client, name, CAPACITY);
    await (await RedisBloomFilter.open(client.client, name)).delete();
    for (const call of [
      () => one.add('a'),
      () => one.has('a'),
      () => one.toLocal(),
      () => one.fillRatio(),
      () => one.clear(),
    ]) {
      await failureOf(call(), 'ABSENT');
    }
    await one.delete();
  });
});

describe('a piece that is', () => {
  it.each<[string, (key: string) => Promise<unknown>]>([
    ['deleted', (key) => client.send('del', key)],
    [
      'expired',
      async (key) => {
        await client.send('pexpire', key, '1');
        await until('it is gone', async () => (await client.send('exists', key)) === 0);
      },
    ],
    ['cut', (key) => client.send('set', key, 'short')],
    [
      'of another type',
      async (key) => {
        await client.send('del', key);
        await client.send('lpush', key, 'x');
      },
    ],
  ])('%s is an error, never an empty piece', async (_, harm) => {
    const name = newName();
    const shared = await RedisBloomFilter.open(client.client, name, { bits: 256 * 127 * 4 });
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
    await shared.addMany(keys);
    const [piece = ''] = await piecesOf(name);
    await harm(piece);
    const before = await client.send('dump', piece);
    const { answers } = await failureOf(shared.hasMany(keys), 'LOST');
    // All keys were added, so each key that has an answer must have a 1.
    expect(answers?.flags).toEqual(answers?.done);
    expect(answers?.done).toHaveLength(300);
    await failureOf(shared.addMany(keys), 'LOST');
    await failureOf(shared.dedupe(keys), 'LOST');
    await failureOf(shared.toLocal(), 'LOST');
    await failureOf(shared.fillRatio(), 'LOST');
    await failureOf(shared.merge(BlockedBloomFilter.from(keys, { bits: shared.bits })), 'LOST');
    await failureOf((await RedisBloomFilter.open(client.client, name)).hasMany(keys), 'LOST');
    expect(await client.send('dump', piece)).toBe(before);
  });
});

describe('the server', () => {
  const user = async (name: string, ...rules: string[]): Promise<Client> => {
    await client.send('acl', 'setuser', name, 'reset', 'on', `>${PASSWORD}`, ...rules);
    return connectTo(server.port, 'redis', { username: name });
  };

  it('asks for no more rights than are documented', async () => {
    const name = newName();
    const hashes = ['hset', 'hget', 'hdel', 'hgetall'];
    const strings = 'evalsha eval get set unlink exists getrange setrange strlen bitcount bitop'.split(' ');
    const commands = [...strings, ...hashes];
    const app = await user('app', `~${name}`, `~${name}:*`, ...commands.map((command) => `+${command}`));
    const shared = await RedisBloomFilter.open(app.client, name, CAPACITY);
    await shared.addMany(['a', 'b']);
    await shared.merge(BlockedBloomFilter.from(['c'], CAPACITY));
    expect(await shared.dedupe(['a', 'c', 'd'])).toEqual(['d']);
    expect(await shared.fillRatio()).toBe((await shared.toLocal()).fillRatio());
    await shared.clear();
    await RedisBloomFilter.fromLocal(app.client, name, BlockedBloomFilter.from(['e'], CAPACITY), { replace: true });
    expect(await shared.has('e')).toBe(true);

    const reads = 'evalsha_ro eval_ro get hget getrange strlen bitcount'.split(' ').map((command) => `+${command}`);
    const reader = await user('reader', `%R~${name}`, `%R~${name}:*`, ...reads);
    const read = await RedisBloomFilter.open(reader.client, name, { readFrom: 'replica' });
    expect([await read.has('e'), await read.has('f'), (await read.toLocal()).has('e')]).toEqual([true, false, true]);
    expect(await read.fillRatio()).toBeGreaterThan(0);
    await failureOf(read.add('f'), 'NOPERM');
    expect(await shared.has('f')).toBe(false);
    await failureOf(RedisBloomFilter.open(app.client, `${name}2`, CAPACITY), 'NOPERM');
    await failureOf(RedisBloomFilter.open(reader.client, name), 'NOPERM');
    await shared.delete();
  });

  it.each([
    ['allkeys-lru', '1gb', true, true],
    ['allkeys-random', '1gb', true, true],
    ['volatile-ttl', '1gb', false, true],
    ['noeviction', '1gb', false, false],
    ['allkeys-lru', '0', false, false],
  ])('evicts keys: with the policy %s and maxmemory %s', async (policy, limit, refusesPlain, refusesRotating) => {
    const blind = await user('blind', '~*', '+@all', '-info');
    await server.send('config', 'set', 'maxmemory-policy', policy);
    await server.send('config', 'set', 'maxmemory', limit);
    try {
      const rotating = { ...CAPACITY, window: 60_000 };
      const calls: [boolean, (name: string) => Promise<unknown>][] = [
        [refusesPlain, (name) => RedisBloomFilter.open(client.client, name, CAPACITY)],
        [refusesPlain, (name) => RedisBloomFilter.fromLocal(client.client, name, new BlockedBloomFilter(CAPACITY))],
        [refusesRotating, (name) => RotatingRedisBloomFilter.open(client.client, name, rotating)],
      ];
      for (const [isRefused, call] of calls) {
        const name = newName();
        if (isRefused) await failureOf(call(name), 'EVICTION', /^maxmemory-policy of "errors:\d+" must be noeviction/);
        else await call(name);
        expect(await client.send('exists', name)).toBe(isRefused ? 0 : 1);
      }
      const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
      const name = newName();
      for (const _ of [1, 2]) await RedisBloomFilter.open(blind.client, name, CAPACITY);
      const warning = `bloomery cannot tell whether Redis evicts parts of "${name}" when its memory is full`;
      expect(warn.mock.calls).toEqual([[warning, { code: 'BLOOMERY_EVICTION', detail: expect.any(String) }]]);
      warn.mockRestore();
    } finally {
      await server.send('config', 'set', 'maxmemory', 0);
      await server.send('config', 'set', 'maxmemory-policy', 'noeviction');
    }
  });

  it('is older than read-only scripts: the same scripts are sent by other names', async () => {
    const name = newName();
    await (await RedisBloomFilter.open(client.client, name, CAPACITY)).add('a');
    const sent: string[] = [];
    const mayReplicasAnswer = new Set<boolean>();
    const old = intercepted(client.client, async (send, { command: [verb = ''], options }) => {
      sent.push(String(verb));
      mayReplicasAnswer.add(options.readOnly);
      if (!String(verb).endsWith('_ro')) return send();
      throw new Error(`ERR unknown command '${verb}', with args beginning with: `);
    });
    await server.send('script', 'flush');
    const shared = await RedisBloomFilter.open(old, name, { readFrom: 'replica' });
    // The master tells the parameters.
    expect(mayReplicasAnswer).toEqual(new Set([false]));
    mayReplicasAnswer.clear();
    expect(await shared.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    expect((await shared.toLocal()).has('a')).toBe(true);
    expect(mayReplicasAnswer).toEqual(new Set([true]));
    // It is asked once whether it knows the command.
    expect(sent.filter((verb) => verb.endsWith('_ro'))).toEqual(['evalsha_ro']);
    expect(new Set(sent)).toEqual(new Set(['evalsha_ro', 'evalsha', 'eval']));
  });

  it('says so if a right is missing inside a script', async () => {
    const name = newName();
    const app = await user('limited', `~${name}`, `~${name}:*`, '+evalsha', '+eval', '+get');
    await failureOf(RedisBloomFilter.open(app.client, name, CAPACITY), 'NOPERM', /script can't run this command/);
    await RedisBloomFilter.open(client.client, name, CAPACITY);
    const opened = await RedisBloomFilter.open(app.client, name);
    await failureOf(opened.add('a'), 'NOPERM', /script can't run this command/);
  });

  it('has no memory left: nothing is half added', async () => {
    const shared = await RedisBloomFilter.open(client.client, newName(), CAPACITY);
    await shared.addMany(['a']);
    await server.send('config', 'set', 'maxmemory', 1);
    try {
      await failureOf(shared.add('b'), 'OOM');
      await failureOf(RedisBloomFilter.open(client.client, newName(), CAPACITY), 'OOM');
      const { answers } = await failureOf(shared.dedupe(['a', 'b']), 'OOM', /0 of the first 2 keys are done/);
      expect(answers).toEqual({ done: new Uint8Array(2), flags: new Uint8Array(2) });
      expect(await shared.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    } finally {
      await server.send('config', 'set', 'maxmemory', 0);
    }
    expect(await shared.add('b')).toBe(true);
  });

  it('is a read-only replica: keys can be looked up, not added', async () => {
    const replica = await Server.start('--replicaof', '127.0.0.1', String(server.port));
    open.push({ close: () => replica.stop() });
    const name = newName();
    await (await RedisBloomFilter.open(client.client, name, CAPACITY)).add('a');
    await until('the replica has it', async () => (await replica.send('exists', name)) === 1);
    const shared = await RedisBloomFilter.open((await connectTo(replica.port)).client, name, { readFrom: 'replica' });
    await until('the replica has the key', () => shared.has('a'));
    await failureOf(shared.add('b'), 'READONLY');
    await failureOf(shared.addMany(['b']), 'READONLY');
    expect(await shared.has('b')).toBe(false);
  });

  it('does not answer in time', async () => {
    const relay = await startRelay();
    const { client: slow } = await connectTo(relay.port);
    const shared = await RedisBloomFilter.open(slow, newName(), { ...CAPACITY, timeout: 300 });
    await shared.add('a');
    relay.delayReplies(600);
    const { answers } = await failureOf(shared.addMany(['a', 'b', 'c'], new Uint8Array(3)), 'TIMEOUT', /300 ms/);
    expect(answers?.done).toEqual(new Uint8Array(3));
    await failureOf(shared.has('a'), 'TIMEOUT');
    relay.delayReplies(0);
    // It had been done: to add again is harmless.
    await until('replies come', () => shared.has('c'));
    expect(await shared.dedupe(['a', 'b', 'c', 'd'])).toEqual(['d']);
  });

  it('is gone for good: the client was closed', async () => {
    for (const library of libraries) {
      const gone = await connectTo(server.port, library);
      const shared = await RedisBloomFilter.open(gone.client, newName(), CAPACITY);
      gone.close();
      await failureOf(shared.add('a'), 'CONNECTION');
    }
  });
});

describe.each(libraries)('with %s, a reply that is lost', (library) => {
  it('is asked for again, and tells the truth: nothing is added twice', async () => {
    const relay = await startRelay();
    const { client: cut } = await connectTo(relay.port, library);
    const shared = await RedisBloomFilter.open(cut, newName(), CAPACITY);
    await shared.add('warm');
    relay.cutNextReply();
    expect(await shared.dedupe(['x', 'y', 'warm', 'x'])).toEqual(['x', 'y']);
    relay.cutNextReply();
    expect(await shared.add('z')).toBe(true);
    relay.cutNextReply();
    expect(await shared.has('z')).toBe(true);
    expect(await shared.dedupe(['x', 'y', 'z'])).toEqual([]);
  });
});

it('a reply that is lost is an error if Redis does not remember its answers', async () => {
  const relay = await startRelay();
  const { client: cut } = await connectTo(relay.port);
  const shared = await RedisBloomFilter.open(cut, newName(), { ...CAPACITY, once: false });
  await shared.add('warm');
  relay.cutNextReply();
  const { answers } = await failureOf(shared.dedupe(['x', 'y']), 'CONNECTION', /0 of the first 2 keys are done/);
  expect(answers?.done).toEqual(new Uint8Array(2));
  relay.cutNextReply();
  // Without flags, to send it again is harmless.
  await shared.addMany(['v', 'w']);
  expect(await shared.hasMany(['v', 'w', 'x', 'y'])).toEqual(Uint8Array.of(1, 1, 1, 1));
});

it('a command that ioredis sends again by itself lies if Redis does not remember its answers', async () => {
  const relay = await startRelay();
  const { client: cut } = await connectTo(relay.port, 'ioredis');
  const shared = await RedisBloomFilter.open(cut, newName(), { ...CAPACITY, once: false });
  await shared.add('warm');
  relay.cutNextReply();
  expect(await shared.dedupe(['x', 'y'])).toEqual([]);
});

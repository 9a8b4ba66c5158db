import { afterEach, describe, expect, it, vi } from 'vitest';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import {
  type RedisAdapter,
  RedisBloomFilter,
  RedisFilterError,
  type RedisFilterErrorCode,
  RotatingRedisBloomFilter,
} from '../../src/redis.ts';
import { type Client, connect, libraries, PASSWORD } from './clients.ts';
import { intercepted } from './intercept.ts';
import { client, newName, piecesOf, server } from './one-server.ts';

const CAPACITY = { capacity: 1000 };

const open: Client[] = [];

afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

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

/** Opens a filter with arguments of any types. */
const opening =
  (options: object, name: unknown = 'x', given?: unknown) =>
  (): Promise<unknown> =>
    RedisBloomFilter.open((given === undefined ? client : given) as RedisAdapter, name as string, options);

describe('the arguments', () => {
  it.each<[RegExp, () => Promise<unknown>]>([
    [/^client must be a client or cluster of/, opening(CAPACITY, 'x', {})],
    [/^client must be .*, got null/, opening(CAPACITY, 'x', null)],
    [/^name must be/, opening(CAPACITY, '')],
    [/^name must be .* without braces/, opening(CAPACITY, '{x}')],
    [/^name must be .*7/, opening(CAPACITY, 7)],
    [/did you mean capacity/, opening({ capacty: 1 })],
    [/^capacity must be/, opening({ seed: 1 })],
    [
      /^errorRate must be at least 0.00001 in Redis, got 0.000001; take 0.00001, and check .* in another store$/,
      opening({ capacity: 1, errorRate: 1e-6 }),
    ],
    [
      /^errorRate must be at least 0.00002 in Redis, got 0.000019; /,
      () => RotatingRedisBloomFilter.open(client, 'x', { ...CAPACITY, errorRate: 1.9e-5, window: 1000 }),
    ],
    [/^errorRate must/, opening({ capacity: 1, errorRate: 0 })],
    [
      /^a RedisBloomFilter is opened: use await RedisBloomFilter\.open\(client, name, options\)$/,
      async () => Reflect.construct(RedisBloomFilter, [client, 'x', CAPACITY]),
    ],
    [
      /^a RotatingRedisBloomFilter is opened: use await RotatingRedisBloomFilter\.open\(/,
      async () => Reflect.construct(RotatingRedisBloomFilter, [client, 'x', CAPACITY]),
    ],
    [/^spread must be/, opening({ ...CAPACITY, spread: 0 })],
    [/^timeout must be/, opening({ timeout: 0 })],
    [/^inFlight must be/, opening({ inFlight: 1.5 })],
    [/^readFrom must be/, opening({ readFrom: 'slave' })],
    [/^once must be/, opening({ once: 1 })],
    [/^wait.replicas must be/, opening({ wait: { replicas: 0, ms: 1 } })],
    [/^wait must be .*true/, opening({ wait: true })],
    [/^wait must be/, opening({ wait: [] })],
    [/^unknown option wait.replica; did you mean replicas\?/, opening({ wait: { replica: 1, ms: 1 } })],
    [
      /^filter must be a BlockedBloomFilter/,
      () => RedisBloomFilter.fromLocal(client, 'x', new BloomFilter(CAPACITY) as never),
    ],
  ])('are checked: %s', async (message, call) => {
    await expect(call()).rejects.toThrow(message);
    expect(await server.send('exists', 'x')).toBe(0);
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
    const shared = await RedisBloomFilter.open(client, newName(), CAPACITY);
    const calls = await Promise.allSettled([shared.add('a'), shared.add(1.5), shared.add('b')]);
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(shared.addMany(['c', null as never, 'd'])).rejects.toThrow(/^keys\[1\] must be/);
    expect(await shared.pick(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
    await expect(shared.addMany(['e', 'f'], new Uint8Array(1))).rejects.toThrow(/^out must have a length of 2 /);
    expect(await shared.has('e')).toBe(false);
  });

  it('are a filter to merge that has the same size and seed', async () => {
    const shared = await RedisBloomFilter.open(client, newName(), CAPACITY);
    await expect(shared.merge(new BlockedBloomFilter({ capacity: 10 }))).rejects.toThrow(/^bits of filter must be/);
    const seeded = new BlockedBloomFilter({ ...CAPACITY, seed: 1 });
    await expect(shared.merge(seeded)).rejects.toThrow(/^seed of filter must be 0/);
  });
});

it('the least error rate can be had', async () => {
  const shared = await RedisBloomFilter.open(client, newName(), { ...CAPACITY, errorRate: 1e-5 });
  expect(shared.errorRate).toBe(1e-5);
  const options = { ...CAPACITY, errorRate: 2e-5, window: 60_000 };
  expect((await RotatingRedisBloomFilter.open(client, newName(), options)).errorRate).toBe(2e-5);
});

describe('a name', () => {
  it('without a filter is an error, unless it is to be made', async () => {
    const name = newName();
    const message = /^there is no filter "filter:\d+"; open it with a capacity, and it is made: \{ capacity: /;
    await failureOf(RedisBloomFilter.open(client, name), 'ABSENT', message);
    await failureOf(RotatingRedisBloomFilter.open(client, name), 'ABSENT', message);
    const reading = RedisBloomFilter.open(client, name, { readFrom: 'replica' });
    await failureOf(reading, 'ABSENT', /^there is no filter "filter:\d+"$/);
    expect(await server.send('exists', name)).toBe(0);
  });

  it.each([
    [{ capacity: 2000 }, /^capacity of "filter:\d+" must be 1000, as the filter was made, got 2000$/],
    [{ capacity: 1000, errorRate: 0.001 }, /^errorRate of .* must be 0.01/],
    [{ capacity: 1000, seed: 1 }, /^seed of .* must be 0/],
    [{ bits: 256 }, /^capacity of .* must be 1000, .* got 0$/],
  ])('is refused with other parameters: %o', async (options, message) => {
    const name = newName();
    await RedisBloomFilter.open(client, name, CAPACITY);
    await failureOf(RedisBloomFilter.open(client, name, options), 'MISMATCH', message);
  });

  it.each<[string, RedisFilterErrorCode, (name: string) => Promise<unknown>]>([
    ['a text', 'FOREIGN', (name) => server.send('set', name, 'hello')],
    ['JSON of another', 'FOREIGN', (name) => server.send('set', name, '{"version":1}')],
    ['a list', 'FOREIGN', (name) => server.send('lpush', name, 'x')],
    ['a later version', 'VERSION', (name) => server.send('set', name, '{"bloomery":2}')],
    [
      'changed parameters',
      'DAMAGED',
      async (name) => {
        await RedisBloomFilter.open(client, name, CAPACITY);
        const text = String(await server.send('get', name));
        await server.send('set', name, text.replace('"seed":0', '"seed":1'));
      },
    ],
  ])('that holds something else is left alone: %s', async (_, code, make) => {
    const name = newName();
    await make(name);
    const before = await server.send('dump', name);
    await failureOf(RedisBloomFilter.open(client, name, CAPACITY), code);
    await failureOf(RedisBloomFilter.open(client, name), code);
    expect(await server.send('dump', name)).toBe(before);
  });

  it('that is taken is not imported to, unless it is to be replaced', async () => {
    const name = newName();
    const one = await RedisBloomFilter.open(client, name, CAPACITY);
    await one.add('a');
    const local = BlockedBloomFilter.from(['b'], CAPACITY);
    await failureOf(RedisBloomFilter.fromLocal(client, name, local), 'EXISTS');
    expect(await one.has('a')).toBe(true);
    const other = await RedisBloomFilter.fromLocal(client, name, local, { replace: true });
    expect([await other.has('a'), await other.has('b')]).toEqual([false, true]);
    // The first client finds the new pieces by itself.
    expect([await one.has('a'), await one.has('b')]).toEqual([false, true]);
    expect(await piecesOf(name)).toHaveLength(1);
    await RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter({ bits: 256 }), { replace: true });
    await failureOf(one.has('a'), 'MISMATCH');
  });
});

describe('a piece that is', () => {
  it.each<[string, string[][]]>([
    ['deleted', [['del']]],
    ['cut', [['set', 'short']]],
    ['of another type', [['del'], ['lpush', 'x']]],
  ])('%s is an error, never an empty piece', async (_, harm) => {
    const name = newName();
    const shared = await RedisBloomFilter.open(client, name, { bits: 256 * 127 * 4 });
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
    await shared.addMany(keys);
    const [piece = ''] = await piecesOf(name);
    for (const [verb = '', ...args] of harm) await server.send(verb, piece, ...args);
    const before = await server.send('dump', piece);
    const { answers } = await failureOf(shared.hasMany(keys), 'LOST');
    // All keys were added, so each key that has an answer must have a 1.
    expect(answers?.flags).toEqual(answers?.done);
    expect(answers?.done).toHaveLength(300);
    for (const call of [
      () => shared.addMany(keys),
      () => shared.dedupe(keys),
      () => shared.toLocal(),
      () => shared.fillRatio(),
      () => shared.merge(BlockedBloomFilter.from(keys, { bits: shared.bits })),
      async () => (await RedisBloomFilter.open(client, name)).hasMany(keys),
    ]) {
      await failureOf(call(), 'LOST');
    }
    expect(await server.send('dump', piece)).toBe(before);
  });
});

describe('the server', () => {
  const user = async (name: string, ...rules: string[]): Promise<Client> => {
    await server.send('acl', 'setuser', name, 'reset', 'on', `>${PASSWORD}`, ...rules);
    const client = await connect('redis', [server.port], { username: name });
    open.push(client);
    return client;
  };

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
        [refusesPlain, (name) => RedisBloomFilter.open(client, name, CAPACITY)],
        [refusesPlain, (name) => RedisBloomFilter.fromLocal(client, name, new BlockedBloomFilter(CAPACITY))],
        [refusesRotating, (name) => RotatingRedisBloomFilter.open(client, name, rotating)],
      ];
      for (const [isRefused, call] of calls) {
        const name = newName();
        if (isRefused) await failureOf(call(name), 'EVICTION', /^maxmemory-policy of "filter:\d+" must be noeviction/);
        else await call(name);
        expect(await server.send('exists', name)).toBe(isRefused ? 0 : 1);
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
    await (await RedisBloomFilter.open(client, name, CAPACITY)).add('a');
    const sent: string[] = [];
    const mayReplicasAnswer = new Set<boolean>();
    const old = intercepted(client, async (send, { command: [verb = ''], options }) => {
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
    await RedisBloomFilter.open(client, name, CAPACITY);
    const opened = await RedisBloomFilter.open(app.client, name);
    await failureOf(opened.add('a'), 'NOPERM', /script can't run this command/);
  });

  it('has no memory left: nothing is half added', async () => {
    const shared = await RedisBloomFilter.open(client, newName(), CAPACITY);
    await shared.addMany(['a']);
    await server.send('config', 'set', 'maxmemory', 1);
    try {
      await failureOf(shared.add('b'), 'OOM');
      await failureOf(RedisBloomFilter.open(client, newName(), CAPACITY), 'OOM');
      const { answers } = await failureOf(shared.dedupe(['a', 'b']), 'OOM', /0 of the first 2 keys are done/);
      expect(answers).toEqual({ done: new Uint8Array(2), flags: new Uint8Array(2) });
      expect(await shared.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    } finally {
      await server.send('config', 'set', 'maxmemory', 0);
    }
    expect(await shared.add('b')).toBe(true);
  });

  it('is gone for good: the client was closed', async () => {
    for (const library of libraries) {
      const gone = await connect(library, [server.port]);
      const shared = await RedisBloomFilter.open(gone.client, newName(), CAPACITY);
      gone.close();
      await failureOf(shared.add('a'), 'CONNECTION');
    }
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { RedisBloomFilter, RedisFilterError, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter, BloomFilter } from '../../src/index.ts';
import { connect, PASSWORD } from './clients.ts';
import { intercepted } from './intercept.ts';
import { client, newName, piecesOf, server } from './one-server.ts';
import { forTest } from './samples.ts';

const CAPACITY = { capacity: 1000 };
const HOUR = 3_600_000;
const local = BlockedBloomFilter.from(['b'], CAPACITY);

/** Waits for an error of a filter in Redis, and returns it. */
async function failureOf(call: Promise<unknown>, code: unknown, message = /./): Promise<RedisFilterError> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RedisFilterError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  return error as RedisFilterError;
}

/** These take arguments of any types. */
const open = (options: object, name: unknown = 'x', given: unknown = client): Promise<RedisBloomFilter> =>
  RedisBloomFilter.open(given as typeof client, name as string, options);
const openRotating = (options: object, name = 'x') => RotatingRedisBloomFilter.open(client, name, options);
const bring = (name: string, options: object = {}, filter: unknown = local) =>
  RedisBloomFilter.fromLocal(client, name, filter as typeof local, options);
const check = (options: object, name = 'x') => RedisBloomFilter.check(client, name, options);
const repair = (options: object, name = 'x') => RedisBloomFilter.repair(client, name, options);
const NAMES = 'name must be a string of 1 character or more, without braces';
const construct = async (Class: typeof RedisBloomFilter | typeof RotatingRedisBloomFilter) =>
  Reflect.construct(Class, [client, 'x', CAPACITY]);
const merge = async (options: { capacity: number; seed?: number }) =>
  (await open(CAPACITY, newName())).merge(new BlockedBloomFilter(options));
const wait = (options: object): object => ({ wait: { replicas: 1, ms: 1, ...options } });
const bare = { cluster: false, isClosed: () => false, master: () => 0 };

describe('the arguments', () => {
  it.each<[RegExp | Error, () => Promise<unknown>]>([
    [/^client must be a client or cluster of/, () => open(CAPACITY, 'x', {})],
    // As a pipeline of ioredis.
    [/^client must be a client or cluster of/, () => open(CAPACITY, 'x', { call() {}, callBuffer() {} })],
    [/^name must be/, () => open(CAPACITY, '')],
    [/^name must be .* without braces/, () => open(CAPACITY, '{x}')],
    [/^name must be .*7/, () => open(CAPACITY, 7)],
    [/^unknown option capacty; the options are capacity, /, () => open({ capacty: 1 })],
    [/^capacity must be/, () => open({ seed: 1 })],
    [/^capacity must be/, () => openRotating({ window: 1 })],
    [/^window must be/, () => openRotating({ capacity: 1 })],
    [/^window must be .*, got 35184372088833/, () => openRotating({ capacity: 1, window: 2 ** 45 + 1 })],
    [/^errorRate must be at least 0.00001 in Redis, got .*; take 0.00001, and/, () => open({ errorRate: 1e-6 })],
    [/^errorRate must be at least 0.00002 in Redis, got 0.000019; /, () => openRotating({ errorRate: 1.9e-5 })],
    [/^errorRate must/, () => open({ capacity: 1, errorRate: 0 })],
    [/^unknown option mirror/, () => openRotating({ mirror: true })],
    [/^wait must be .*true/, () => open({ wait: true })],
    [/^onEvent must be a function, got 7/, () => open({ onEvent: 7 })],
    [/^unknown option wait.replica; the options are .*replicas/, () => open({ wait: { replica: 1, ms: 1 } })],
    [/^wait does not work with this client/, () => open(wait({}), 'x', { ...bare, send: async () => null })],
    [/^replace must be a boolean, got 1/, () => bring('x', { replace: 1 })],
    [/^replace must be a boolean, got null/, () => bring('x', { replace: null })],
    [/^filter must be a BlockedBloomFilter/, () => bring('x', {}, new BloomFilter(CAPACITY))],
    [/^bits of filter must be/, () => merge({ capacity: 10 })],
    [/^seed of filter must be 0/, () => merge({ ...CAPACITY, seed: 1 })],
    [/^name must be .* without braces/, () => RedisBloomFilter.delete(client, '{x}')],
    [/^client must be a client or cluster of/, () => RedisBloomFilter.delete({} as never, 'x')],
    [new RangeError(`${NAMES}, got ""`), () => check({}, '')],
    [new RangeError(`${NAMES}, got "{x}"`), () => repair({}, '{x}')],
    [new TypeError('orphans must be a boolean, got 1'), () => check({ orphans: 1 })],
    [new TypeError('orphans must be a boolean, got null'), () => check({ orphans: null })],
    [/^unknown option orphan; the options are orphans, /, () => check({ orphan: true })],
    [new TypeError('dryRun must be a boolean, got 1'), () => repair({ dryRun: 1 })],
    [new TypeError('dryRun must be a boolean, got null'), () => repair({ dryRun: null })],
    [new TypeError('onStep must be a function, got 1'), () => repair({ onStep: 1 })],
    [/^a RedisBloomFilter is opened: use await RedisBloomFilter\.open\(/, () => construct(RedisBloomFilter)],
    [/^a RotatingRedisBloomFilter is opened: use await Rotating/, () => construct(RotatingRedisBloomFilter)],
  ])('are checked: %#, %s', async (message, call) => {
    await expect(call()).rejects.toThrow(message);
    expect(await server.send('exists', 'x')).toBe(0);
  });

  it.each<[string, unknown[], unknown[], (value: unknown) => object]>([
    ['spread', [1, 1024], [0, 1025], (spread) => ({ ...CAPACITY, spread })],
    ['timeout', [1, 2 ** 31 - 1], [0, 2 ** 31, '5'], (timeout) => ({ timeout })],
    ['inFlight', [1, 2 ** 20], [0, 1.5, 2 ** 20 + 1], (inFlight) => ({ inFlight })],
    ['readFrom', ['master', 'replica'], ['slave', 1], (readFrom) => ({ readFrom })],
    ['once', [false, true], [1], (once) => ({ once })],
    ['mirror', [false, true], [1], (mirror) => ({ mirror })],
    ['wait.replicas', [1, 1000], [0, 1001], (replicas) => wait({ replicas })],
    ['wait.replicas', [0], [-1], (replicas) => wait({ replicas, local: 1 })],
    ['wait.replicas', [1], [0], (replicas) => wait({ replicas, local: 0 })],
    ['wait.local', [0, 1], [-1, 2, true], (local) => wait({ local })],
    ['slowAfter', [1, 2 ** 31 - 1], [0, 2 ** 31], (slowAfter) => ({ slowAfter })],
    ['wait.ms', [1, 2 ** 31 - 1], [0, 2 ** 31], (ms) => wait({ ms })],
  ])('are settings with limits: %s', async (name, right, wrong, of) => {
    const adapter = { ...bare, send: async () => 'no filter', wait: async () => 1 };
    // Some of them leave no time.
    const code = expect.stringMatching(/^(FOREIGN|TIMEOUT)$/);
    for (const value of right) await failureOf(open(of(value), 'x', adapter), code);
    for (const value of wrong) {
      const type = typeof value === typeof right[0] ? RangeError : TypeError;
      await expect(open(of(value))).rejects.toThrow(
        expect.objectContaining({ name: type.name, message: expect.stringMatching(`^${name} must be`) }),
      );
    }
  });

  it('are keys: a wrong one rejects its own call, and those before it are added', async () => {
    const shared = await open(CAPACITY, newName());
    const calls = await Promise.allSettled([shared.add('a'), shared.add(1.5), shared.add('b')]);
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(shared.addMany(['c', null as never, 'd'])).rejects.toThrow(/^keys\[1\] must be/);
    expect(await shared.pick(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
    await expect(shared.addMany(['e', 'f'], new Uint8Array(1))).rejects.toThrow(/^out must have a length of 2 /);
    expect(await shared.has('e')).toBe(false);
  });

  it('may be the least error rate', async () => {
    expect((await open({ ...CAPACITY, errorRate: 1e-5 }, newName())).errorRate).toBe(1e-5);
    expect((await openRotating({ ...CAPACITY, errorRate: 2e-5, window: HOUR }, newName())).errorRate).toBe(2e-5);
  });
});

describe('a name', () => {
  it('without a filter is an error, unless it is to be made', async () => {
    const name = newName();
    const message = /^there is no filter "filter:\d+"; open it with a capacity, and it is made: \{ capacity: /;
    await failureOf(open({}, name), 'ABSENT', message);
    await failureOf(openRotating({}, name), 'ABSENT', message);
    await failureOf(open({ readFrom: 'replica' }, name), 'ABSENT', /^there is no filter "filter:\d+"$/);
    expect(await server.send('exists', name)).toBe(0);
  });

  it.each([
    [{ capacity: 2000 }, /^capacity of "filter:\d+" must be 1000, as the filter was made, got 2000$/],
    [{ capacity: 1000, errorRate: 0.001 }, /^errorRate of .* must be 0.01/],
    [{ capacity: 1000, seed: 1 }, /^seed of .* must be 0/],
    [{ bits: 256 }, /^capacity of .* must be 1000, .* got 0$/],
  ])('is refused with other parameters: %o', async (options, message) => {
    const { name } = await open(CAPACITY, newName());
    await failureOf(open(options, name), 'MISMATCH', message);
  });

  it.each([
    ['FOREIGN', 'set', 'hello'],
    ['FOREIGN', 'set', '{"version":1}'],
    ['FOREIGN', 'lpush', 'x'],
    ['VERSION', 'set', '{"bloomery":2}'],
    ['DAMAGED', 'set', ''],
  ])('that holds something else is left alone: %s, %s %s', async (code, verb, value) => {
    const { name } = await open(CAPACITY, newName());
    const damaged = String(await server.send('get', name)).replace('"seed":0', '"seed":1');
    await server.send('del', name);
    await server.send(verb, name, value || damaged);
    const before = await server.send('dump', name);
    for (const options of [CAPACITY, {}]) await failureOf(open(options, name), code);
    if (value) await failureOf(RedisBloomFilter.delete(client, name), code);
    expect(await server.send('dump', name)).toBe(before);
    if (value) return;
    // What is damaged can be deleted, by either class.
    expect(await RotatingRedisBloomFilter.delete(client, name)).toBe(true);
    expect(await server.send('keys', `${name}*`)).toEqual([]);
  });

  it('that is taken is not imported to, unless it is to be replaced', async () => {
    const one = await open(CAPACITY, newName());
    await one.add('a');
    await failureOf(bring(one.name), 'EXISTS');
    expect(await one.has('a')).toBe(true);
    const other = await bring(one.name, { replace: true });
    // The first client finds the new pieces by itself.
    for (const each of [other, one]) expect(await each.hasMany(['a', 'b'])).toEqual(Uint8Array.of(0, 1));
    expect(await piecesOf(one.name)).toHaveLength(1);
    await bring(one.name, { replace: true }, new BlockedBloomFilter({ bits: 256 }));
    await failureOf(one.has('a'), 'MISMATCH');
    // It stays in the slots in which it is, whatever the one who replaces it would choose.
    const size = { capacity: 10_000 };
    const wide = await open(size, newName());
    await bring(wide.name, { replace: true, spread: 1 }, BlockedBloomFilter.from(['b'], size));
    expect(await wide.has('b')).toBe(true);
  });
});

it('a piece that is cut is lost to all calls, and left alone', async () => {
  const shared = await open({ bits: 256 * 127 * 4 }, newName());
  const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
  await shared.addMany(keys);
  const [piece = ''] = await piecesOf(shared.name);
  await server.send('set', piece, 'short');
  const { answers, cause } = await failureOf(shared.hasMany(keys), 'LOST');
  expect(cause).toMatchObject({ code: 'LOST' });
  // All keys were added, so each key that has an answer must have a 1.
  expect(answers?.flags).toEqual(answers?.done);
  expect(answers?.done).toHaveLength(300);
  const calls = [() => shared.dedupe(keys), () => shared.toLocal(), () => shared.fillRatio()];
  const merge = () => shared.merge(BlockedBloomFilter.from(keys, { bits: shared.bits }));
  for (const call of [...calls, merge, () => shared.addMany(keys)]) await failureOf(call(), 'LOST');
  expect(await server.send('get', piece)).toBe('short');
});

it('a piece that is longer than it must be is lost to a copy', async () => {
  const shared = await open({ bits: 256 * 127 * 4 }, newName());
  const [piece = ''] = await piecesOf(shared.name);
  await server.send('append', piece, 'x');
  await failureOf(shared.toLocal(), 'LOST');
});

it('single calls that go together reject with their own errors', async () => {
  const { name } = await open({ bits: 256 * 127 * 3 }, newName());
  const [full = '', gone = ''] = await piecesOf(name);
  const failing = intercepted(client, (send, { command }) =>
    command.includes(full) ? Promise.reject(new Error('OOM no memory')) : send(),
  );
  const shared = await open({}, name, { ...failing, cluster: true });
  await server.send('del', gone);
  const has = (key: number): Promise<string> => shared.has(key).then(String, ({ code }) => code);
  const keys = Array.from({ length: 30 }, (_, i) => i);
  const alone: string[] = [];
  for (const key of keys) alone.push(await has(key));
  expect(new Set(alone)).toEqual(new Set(['OOM', 'LOST', 'false']));
  expect(await Promise.all(keys.map(has))).toEqual(alone);
});

describe('the server', () => {
  afterEach(() => server.send('config', 'set', 'maxmemory-policy', 'noeviction', 'maxmemory', 0));

  const user = async (name: string, ...rules: string[]): Promise<typeof client> => {
    await server.send('acl', 'setuser', name, 'reset', 'on', `>${PASSWORD}`, ...rules);
    return (await forTest(connect('redis', [server.port], { username: name }))).client;
  };

  it.each([
    ['allkeys-lru', '1gb', true, true],
    ['allkeys-random', '1gb', true, true],
    ['volatile-ttl', '1gb', false, true],
    ['noeviction', '1gb', false, false],
    ['allkeys-lru', '0', false, false],
  ])('evicts keys: with the policy %s and maxmemory %s', async (policy, limit, refusesPlain, refusesRotating) => {
    const blind = await user('blind', '~*', '+@all', '-info');
    await server.send('config', 'set', 'maxmemory-policy', policy, 'maxmemory', limit);
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    for (const [isRefused, call] of [
      [refusesPlain, (name: string) => open(CAPACITY, name)],
      [refusesPlain, (name: string) => bring(name)],
      [refusesRotating, (name: string) => openRotating({ ...CAPACITY, window: HOUR }, name)],
    ] as const) {
      const name = newName();
      if (isRefused) await failureOf(call(name), 'EVICTION', /^maxmemory-policy of "filter:\d+" must be noeviction/);
      else await call(name);
      expect(await server.send('exists', name)).toBe(isRefused ? 0 : 1);
    }
    expect(warn).not.toHaveBeenCalled();
    const name = newName();
    for (const _ of [1, 2]) await open(CAPACITY, name, blind);
    const warning = `bloomery cannot tell whether Redis evicts parts of "${name}" when its memory is full`;
    expect(warn.mock.calls).toEqual([[warning, { code: 'BLOOMERY_EVICTION', detail: expect.any(String) }]]);
  });

  it('is older than read-only scripts: the same scripts are sent by other names', async () => {
    const { name } = await open(CAPACITY, newName());
    await (await open({}, name)).add('a');
    const sent: string[] = [];
    const mayReplicasAnswer: boolean[] = [];
    const old = intercepted(client, async (send, { command: [verb = ''], options }) => {
      sent.push(String(verb));
      mayReplicasAnswer.push(options.readOnly);
      if (!String(verb).endsWith('_ro')) return send();
      throw new Error(`ERR unknown command '${verb}', with args beginning with: `);
    });
    await server.send('script', 'flush');
    const shared = await open({ readFrom: 'replica' }, name, old);
    // The master tells the parameters.
    expect(new Set(mayReplicasAnswer.splice(0))).toEqual(new Set([false]));
    expect(await shared.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    expect((await shared.toLocal()).has('a')).toBe(true);
    expect(new Set(mayReplicasAnswer)).toEqual(new Set([true]));
    // It is asked once whether it knows the command.
    expect(sent.filter((verb) => verb.endsWith('_ro'))).toEqual(['evalsha_ro']);
    expect(new Set(sent)).toEqual(new Set(['evalsha_ro', 'evalsha', 'eval']));
  });

  it('says so if a right is missing inside a script', async () => {
    const name = newName();
    const app = await user('limited', `~${name}`, `~${name}:*`, '+evalsha', '+eval', '+get');
    const message = /script can't run this command|ACL failure in script/;
    await failureOf(open(CAPACITY, name, app), 'NOPERM', message);
    await open(CAPACITY, name);
    await failureOf((await open({}, name, app)).add('a'), 'NOPERM', message);
  });

  it('has no memory left: nothing is half added', async () => {
    const shared = await open(CAPACITY, newName());
    await shared.addMany(['a']);
    await server.send('config', 'set', 'maxmemory', 1);
    await failureOf(shared.add('b'), 'OOM');
    await failureOf(open(CAPACITY, newName()), 'OOM');
    const { answers } = await failureOf(shared.dedupe(['a', 'b']), 'OOM', /0 of the first 2 keys are done/);
    expect(answers).toEqual({ done: new Uint8Array(2), flags: new Uint8Array(2) });
    expect(await shared.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    await server.send('config', 'set', 'maxmemory', 0);
    expect(await shared.add('b')).toBe(true);
  });
});

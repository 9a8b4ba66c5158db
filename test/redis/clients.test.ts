// What is particular about each client, and what it can be configured to do. And clients that are closed in the same turn as
// calls of a filter.

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { adapterOf, RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { temporaryFolder } from '../cli/run.ts';
import { freePort } from '../shared/free-port.ts';
import { type Client, connect, connectWith, libraries } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { newName, server, client as toServer } from './one-server.ts';
import { forTest } from './samples.ts';
import { Server, until } from './servers.ts';

const CAPACITY = { capacity: 10_000 };
const WAIT = { wait: { replicas: 1, ms: 20 } };
const NO_WAIT = /^wait does not work with this client/;
const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

/** Returns a client that is closed after the test. */
const opened = async (connecting: Promise<Client>): Promise<Client['client']> => (await forTest(connecting)).client;

/** Expects the bits and the answers of a filter in memory. */
async function useAll(connecting: Promise<Client>): Promise<void> {
  const client = await opened(connecting);
  const local = BlockedBloomFilter.from(['imported'], CAPACITY);
  const shared = await RedisBloomFilter.fromLocal(client, 'all', local);
  expect(await shared.dedupe([...KEYS, ...KEYS])).toEqual(local.dedupe(KEYS));
  const flags = await Promise.all(['key 1', 'absent', 'imported', 'key 2'].map((key) => shared.has(key)));
  expect(flags).toEqual([true, false, true, true]);
  const more = BlockedBloomFilter.from(['more'], CAPACITY);
  expect((await (await shared.merge(more)).toLocal()).equals(local.merge(more))).toBe(true);
  expect(await shared.fillRatio()).toBe(local.fillRatio());
  await shared.clear();
  const read = await RedisBloomFilter.open(client, 'all', { readFrom: 'replica' });
  expect(await read.pick(KEYS)).toEqual([]);
  expect((await read.toLocal()).fillRatio()).toBe(0);
  await shared.delete();
  const rotating = await RotatingRedisBloomFilter.open(client, 'rotating', { ...CAPACITY, window: 60_000 });
  expect(await rotating.dedupe([...KEYS, ...KEYS])).toEqual(KEYS);
  expect(await RedisBloomFilter.delete(client, 'rotating')).toBe(true);
  expect(await RedisBloomFilter.delete(client, 'rotating')).toBe(false);
  await expect(rotating.hasMany(KEYS)).rejects.toMatchObject({ code: 'ABSENT' });
}

it('the types of bloomery/redis take the clients as they are declared', () => {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'test/redis/types', '--pretty', 'false'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
}, 300_000);

it.each(libraries)('%s works on a server and in a cluster', async (library) => {
  await useAll(connect(library, [server.port]));
  await useAll(connect(library, cluster.ports, { cluster: true }));
});

describe.each(['ioredis', 'iovalkey'] as const)('%s', (library) => {
  it('works with enableAutoPipelining, on a server and in a cluster', async () => {
    const more = { enableAutoPipelining: true };
    await useAll(connect(library, [server.port], { more }));
    await useAll(connect(library, cluster.ports, { cluster: true, more }));
    await useAll(connect(library, cluster.ports, { cluster: true, replicas: true, more }));
  });

  it('sends ASKING before the command that it allows, with enableAutoPipelining too', async () => {
    const { Redis } = await import(library);
    const [one, other] = [1, 2].map((port) => new Redis({ port, lazyConnect: true, enableAutoPipelining: true }));
    const sent: string[] = [];
    one.sendCommand = async () => Promise.reject(new Error(`ASK 1 ${other.options.host}:2`));
    other.sendCommand = async ({ name }: { name: string }) => sent.push(name);
    const nodes = () => [one, other];
    const slots = Array(16_384).fill([`${one.options.host}:1`]);
    const adapter = adapterOf({ ...one, call() {}, callBuffer() {}, slots, nodes });
    await adapter.send('x', ['evalsha_ro', 'sha', '0'], { readOnly: false, binary: false });
    expect(sent).toEqual(['asking', 'evalsha_ro']);
    // What leads to a master that the client does not know is sent as what writes, which the client itself leads there.
    const call = (name: string): unknown => sent.push(name);
    const lone = adapterOf({ ...one, call, callBuffer() {}, slots, nodes: () => [one] });
    await lone.send('x', ['evalsha_ro', 'sha', '0'], { readOnly: false, binary: false });
    expect(sent.at(-1)).toBe('evalsha');
  });

  it('asks all masters for replicas where the addresses of slots are unknown, and takes the least', async () => {
    const { Redis } = await import(library);
    const nodes = [2, 1, 3].map((count) => {
      const node = new Redis({ lazyConnect: true });
      node.sendCommand = async ({ name }: { name: string }) => (name === 'wait' ? count : 0);
      return node;
    });
    const slots = Array(16_384).fill(['elsewhere:1']);
    const clustered = { slots, nodes: () => nodes, call() {}, callBuffer() {} };
    const adapter = adapterOf({ ...nodes[0], status: 'reconnecting', ...clustered });
    expect(await adapter.wait?.('x', { replicas: 1, ms: 1 })).toBe(1);
    expect(adapter.trouble?.(Date.now())).toEqual(new Error('the client has no connection'));
  });

  it('works with keyPrefix, but not in a cluster: its slots are chosen without it', async () => {
    const client = await opened(connect(library, [server.port], { more: { keyPrefix: 'app:' } }));
    const shared = await RedisBloomFilter.open(client, 'prefixed', CAPACITY);
    await shared.clear();
    expect(await shared.dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
    expect(await server.send('exists', 'app:prefixed')).toBe(1);
    await shared.delete();
    for (const options of [{ keyPrefix: 'app:' }, { redisOptions: { keyPrefix: 'app:' } }]) {
      const clustered = { ...client, slots: [], status: 'ready', options, call() {}, callBuffer() {} };
      const message = /^keyPrefix of a cluster must be left out: put it into the name, got "app:"/;
      await expect(RedisBloomFilter.open(clustered as never, 'x', CAPACITY)).rejects.toThrow(message);
    }
  });
});

describe('redis', () => {
  const sentinel = (port: number, more: object = {}): Promise<Client> =>
    connectWith('createSentinel', { name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port }], ...more });

  it('works with a pool, which has no single connection for WAIT', async () => {
    const pooled = (): Promise<Client> => connectWith('createClientPool', { socket: { port: server.port } });
    await useAll(pooled());
    const pool = await opened(pooled());
    await expect(RedisBloomFilter.open(pool, 'x', WAIT)).rejects.toThrow(NO_WAIT);
  });

  it('asks the master in place of a replica only if there is no replica', async () => {
    const sendCommand = vi.fn(async () => Promise.reject(new Error('NOSCRIPT No matching script.')));
    const adapter = adapterOf({ sendCommand, withTypeMapping() {}, isOpen: true, use() {} } as never);
    await expect(adapter.send('x', ['evalsha_ro'], { readOnly: true, binary: false })).rejects.toThrow('NOSCRIPT');
    expect(sendCommand).toHaveBeenCalledTimes(1);
  });

  it('confirms nothing of a key whose master it does not know', async () => {
    const client = { sendCommand() {}, withTypeMapping() {}, nodeClient() {}, isOpen: true, slots: [] };
    expect(await adapterOf(client as never).wait?.('x', { replicas: 1, ms: 1 })).toBe(-1);
  });

  it('works with sentinels, as ioredis does, and goes on when a replica has taken over', async () => {
    const { folder, path, remove } = temporaryFolder();
    const master = await forTest(Server.start());
    const replica = await forTest(Server.start('--replicaof', '127.0.0.1', String(master.port)));
    const port = await freePort();
    const file = path('sentinel.conf');
    const monitored = `port ${port}\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 ${master.port} 1\n`;
    const limits = 'sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 3000\n';
    writeFileSync(file, monitored + limits);
    const watching = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore', cwd: folder });
    onTestFinished(remove);
    onTestFinished(() => void watching.kill('SIGKILL'));
    const replicas = ['-p', String(port), 'sentinel', 'replicas', 'main'];
    await until('the sentinel knows the replica', async () =>
      String(spawnSync('redis-cli', replicas).stdout).includes(String(replica.port)),
    );
    await useAll(sentinel(port, { replicaPoolSize: 1 }));
    const sentinels = { more: { sentinels: [{ host: '127.0.0.1', port }], name: 'main' } };
    await useAll(connect('ioredis', [], sentinels));
    const client = await opened(sentinel(port));
    await expect(RedisBloomFilter.open(client, 'x', WAIT)).rejects.toThrow(NO_WAIT);
    const shared = await RedisBloomFilter.open(client, 'shared', { ...CAPACITY, timeout: 20_000 });
    await shared.addMany(KEYS);
    await until('the replica has all', async () => {
      const offset = await master.info('replication', 'master_repl_offset');
      return offset === (await replica.info('replication', 'slave_repl_offset'));
    });
    master.kill();
    expect(await shared.omit(KEYS)).toEqual([]);
    expect(await shared.add('after')).toBe(true);
    // There is no replica any longer.
    const withReplicas = await opened(sentinel(port, { replicaPoolSize: 1 }));
    const read = await RedisBloomFilter.open(withReplicas, 'shared', { readFrom: 'replica' });
    expect(await read.pick(['after', 'absent'])).toEqual(['after']);
  }, 60_000);
});

describe('@valkey/valkey-glide', () => {
  const LIBRARY = '@valkey/valkey-glide';
  const OPTIONS = { readOnly: false, binary: false };

  it('gives the errors of Redis the words of Redis', async () => {
    const adapter = adapterOf(await opened(connect(LIBRARY, [server.port])));
    for (const message of [
      'NOSCRIPT No matching script. Please use EVAL.',
      'TRYAGAIN Multiple keys request during rehashing of slot',
      'CLUSTERDOWN The cluster is down',
      'MASTERDOWN Link with MASTER is down',
      'LOADING Redis is loading the dataset in memory',
      'READONLY You can not write against a read only replica.',
      'NOPERM this user has no permissions',
      'CROSSSLOT Keys in request do not hash to the same slot',
      'MOVED 3999 127.0.0.1:6381',
      'OOM command not allowed when used memory > maxmemory',
      'WRONGTYPE Operation against a key: of another kind',
      'ERR unknown command: x',
      'NOREPLICAS Not enough good replicas to write.',
    ]) {
      const command = ['eval', `return redis.error_reply('${message}')`, '0'];
      await expect(adapter.send('', command, OPTIONS)).rejects.toThrow(new Error(message));
    }
  });

  it('leaves its own errors as they are, so that they are not taken for replies', async () => {
    const { client, close } = await connect(LIBRARY, [server.port], { more: { requestTimeout: 50 } });
    const slept = adapterOf(client).send('', ['debug', 'sleep', '0.3'], OPTIONS);
    await expect(slept).rejects.toThrow(/^[a-z][a-z ]+/);
    close();
    expect(adapterOf(client).isClosed()).toBe(true);
    const shared = RedisBloomFilter.open(client, 'closed', { ...CAPACITY, timeout: 5000 });
    await expect(shared).rejects.toMatchObject({ code: 'CONNECTION' });
  });

  it('waits for replicas of a single server, and is refused in a cluster, whose masters it does not tell', async () => {
    const { name } = await RedisBloomFilter.open(toServer, 'waits', CAPACITY);
    const shared = await RedisBloomFilter.open(await opened(connect(LIBRARY, [server.port])), name, WAIT);
    await expect(shared.addMany(['a'])).rejects.toMatchObject({ code: 'UNREPLICATED' });
    const clustered = await opened(connect(LIBRARY, cluster.ports, { cluster: true }));
    await expect(RedisBloomFilter.open(clustered, name, WAIT)).rejects.toThrow(NO_WAIT);
  });
});

type Closable = RedisClient &
  Record<'get' | 'customCommand', (command: unknown) => Promise<unknown>> &
  Record<'close' | 'quit', () => unknown>;

/** Those that answer commands of the same turn before they close. */
const answering = ['redis', 'ioredis', 'iovalkey', 'ioredis cluster', 'iovalkey cluster'];

it.each(libraries.flatMap((library) => [[library, ''] as const, [library, ' cluster'] as const]))(
  'what was asked before is answered as are commands of the client itself: %s%s',
  async (library, kind) => {
    const ports = kind ? cluster.ports : [server.port];
    const { client: connected } = await connect(library, ports, { cluster: kind !== '' });
    const client = connected as Closable;
    const filter = await RedisBloomFilter.open(client, newName(), { capacity: 1000 });
    const keys = KEYS.slice(0, 100);
    // All servers know the scripts.
    for (let i = 0; i < 2; i++) await Promise.all([filter.dedupe(keys), filter.addMany(keys), filter.hasMany(keys)]);
    expect(await filter.add('a')).toBe(true);
    const own = library === '@valkey/valkey-glide' ? client.customCommand(['get', 'x']) : client.get('x');
    const batches = [filter.hasMany(keys), filter.dedupe(['b']), filter.addMany(['c'])];
    const calls = [own, filter.has('a'), filter.add('d'), ...batches];
    const next = filter.has('b');
    const isClosed = library.startsWith('io') ? client.quit() : client.close();
    const ends = (await Promise.allSettled([...calls, next])).map(({ status }) => status);
    const end = answering.includes(`${library}${kind}`) ? 'fulfilled' : 'rejected';
    // Single calls after the first would have gone together in a moment.
    expect(ends).toEqual([...calls.map(() => end), 'rejected']);
    await expect(next).rejects.toMatchObject({ code: 'CONNECTION' });
    await isClosed;
  },
);

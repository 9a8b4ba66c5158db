// What the clients can be configured to do.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter, RotatingRedisBloomFilter } from '../../src/redis.ts';
import { type Client, connect, connectSentinel } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { server } from './one-server.ts';
import { freePort, Server, until } from './servers.ts';

const CAPACITY = { capacity: 10_000 };
const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

async function useAll({ client, close }: Client): Promise<void> {
  const shared = await RedisBloomFilter.open(client, 'all', CAPACITY);
  expect(await shared.dedupe([...KEYS, ...KEYS])).toEqual(KEYS);
  expect(await Promise.all(['key 1', 'absent'].map((key) => shared.has(key)))).toEqual([true, false]);
  expect((await shared.toLocal()).omit(KEYS)).toEqual([]);
  await shared.merge(BlockedBloomFilter.from(['merged'], CAPACITY));
  expect(await shared.has('merged')).toBe(true);
  expect(await shared.fillRatio()).toBeGreaterThan(0);
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
  close();
}

describe.each(['ioredis', 'iovalkey'] as const)('with enableAutoPipelining of %s', (library) => {
  const more = { enableAutoPipelining: true };

  it('a filter on a server works', async () => useAll(await connect(library, [server.port], { more })));

  it('a filter in a cluster works', async () => {
    await useAll(await connect(library, cluster.ports, { cluster: true, more }));
    await useAll(await connect(library, cluster.ports, { cluster: true, replicas: true, more }));
  });
});

describe('with sentinels', () => {
  it('a filter works with redis and ioredis, and goes on when a replica has taken over', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bloomery-sentinel-'));
    const master = await Server.start();
    const replica = await Server.start('--replicaof', '127.0.0.1', String(master.port));
    const port = await freePort();
    const file = join(folder, 'sentinel.conf');
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor main 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 3000',
    ];
    writeFileSync(file, lines.join('\n'));
    const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore', cwd: folder });
    try {
      const admin = await connectWhenUp(port);
      await until('the sentinel knows the replica', async () =>
        JSON.stringify(await admin.send('sentinel', 'replicas', 'main')).includes(String(replica.port)),
      );
      admin.close();
      await useAll(await connectSentinel('main', port));
      await useAll(await connectSentinel('main', port, { replicaPoolSize: 1 }));
      const sentinels = { sentinels: [{ host: '127.0.0.1', port }], name: 'main' };
      await useAll(await connect('ioredis', [], { more: sentinels }));
      const { client, close } = await connectSentinel('main', port);
      const other = await connect('ioredis', [], { more: sentinels });
      await expect(RedisBloomFilter.open(client, 'x', { ...CAPACITY, wait: { replicas: 1, ms: 1 } })).rejects.toThrow(
        /^wait does not work with this client/,
      );
      const shared = await RedisBloomFilter.open(client, 'shared', { ...CAPACITY, timeout: 20_000 });
      const fromOther = await RedisBloomFilter.open(other.client, 'shared', { timeout: 20_000 });
      await shared.addMany(KEYS);
      await until('the replica has all', async () => {
        const offset = await master.info('replication', 'master_repl_offset');
        return offset === (await replica.info('replication', 'slave_repl_offset'));
      });
      master.kill();
      expect(await Promise.all([shared.omit(KEYS), fromOther.omit(KEYS)])).toEqual([[], []]);
      expect(await shared.add('after')).toBe(true);
      expect(await fromOther.add('after')).toBe(false);
      expect(await fromOther.add('later')).toBe(true);
      await shared.clear();
      expect(await shared.pick(KEYS)).toEqual([]);
      expect(await RedisBloomFilter.delete(client, 'shared')).toBe(true);
      close();
      other.close();
    } finally {
      sentinel.kill('SIGKILL');
      master.stop();
      replica.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

/** Connects once a server answers: a client that is refused would go on trying. */
async function connectWhenUp(port: number): Promise<Client> {
  let client: Client | undefined;
  await until(`port ${port} answers`, async () => {
    client = await connect('ioredis', [port], { more: { enableReadyCheck: false, retryStrategy: () => null } });
    return true;
  });
  return client as Client;
}

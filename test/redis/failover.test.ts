import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { RedisBloomFilter, type RedisFilterError } from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect, knowing, type Library, libraries } from './clients.ts';
import { Cluster, type Server, until } from './servers.ts';

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);

const cluster = await Cluster.start(3, { replicated: true });
const connection = await connect('redis', cluster.ports, { cluster: true });
const { client } = connection;

afterAll(() => {
  connection.close();
  cluster.stop();
});

it.each(libraries)('looks keys up on replicas if it is told to, and never otherwise: %s', async (library) => {
  const name = `replicas:${library}`;
  const { client: own, close } = await connect(library, cluster.ports, { cluster: true, replicas: true });
  const writer = await RedisBloomFilter.open(client, name, { capacity: 10_000 });
  await writer.addMany(KEYS);
  expect(await writer.replicated({ replicas: 1, ms: 20_000 })).toBe(1);
  const lookups = async (): Promise<number> => {
    const counts = await Promise.all(cluster.replicas.map((replica) => replica.callsOf('getrange')));
    return counts.reduce((sum, count) => sum + count);
  };
  const before = await lookups();
  expect(await (await RedisBloomFilter.open(own, name)).omit(KEYS)).toEqual([]);
  expect(await lookups()).toBe(before);
  const reader = await RedisBloomFilter.open(own, name, { readFrom: 'replica' });
  for (let i = 0; i < 5; i++) expect(await reader.omit(KEYS)).toEqual([]);
  expect(await lookups()).toBeGreaterThan(before + 100);
  close();
});

/** Adds keys until replicas have confirmed all of them. Returns them. */
async function addAll(library: Library): Promise<string[]> {
  const { client: own, close } = await connect(library, cluster.ports, { cluster: true });
  const wait = { replicas: 1, ms: 1000 };
  const shared = await RedisBloomFilter.open(own, 'failover', { capacity: 50_000, wait });
  const keys = Array.from({ length: 3000 }, (_, i) => `${library} ${i}`);
  for (let at = 0; at < keys.length; at += 100) {
    for (let left = keys.slice(at, at + 100); left.length > 0; await sleep(40)) {
      const confirmed = await shared.addMany(left, new Uint8Array(left.length)).then(
        () => undefined,
        (error: RedisFilterError) => error.answers?.confirmed ?? Promise.reject(error),
      );
      left = left.filter((_, i) => confirmed?.[i] === 0);
    }
  }
  close();
  return keys;
}

it('loses no confirmed key when a master is killed', async () => {
  const [master, witness] = cluster.masters as [Server, Server];
  const [replica] = cluster.replicas as [Server];
  const shared = await RedisBloomFilter.open(client, 'failover', { capacity: 50_000 });
  // The failover makes the work longer: a call has keys on all masters.
  const works = Promise.all(knowing.map(addAll));
  const start = await master.callsOf('evalsha');
  await until('it is at work', async () => (await master.callsOf('evalsha')) > start + 20);
  const before = await replica.callsOf('evalsha');
  master.kill();
  await until('the replica has taken over', async () => (await replica.info('replication', 'role')) === 'master');
  await until('the others know', async () => {
    const nodes = String(await witness.send('cluster', 'nodes')).split('\n');
    return nodes.some((line) => line.includes(`:${replica.port}@`) && /\bmaster\b/.test(line));
  });
  // It comes back empty, as a replica of the one that was its replica, which can then confirm again.
  await master.run();
  const local = BlockedBloomFilter.from((await works).flat(), { capacity: shared.capacity });
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
  expect(await replica.callsOf('evalsha')).toBeGreaterThan(before);
}, 120_000);

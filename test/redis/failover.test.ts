import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisBloomFilter } from '../../src/entries/redis.ts';
import { type Client, connect, knowing, libraries } from './clients.ts';
import { startFleet } from './fleet.ts';
import { Cluster, type Server, until } from './servers.ts';

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);

let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  cluster = await Cluster.start(3, { replicated: true });
  client = await connect('redis', cluster.ports, { cluster: true });
}, 60_000);

afterAll(() => {
  client.close();
  cluster.stop();
});

it.each(libraries)('looks keys up on replicas if it is told to, and never otherwise: %s', async (library) => {
  const name = `replicas:${library}`;
  const { client: own, close } = await connect(library, cluster.ports, { cluster: true, replicas: true });
  const writer = await RedisBloomFilter.open(client.client, name, { capacity: 10_000 });
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

it('loses no confirmed key when a master is killed', async () => {
  const name = 'failover';
  const [master, witness] = cluster.masters as [Server, Server];
  const [replica] = cluster.replicas as [Server];
  master.delayReplication(50);
  // The failover makes the work longer: a call has keys on all masters.
  const fleet = await startFleet(knowing, cluster, name, { replicas: 1, ms: 1000 });
  const start = await master.callsOf('evalsha');
  await until('it is at work', async () => (await master.callsOf('evalsha')) > start + 20);
  const before = await replica.callsOf('evalsha');
  master.kill();
  await until('the replica has taken over', async () => (await replica.info('replication', 'role')) === 'master');
  await until('the others know', async () => {
    const nodes = String(await witness.send('cluster', 'nodes')).split('\n');
    return nodes.some((line) => line.includes(`:${replica.publicPort}@`) && /\bmaster\b/.test(line));
  });
  // It comes back empty, as a replica of the one that was its replica, which can then confirm again.
  await master.run();
  await fleet.expectExact(await RedisBloomFilter.open(client.client, name));
  expect(await replica.callsOf('evalsha')).toBeGreaterThan(before);
}, 120_000);

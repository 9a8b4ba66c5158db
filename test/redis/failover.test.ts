import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisBloomFilter } from '../../src/entries/redis.ts';
import { type Client, connect, knowing, libraries } from './clients.ts';
import { startFleet } from './fleet.ts';
import { Cluster, type Server, until } from './servers.ts';

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);
/** For what is confirmed, however slow the machine is. */
const PATIENT = { replicas: 1, ms: 20_000 };

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
  expect(await writer.replicated(PATIENT)).toBe(1);
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

it.each(knowing)('names the keys that no replica has confirmed: %s', async (library) => {
  const { client, close } = await connect(library, cluster.ports, { cluster: true });
  const name = `wait:${library}`;
  const patient = await RedisBloomFilter.open(client, name, { capacity: 100_000, wait: PATIENT, timeout: 40_000 });
  const shared = await RedisBloomFilter.open(client, name, { wait: { replicas: 1, ms: 300 } });
  await patient.addMany(KEYS);
  expect(await patient.add('one')).toBe(true);
  const [replica] = cluster.replicas as [Server];
  replica.pause();
  try {
    const error: unknown = await shared.addMany(KEYS.map((key) => `more ${key}`)).catch((reason: unknown) => reason);
    const all = new Uint8Array(300).fill(1);
    expect(error).toMatchObject({
      code: 'UNREPLICATED',
      message: expect.stringMatching(/ \(\d+ of the first 300 keys are confirmed\)$/),
      answers: { done: all, flags: all },
    });
    const { confirmed } = (error as { answers: { confirmed: Uint8Array } }).answers;
    // A third of the keys is on the master whose replica does not answer.
    const count = confirmed.reduce((sum, each) => sum + each, 0);
    expect(count).toBeGreaterThan(140);
    expect(count).toBeLessThan(250);
    expect(String(error)).toContain(`(${count} of`);
    expect(await shared.replicated({ replicas: 1, ms: 100 })).toBe(0);
  } finally {
    replica.resume();
  }
  await patient.addMany(KEYS);
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

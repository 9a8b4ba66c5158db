import { afterAll, beforeAll, expect, it } from 'vitest';
import { BlockedBloomFilter } from '../../src/index.ts';
import { RedisBloomFilter } from '../../src/redis.ts';
import { type Client, connect, knowing, libraries } from './clients.ts';
import { buildWorker, expectFalsePositives, Fleet, summarize } from './fleet.ts';
import { Cluster, type Server, until } from './servers.ts';

let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  await buildWorker();
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
  const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
  const writer = await RedisBloomFilter.open(client.client, name, { capacity: 10_000 });
  await writer.addMany(keys);
  expect(await writer.replicated({ replicas: 1, ms: 5000 })).toBe(1);
  const shared = await RedisBloomFilter.open(own, name);
  const sum = async (command: string): Promise<number> => {
    const counts = await Promise.all(cluster.replicas.map((replica) => replica.callsOf(command)));
    return counts.reduce((sum, count) => sum + count);
  };
  const before = await sum('getrange');
  expect(await shared.hasMany(keys)).toEqual(new Uint8Array(300).fill(1));
  expect(await sum('getrange')).toBe(before);
  const reader = await RedisBloomFilter.open(own, name, { readFrom: 'replica' });
  for (let i = 0; i < 5; i++) expect(await reader.hasMany(keys)).toEqual(new Uint8Array(300).fill(1));
  expect(await sum('getrange')).toBeGreaterThan(before + 100);
  await shared.delete();
  close();
});

it.each(knowing)('names the keys that no replica has confirmed: %s', async (library) => {
  const { client, close } = await connect(library, cluster.ports, { cluster: true });
  const options = { capacity: 100_000, wait: { replicas: 1, ms: 300 } };
  const shared = await RedisBloomFilter.open(client, `wait:${library}`, options);
  const patient = await RedisBloomFilter.open(client, `wait:${library}`, { wait: { replicas: 1, ms: 9000 } });
  const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
  await patient.addMany(keys);
  expect(await patient.add('one')).toBe(true);
  const [replica] = cluster.replicas as [Server];
  replica.pause();
  try {
    const error: unknown = await shared.addMany(keys.map((key) => `more ${key}`)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'UNREPLICATED',
      message: expect.stringMatching(/of the first 200 keys are confirmed/),
    });
    const { done, flags, confirmed } = (error as { answers: Record<string, Uint8Array> }).answers;
    expect(done).toEqual(new Uint8Array(200).fill(1));
    expect(flags).toEqual(new Uint8Array(200).fill(1));
    const count = confirmed?.reduce((sum, each) => sum + each, 0);
    // A third of the keys is on the master whose replica does not answer.
    expect(count).toBeGreaterThan(90);
    expect(count).toBeLessThan(170);
  } finally {
    replica.resume();
  }
  await until('the replica is back', async () => (await replica.info('replication', 'master_link_status')) === 'up');
  await patient.addMany(keys);
  await shared.delete();
  close();
});

/** Kills a master, and waits until its replica has taken over. */
async function failOver(index: number): Promise<void> {
  const master = cluster.masters[index] as Server;
  const replica = cluster.replicas[index] as Server;
  master.kill();
  await until('the replica has taken over', async () => (await replica.info('replication', 'role')) === 'master');
  const witness = cluster.masters.find((each) => each !== master) as Server;
  await until('the others know', async () => {
    const nodes = String(await witness.send('cluster', 'nodes')).split('\n');
    return nodes.some((line) => line.includes(`:${replica.publicPort}@`) && /\bmaster\b/.test(line));
  });
}

it('loses no confirmed key when a master is killed', async () => {
  const universe = 4000;
  const name = 'failover';
  const [master] = cluster.masters as [Server];
  const [replica] = cluster.replicas as [Server];
  master.delayReplication(50);
  const common = { ports: cluster.ports, cluster: true, name, universe, capacity: 100_000 };
  const { opened, outcomes } = new Fleet(
    [...knowing, ...knowing].map((library, seed) => ({
      ...common,
      library,
      seed,
      // The failover makes it longer: a call has keys on all masters.
      duration: 2000,
      wait: { replicas: 1, ms: 1000 },
    })),
  );
  await opened;
  const start = await master.callsOf('evalsha');
  await until('it is at work', async () => (await master.callsOf('evalsha')) > start + 50);
  const before = await replica.callsOf('evalsha');
  await failOver(0);
  // It comes back empty, as a replica of the one that was its replica, which can then confirm again.
  await master.run();
  const summary = summarize(await outcomes, universe);
  const { added, addedAgain, newTwice } = summary;
  expect(await replica.callsOf('evalsha')).toBeGreaterThan(before);
  expect(added.length).toBeGreaterThan(0.99 * universe);
  const shared = await RedisBloomFilter.open(client.client, name);
  expect((await shared.omit(added)).length).toBe(0);
  const local = BlockedBloomFilter.from(added, { capacity: shared.capacity });
  expect((await shared.toLocal()).toBytes()).toEqual(local.toBytes());
  expect(newTwice).toBe(0);
  expectFalsePositives(summary, local);
  // The failover may have interrupted calls, but most keys were told at once.
  expect(addedAgain).toBeLessThan(universe / 2);
}, 120_000);

it('loses keys without confirmation, which says that the test above can fail', async () => {
  const shared = await RedisBloomFilter.open(client.client, 'careless', { capacity: 100_000 });
  const master = cluster.masters[1] as Server;
  expect(await shared.replicated({ replicas: 1, ms: 5000 })).toBe(1);
  const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
  master.delayReplication(300);
  await shared.addMany(keys);
  await failOver(1);
  expect((await shared.omit(keys)).length).toBeGreaterThan(30);
}, 60_000);

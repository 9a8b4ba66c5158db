// Lookups on a replica that has got nothing yet, however late: the master tells what was made, what is lost, and what is
// gone. What readers of a filter that forgets are told: rights.test.ts. And what the option `wait` confirms: that replicas
// have it, also after a failover in a cluster.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  adapterOf,
  RedisBloomFilter,
  type RedisFilterError,
  RotatingRedisBloomFilter,
  slotOf,
  waitOn,
} from '../../src/entries/redis.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { connect, knowing, type Library, libraries } from './clients.ts';
import { intercepted } from './intercept.ts';
import { client, server as master, newName } from './one-server.ts';
import { Relay } from './relay.ts';
import { forTest, keys as KEYS, ROTATING } from './samples.ts';
import { Cluster, Server, until } from './servers.ts';

const replica = await Server.start();
afterAll(() => replica.stop());

const NAME = 'late';
const SIZE = { bits: 256 * 127 * 4, spread: 2 };
const FROM_REPLICA = { readFrom: 'replica' } as const;
const LOST = { code: 'LOST' };
const ABSENT = { code: 'ABSENT', message: `there is no filter "${NAME}"` };
const GONE = { code: 'ABSENT', message: expect.stringMatching(/ that was opened is gone: /) };

const connection = await connect('redis', [replica.port]);
const late = adapterOf(connection.client);
/** A client that may not write, and whose lookups go to the replica. */
const reader = intercepted(client, async (send, { key, command, options }) => {
  if (!String(command[0]).endsWith('_ro')) throw new Error('NOPERM this user has no permissions');
  return options.readOnly ? late.send(key, command, options) : send();
});

afterAll(() => connection.close());

const piecesOn = async (server: Server): Promise<string[]> =>
  ((await server.send('keys', `${NAME}:{*`)) as string[]).filter((key) => /:\d+$/.test(key));

describe('a replica that is late', () => {
  beforeEach(async () => {
    for (const server of [master, replica]) await server.send('flushall');
  });

  it('a filter is read, lost, and gone as on the master', async () => {
    const written = await RedisBloomFilter.open(client, NAME, SIZE);
    await written.addMany(KEYS);
    const read = await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    const expectFailures = async (error: object): Promise<void> => {
      await expect(read.hasMany(KEYS)).rejects.toMatchObject(error);
      await expect(read.toLocal()).rejects.toMatchObject(error);
    };
    expect(await read.omit(KEYS)).toEqual([]);
    expect(await replica.send('dbsize')).toBe(0);
    await written.clear();
    await written.addMany(['next']);
    expect(await read.hasMany(['next', ...KEYS])).toEqual(await written.hasMany(['next', ...KEYS]));
    await master.send('del', NAME);
    await expect(RedisBloomFilter.open(reader, NAME, FROM_REPLICA)).rejects.toMatchObject(ABSENT);
    await RedisBloomFilter.open(client, NAME);
    expect(await read.has('next')).toBe(true);
    await master.send('del', (await piecesOn(master))[0] ?? '');
    await expectFailures(LOST);
    await RedisBloomFilter.delete(client, NAME);
    await expectFailures({ code: 'ABSENT' });
    await RedisBloomFilter.open(client, NAME, SIZE);
    await expectFailures(GONE);
  });

  it('a filter that forgets is read as on the master, which knows what is made', async () => {
    await (await RotatingRedisBloomFilter.open(client, NAME, ROTATING)).addMany(KEYS);
    const read = await RotatingRedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    expect(await read.omit(KEYS)).toEqual([]);
    expect(await (await read.toLocal()).omit(KEYS)).toEqual([]);
  });

  it('the policy of the master matters', async () => {
    await RedisBloomFilter.open(client, NAME, SIZE);
    const policy = (server: Server, name: string): Promise<unknown> =>
      server.send('config', 'set', 'maxmemory-policy', name, 'maxmemory', '1gb');
    await policy(replica, 'allkeys-lru');
    await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    await policy(replica, 'noeviction');
    await policy(master, 'allkeys-lru');
    await expect(RedisBloomFilter.open(reader, NAME, FROM_REPLICA)).rejects.toMatchObject({ code: 'EVICTION' });
    await policy(master, 'noeviction');
  });

  it('what a replica that is behind has no more is read from the master', async () => {
    const written = await RedisBloomFilter.open(client, NAME, SIZE);
    await written.addMany(KEYS);
    await replica.send('replicaof', '127.0.0.1', master.port);
    await replica.follows();
    await replica.send('replicaof', 'no', 'one');
    const read = await RedisBloomFilter.open(reader, NAME, FROM_REPLICA);
    expect(await read.omit(KEYS)).toEqual([]);
    await written.clear();
    expect(await read.omit(KEYS)).toEqual([]);
    await replica.send('del', (await piecesOn(replica))[0] ?? '');
    expect((await read.omit(KEYS)).length).toBeGreaterThan(KEYS.length / 8);
    expect(await read.fillRatio()).toBe(0);
    expect((await read.toLocal()).fillRatio()).toBe(0);
  });
});

const OPTIONS = { capacity: 1000, wait: { replicas: 1, ms: 300 } };
/** For what is confirmed, however slow the machine is. */
const PATIENT = { ...OPTIONS, wait: { replicas: 1, ms: 20_000 }, timeout: 40_000 };
const UNCONFIRMED = { code: 'UNREPLICATED', answers: { confirmed: Uint8Array.of(0) } };

describe('what is confirmed', () => {
  beforeAll(async () => {
    await replica.send('replicaof', '127.0.0.1', master.port);
    await replica.follows();
  });

  it.each([
    ['the same connection', [7, 7], 2, undefined, 2],
    ['another connection', [7, 8], 2, undefined, -1],
    ['a client that gives numbers as texts', ['7', '7'], '2', undefined, 2],
    ['disks', [7, 7], [1, 2], 1, 2],
    ['disks, and not on that of the master', [7, 7], [0, 2], 1, -1],
    ['disks of replicas', [7, 7], [0, 2], 0, 2],
    ['disks, with numbers as texts', ['7', '7'], ['1', '2'], 1, 2],
    ['disks, on another connection', [7, 8], [1, 2], 1, -1],
    ['disks, with a wrong reply', [7, 7], 2, 1, -1],
  ] as const)('waitOn counts replicas for a write and WAIT on %s', async (_, ids, reply, local, count) => {
    const sent: string[] = [];
    const left = [...ids];
    const send = async (command: string[]): Promise<unknown> => {
      sent.push(command.join(' '));
      return command[0] === 'client' ? left.shift() : reply;
    };
    expect(await waitOn(send, 'k', { replicas: 1, ms: 5, local })).toBe(count);
    const wait = local === undefined ? 'wait 1 5' : `waitaof ${local} 1 5`;
    expect(sent).toEqual(['client id', 'set k:wait  px 1', wait, 'client id']);
  });

  it.each([
    ['before the write', 1],
    ['between the write and the reply to WAIT', 2],
  ])('a key is not confirmed by a replica that does not have it, if the connection is lost %s', async (_, spared) => {
    const relay = await forTest(Relay.start(master.port));
    // Without a check whether the server is ready, what is sent again comes first on the new connection.
    const more = { enableReadyCheck: false };
    const { client } = await forTest(connect('ioredis', [relay.port], { more }));
    const patient = await RedisBloomFilter.open(client, newName(), PATIENT);
    const shared = await RedisBloomFilter.open(client, patient.name, OPTIONS);
    expect(await patient.add('warm')).toBe(true);
    replica.pause();
    relay.cutNextReply({ spared });
    await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
    replica.resume();
    expect(await patient.add('b')).toBe(true);
  });

  it('as many replicas must confirm as were asked for, and no more', async () => {
    const { name } = await RedisBloomFilter.open(client, newName(), OPTIONS);
    const counting = (count: number) => ({ ...adapterOf(client), wait: async () => count });
    const add = async (count: number): Promise<boolean> =>
      (await RedisBloomFilter.open(counting(count), name, { wait: { replicas: 2, ms: 5 } })).add('a');
    for (const count of [2, 3]) await add(count);
    const message = 'fewer than 2 replicas have confirmed some of the keys';
    await expect(add(1)).rejects.toMatchObject({ ...UNCONFIRMED, message });
    // What is no number confirms nothing.
    for (const reply of [Number.NaN, '2 replicas', undefined]) {
      const error = { code: 'REDIS', message: expect.stringMatching(/reply with an integer/) };
      await expect(add(reply as number)).rejects.toMatchObject(error);
    }
  });

  it.each([
    'MOVED 7 host:1',
    'ASK 7 host:1',
    "READONLY You can't write against a read only replica",
    'UNBLOCKED force unblock from blocking operation, instance state changed',
    'ERR WAIT cannot be used with replica instances.',
    'ERR WAITAOF cannot be used with replica instances.',
  ])('a server that is not the master any longer confirms nothing: %s', async (message) => {
    const wait = (): Promise<number> => Promise.reject(new Error(message));
    const shared = await RedisBloomFilter.open({ ...adapterOf(client), wait }, newName(), OPTIONS);
    await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
  });

  it.each(['BUSY', 'LOADING', 'CLUSTERDOWN'])('WAIT is sent again if a server refuses it for now: %s', async (code) => {
    let waits = 0;
    const wait = async (): Promise<number> => {
      if (++waits < 3) throw new Error(`${code} no`);
      return 1;
    };
    const shared = await RedisBloomFilter.open({ ...adapterOf(client), wait }, newName(), OPTIONS);
    expect([await shared.add('a'), waits]).toEqual([true, 3]);
  });

  it('the keys that no replica has confirmed are named', async () => {
    const masterOf = (key: string): number => Math.floor((3 * slotOf(key)) / 16_384);
    // The replica of one of three masters does not answer.
    const wait = async (key: string): Promise<number> => (masterOf(key) === 0 ? 0 : 1);
    const threefold = { ...adapterOf(client), cluster: true, master: masterOf, wait };
    const shared = await RedisBloomFilter.open(threefold, newName(), { ...OPTIONS, capacity: 100_000 });
    const error = await shared.addMany(KEYS).catch((reason: unknown) => reason as RedisFilterError);
    const all = new Uint8Array(300).fill(1);
    expect(error).toMatchObject({ code: 'UNREPLICATED', answers: { done: all, flags: all } });
    const { answers, message } = error as RedisFilterError;
    const count = answers?.confirmed?.reduce((sum, each) => sum + each, 0) ?? 0;
    expect(Math.abs(count - 200)).toBeLessThan(60);
    const confirmed = `(${count} of the first 300 keys are confirmed)`;
    expect(message).toBe(`fewer than 1 replicas have confirmed some of the keys ${confirmed}`);
  });

  it('keys are confirmed however many answers must come one after the other', async () => {
    const distant = intercepted({ ...adapterOf(client), wait: async () => 1 }, async (send) => {
      await sleep(20);
      return send();
    });
    const settings = { timeout: 300, inFlight: 128, wait: { replicas: 1, ms: 50 } };
    const shared = await RedisBloomFilter.open(distant, newName(), { capacity: 10_000, ...settings });
    // Twice as long as the answers to the first of them are remembered.
    await shared.addMany(Uint32Array.from({ length: 128 * 60 }, (_, i) => i));
  });

  it('keys are confirmed however many calls are about one slot', async () => {
    const adapter = { ...adapterOf(client), wait: async () => 1 };
    const settings = { capacity: 100_000, spread: 1, inFlight: 1, wait: PATIENT.wait };
    const shared = await RedisBloomFilter.open(adapter, newName(), settings);
    // More than a Lua function takes as parameters.
    await shared.addMany(Uint32Array.from({ length: 9000 }, (_, i) => i));
  });

  it('a replica can be asked for keys, also where no generation was made, but takes none', async () => {
    const { client: toReplica } = await forTest(connect('redis', [replica.port]));
    const written = await RotatingRedisBloomFilter.open(client, newName(), { ...PATIENT, window: ROTATING.window });
    await written.replicated(PATIENT.wait);
    const read = await RotatingRedisBloomFilter.open(toReplica, written.name, FROM_REPLICA);
    expect(await read.has('a')).toBe(false);
    expect([await written.add('a'), await written.add('a')]).toEqual([true, false]);
    expect(await read.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
    for (const call of [() => read.add('b'), () => read.addMany(['b'])]) {
      await expect(call()).rejects.toMatchObject({ code: 'READONLY' });
    }
  });

  it.each(libraries)('with %s, a master that becomes a replica before WAIT confirms nothing', async (library) => {
    const { client } = await forTest(connect(library, [master.port]));
    const adapter = adapterOf(client);
    const demoting = {
      ...adapter,
      wait: async (...args: Parameters<NonNullable<typeof adapter.wait>>): Promise<number> => {
        await master.send('replicaof', '127.0.0.1', replica.port);
        return (await adapter.wait?.(...args)) ?? 2;
      },
    };
    const shared = await RedisBloomFilter.open(demoting, newName(), OPTIONS);
    await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
    expect(await shared.replicated({ replicas: 1, ms: 100 })).toBe(-1);
    await master.send('replicaof', 'no', 'one');
  });
});

const cluster = await Cluster.start(3, { replicated: true });
const toCluster = await connect('redis', cluster.ports, { cluster: true });

afterAll(() => {
  toCluster.close();
  cluster.stop();
});

it.each(libraries)('looks keys up on replicas if it is told to, and never otherwise: %s', async (library) => {
  const name = `replicas:${library}`;
  const { client: own } = await forTest(connect(library, cluster.ports, { cluster: true, replicas: true }));
  const writer = await RedisBloomFilter.open(toCluster.client, name, { capacity: 10_000 });
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
});

/** Adds keys until replicas have confirmed all of them. Returns them. */
async function addAll(library: Library): Promise<string[]> {
  const { client: own } = await forTest(connect(library, cluster.ports, { cluster: true }));
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
  return keys;
}

it('loses no confirmed key when a master is killed', async () => {
  const [master, witness] = cluster.masters as [Server, Server];
  const [replica] = cluster.replicas as [Server];
  const shared = await RedisBloomFilter.open(toCluster.client, 'failover', { capacity: 50_000 });
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

// What the option `wait` confirms, replicas have.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter, waitOn } from '../../src/redis.ts';
import { connect, knowing, libraries } from './clients.ts';
import { Relay } from './relay.ts';
import { Server, until } from './servers.ts';

const OPTIONS = { capacity: 1000, wait: { replicas: 1, ms: 300 } };
/** For what is confirmed, however slow the machine is. */
const PATIENT = { ...OPTIONS, wait: { replicas: 1, ms: 20_000 }, timeout: 40_000 };
const UNCONFIRMED = { code: 'UNREPLICATED', answers: { confirmed: Uint8Array.of(0) } };

let master: Server;
let replica: Server;

beforeAll(async () => {
  master = await Server.start();
  replica = await Server.start('--replicaof', '127.0.0.1', String(master.port));
  await until('it follows', async () => (await replica.info('replication', 'master_link_status')) === 'up');
}, 60_000);

afterAll(() => {
  replica.stop();
  master.stop();
});

describe('waitOn', () => {
  it.each([
    ['the same connection', [7, 7], 2],
    ['another connection', [7, 8], 0],
    ['a client that gives numbers as texts', ['7', '7'], 2],
  ] as const)('counts replicas for a write and WAIT on %s', async (_, ids, count) => {
    const sent: string[] = [];
    const left = [...ids];
    const send = async (command: string[]): Promise<unknown> => {
      sent.push(command.slice(0, 2).join(' '));
      return command[0] === 'client' ? left.shift() : 2;
    };
    expect(await waitOn(send, 'k', 1, 5)).toBe(count);
    expect(sent).toEqual(['client id', 'set k:wait', 'wait 1', 'client id']);
  });
});

// Without a check whether the server is ready, what is sent again comes first on the new connection.
describe.each(['ioredis', 'iovalkey'] as const)('with %s and enableReadyCheck: false', (library) => {
  it.each([
    ['before the write', 1],
    ['between the write and the reply to WAIT', 2],
  ])('a key is not confirmed by a replica that does not have it, if the connection is lost %s', async (_, spared) => {
    const relay = await Relay.start(master.port);
    const { client, close } = await connect(library, [relay.port], { more: { enableReadyCheck: false } });
    const patient = await RedisBloomFilter.open(client, `lost:${library}:${spared}`, PATIENT);
    const shared = await RedisBloomFilter.open(client, `lost:${library}:${spared}`, OPTIONS);
    expect(await patient.add('warm')).toBe(true);
    replica.pause();
    relay.cutNextReply({ spared });
    await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
    replica.resume();
    expect(await patient.add('b')).toBe(true);
    close();
    relay.close();
  });
});

it('a replica can be asked for keys, but takes none', async () => {
  const [toMaster, toReplica] = await Promise.all([master, replica].map(({ port }) => connect('redis', [port])));
  if (!toMaster || !toReplica) throw new Error('not connected');
  const written = await RedisBloomFilter.open(toMaster.client, 'read only', PATIENT);
  await written.add('a');
  const read = await RedisBloomFilter.open(toReplica.client, 'read only', { readFrom: 'replica' });
  expect(await read.hasMany(['a', 'b'])).toEqual(Uint8Array.of(1, 0));
  await expect(read.add('b')).rejects.toMatchObject({ code: 'READONLY' });
  await expect(read.addMany(['b'])).rejects.toMatchObject({ code: 'READONLY' });
  for (const { close } of [toMaster, toReplica]) close();
});

describe.each(libraries)('with %s, a master', (library) => {
  it('that becomes a replica before WAIT confirms nothing', async () => {
    const { client, close } = await connect(library, [master.port]);
    const adapter = adapterOf(client);
    let isDemoted = false;
    const demoting = {
      ...adapter,
      wait: async (...args: Parameters<NonNullable<typeof adapter.wait>>): Promise<number> => {
        if (isDemoted) await master.send('replicaof', '127.0.0.1', replica.port);
        return (await adapter.wait?.(...args)) ?? 0;
      },
    };
    await (await RedisBloomFilter.open(client, `demoted:${library}`, PATIENT)).addMany(['warm']);
    const shared = await RedisBloomFilter.open(demoting, `demoted:${library}`, OPTIONS);
    isDemoted = true;
    await expect(shared.add('a')).rejects.toMatchObject(UNCONFIRMED);
    expect(await shared.replicated({ replicas: 1, ms: 100 })).toBe(0);
    await master.send('replicaof', 'no', 'one');
    close();
  });
});

it('with keyPrefix, an ioredis cluster is refused: its slots are chosen without it', async () => {
  for (const library of knowing.slice(1)) {
    const { client, close } = await connect(library, [master.port], { more: { keyPrefix: 'app:' } });
    const shared = await RedisBloomFilter.open(client, 'prefixed', { capacity: 1000 });
    await shared.clear();
    expect(await shared.dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
    await shared.delete();
    for (const options of [{ keyPrefix: 'app:' }, { redisOptions: { keyPrefix: 'app:' } }]) {
      const cluster = { ...client, slots: [], status: 'ready', options, call() {}, callBuffer() {} };
      const message = /^keyPrefix of a cluster must be left out: put it into the name, got "app:"/;
      await expect(RedisBloomFilter.open(cluster as never, 'x', OPTIONS)).rejects.toThrow(message);
    }
    close();
  }
});

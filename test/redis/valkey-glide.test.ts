// What is particular about the client @valkey/valkey-glide.

import { afterAll, expect, it } from 'vitest';
import { adapterOf, RedisBloomFilter } from '../../src/redis.ts';
import { connect } from './clients.ts';
import { cluster } from './one-cluster.ts';
import { server } from './one-server.ts';

const LIBRARY = '@valkey/valkey-glide';
const OPTIONS = { readOnly: false, binary: false };

const single = await connect(LIBRARY, [server.port]);
const clustered = await connect(LIBRARY, cluster.ports, { cluster: true });

afterAll(() => {
  single.close();
  clustered.close();
});

it.each([
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
])('gives the errors of Redis the words of Redis: %s', async (message) => {
  const adapter = adapterOf(single.client);
  const command = ['eval', `return redis.error_reply('${message}')`, '0'];
  await expect(adapter.send('', command, OPTIONS)).rejects.toThrow(new Error(message));
});

it('leaves its own errors as they are, so that they are not taken for replies', async () => {
  const { client, close } = await connect(LIBRARY, [server.port], { more: { requestTimeout: 50 } });
  const slept = adapterOf(client).send('', ['debug', 'sleep', '0.3'], OPTIONS);
  await expect(slept).rejects.toThrow(/^[a-z][a-z ]+/);
  close();
  expect(adapterOf(client).isClosed()).toBe(true);
  const shared = RedisBloomFilter.open(client, 'closed', { capacity: 100, timeout: 5000 });
  await expect(shared).rejects.toMatchObject({ code: 'CONNECTION' });
});

it('waits for replicas of a single server, and is refused in a cluster, whose masters it does not tell', async () => {
  const wait = { replicas: 1, ms: 20 };
  const shared = await RedisBloomFilter.open(single.client, 'waits', { capacity: 100, wait });
  await expect(shared.addMany(['a'])).rejects.toMatchObject({ code: 'UNREPLICATED' });
  const refused = RedisBloomFilter.open(clustered.client, 'waits', { capacity: 100, wait });
  await expect(refused).rejects.toThrow(/^wait does not work with this client/);
});

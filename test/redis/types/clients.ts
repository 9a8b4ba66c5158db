// Must compile: the clients as their own declarations describe them. Checked against dist/.

import { GlideClient, GlideClusterClient } from '@valkey/valkey-glide';
import { keyed } from 'bloomery/keyed';
import { adapterOf, RedisBloomFilter, type RedisClient, RotatingRedisBloomFilter } from 'bloomery/redis';
import { Cluster as IoCluster, Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey, Cluster as ValkeyCluster } from 'iovalkey';
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis';

const node = { host: '127.0.0.1', port: 6379 };
const nodeRedis = await createClient({ url: 'redis://127.0.0.1:6379' }).on('error', console.error).connect();
const cluster = createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:6379' }], useReplicas: true });

export const clients: RedisClient[] = [
  nodeRedis,
  createClient({ RESP: 3 }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }),
  createClientPool(),
  cluster,
  createSentinel({ name: 'main', sentinelRootNodes: [node] }),
  new IoRedis(node),
  new IoCluster([node]),
  new IoRedis.Cluster([node], { scaleReads: 'slave' }),
  new IoValkey(node),
  new ValkeyCluster([node]),
  await GlideClient.createClient({ addresses: [node] }),
  await GlideClusterClient.createClient({ addresses: [node] }),
  adapterOf(nodeRedis),
];

const secret = new Uint8Array(16).fill(7);
export const Keyed: typeof RedisBloomFilter = keyed(RedisBloomFilter, secret);
export const KeyedRotating: typeof RotatingRedisBloomFilter = keyed(RotatingRedisBloomFilter, secret);
export const underSecret: RedisBloomFilter = await Keyed.open(nodeRedis, 'seen', { capacity: 1000 });

// @ts-expect-error An adapter is no class of filters.
keyed(adapterOf(nodeRedis), secret);

// @ts-expect-error A subscriber's emitter is no client.
adapterOf({ on: () => {} });

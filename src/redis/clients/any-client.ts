import { isObject, mustBe } from '../../util/checks/validate.ts';
import type { RedisAdapter } from './adapter.ts';
import { type IoRedisClient, ioRedis, isIoRedis } from './ioredis.ts';
import { isNodeRedis, type NodeRedisClient, nodeRedis } from './node-redis.ts';
import { isValkeyGlide, type ValkeyGlideClient, valkeyGlide } from './valkey-glide.ts';

/**
 * A connected client of `redis` (5 or 6), `ioredis` (5.3 or later), `iovalkey` or `@valkey/valkey-glide` (2), single or
 * cluster, or an adapter for another client.
 */
export type RedisClient = NodeRedisClient | IoRedisClient | ValkeyGlideClient | RedisAdapter;

function isAdapter(client: object): client is RedisAdapter {
  return 'send' in client && typeof client.send === 'function';
}

/**
 * Returns the adapter for a client. Clients are recognized by their methods.
 *
 * @throws TypeError for anything else
 */
export function adapterOf(client: RedisClient): RedisAdapter {
  if (isObject(client)) {
    if (isAdapter(client)) return client;
    if (isIoRedis(client)) return ioRedis(client);
    if (isNodeRedis(client)) return nodeRedis(client);
    if (isValkeyGlide(client)) return valkeyGlide(client);
  }
  throw new TypeError(
    mustBe('client', 'a client or cluster of redis, ioredis, iovalkey or @valkey/valkey-glide, or an adapter', client),
  );
}

export {
  type Argument,
  type RedisAdapter,
  type SendOptions,
  type WaitOptions,
  waitOn,
} from '../redis/clients/adapter.ts';
export { adapterOf, type RedisClient } from '../redis/clients/any-client.ts';
export type { IoRedisClient } from '../redis/clients/ioredis.ts';
export type { NodeRedisClient } from '../redis/clients/node-redis.ts';
export type { ValkeyGlideClient } from '../redis/clients/valkey-glide.ts';
export { slotOf } from '../redis/cluster-slots.ts';
export { type PartialAnswers, RedisFilterError, type RedisFilterErrorCode } from '../redis/error.ts';
export type { RedisFilterEvent, RedisFilterListener } from '../redis/events.ts';
export type { RedisListedFilter } from '../redis/list.ts';
export { type FromLocalOptions, RedisBloomFilter } from '../redis/redis-bloom-filter.ts';
export type { RedisCheckOptions, RedisRepairOptions } from '../redis/redis-filter.ts';
export type { RedisRepairStep } from '../redis/repair.ts';
export type {
  RedisBodyReport,
  RedisFilterParameters,
  RedisFilterReport,
  RedisListReport,
  RedisMasterReport,
  RedisPendingReport,
  RedisProblem,
  RedisProblemCode,
} from '../redis/report.ts';
export {
  RotatingRedisBloomFilter,
  type RotatingRedisBloomFilterOptions,
} from '../redis/rotating-redis-bloom-filter.ts';
export type { RedisBloomFilterOptions, RedisSettings } from '../redis/settings.ts';

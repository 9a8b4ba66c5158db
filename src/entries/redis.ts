export { type Argument, adapterOf, type RedisAdapter, type RedisClient, type SendOptions } from '../redis/adapter.ts';
export { type PartialAnswers, RedisFilterError, type RedisFilterErrorCode } from '../redis/error.ts';
export type { IoRedisClient } from '../redis/ioredis.ts';
export type { NodeRedisClient } from '../redis/node-redis.ts';
export { type FromLocalOptions, RedisBloomFilter } from '../redis/redis-bloom-filter.ts';
export { RotatingRedisBloomFilter, type RotatingRedisBloomFilterOptions } from '../redis/rotating.ts';
export type { RedisBloomFilterOptions, RedisSettings, WaitOptions } from '../redis/settings.ts';
export { slotOf } from '../redis/slots.ts';

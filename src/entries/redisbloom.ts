export type { RedisBloomDumpOptions, ScanDumpChunk, ScanDumpReply } from '../foreign/redisbloom/filter.ts';
export { RedisBloomDump, useRedisbloomKernel } from '../foreign/redisbloom/wasm.ts';
export { FilterFullError, type FilterFullErrorCode } from '../util/checks/errors.ts';

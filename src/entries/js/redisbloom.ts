export type { RedisBloomDumpOptions, ScanDumpChunk, ScanDumpReply } from '../../foreign/redisbloom/filter.ts';
export { RedisBloomDump } from '../../foreign/redisbloom/js.ts';
export { FilterFullError, type FilterFullErrorCode } from '../../util/checks/errors.ts';

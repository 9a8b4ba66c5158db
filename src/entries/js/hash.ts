export type { HashOptions } from '../../filters/hashing.ts';
export { hashKeys } from '../../hash/js.ts';
export { HashedKeys } from '../../keys/hashes.ts';

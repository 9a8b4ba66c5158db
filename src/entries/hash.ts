export type { HashOptions } from '../filters/hashing.ts';
export { hashKeys } from '../hash/wasm.ts';
export { HashedKeys } from '../keys/hashes.ts';

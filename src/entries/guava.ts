export type { GuavaBloomFilterOptions } from '../foreign/guava/filter.ts';
export { GuavaBloomFilter, useGuavaKernel } from '../foreign/guava/wasm.ts';

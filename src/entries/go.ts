export type { GoBloomFilterJson, GoBloomFilterOptions } from '../foreign/go/filter.ts';
export { GoBloomFilter, useGoKernel } from '../foreign/go/wasm.ts';

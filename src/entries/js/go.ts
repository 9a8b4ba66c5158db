export type { GoBloomFilterJson, GoBloomFilterOptions } from '../../foreign/go/filter.ts';
export { GoBloomFilter } from '../../foreign/go/js.ts';

export type { GuavaBloomFilterOptions } from '../../foreign/guava/filter.ts';
export { GuavaBloomFilter } from '../../foreign/guava/js.ts';

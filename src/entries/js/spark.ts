export type { SparkBloomFilterOptions } from '../../foreign/spark/filter.ts';
export { SparkBloomFilter } from '../../foreign/spark/js.ts';

export type { ParquetBloomFilterOptions } from '../../foreign/parquet/filter.ts';
export { ParquetBloomFilter } from '../../foreign/parquet/js.ts';

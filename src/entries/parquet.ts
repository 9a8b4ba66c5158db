export type { ParquetBloomFilterOptions } from '../foreign/parquet/filter.ts';
export { ParquetBloomFilter, useParquetKernel } from '../foreign/parquet/wasm.ts';

export type { SparkBloomFilterOptions } from '../foreign/spark/filter.ts';
export { SparkBloomFilter, useSparkKernel } from '../foreign/spark/wasm.ts';

export type { RotatingBloomFilterOptions } from '../kinds/rotating/filter.ts';
export { RotatingBloomFilter, useRotatingKernel } from '../kinds/rotating/wasm.ts';

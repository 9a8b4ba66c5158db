export type { SpatialBloomFilterOptions } from '../kinds/spatial/filter.ts';
export { SpatialBloomFilter, useSpatialKernel } from '../kinds/spatial/wasm.ts';

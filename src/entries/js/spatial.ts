export type { SpatialBloomFilterOptions } from '../../kinds/spatial/filter.ts';
export { SpatialBloomFilter } from '../../kinds/spatial/js.ts';

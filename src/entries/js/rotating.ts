export type { RotatingBloomFilterOptions } from '../../kinds/rotating/filter.ts';
export { RotatingBloomFilter } from '../../kinds/rotating/js.ts';

export {
  type BloomFiltersKey,
  fromBloomFilters,
  type SavedBloomFilters,
} from '../migrate/bloom-filters.ts';
export {
  type BloomfilterBuckets,
  type BloomfilterKey,
  fromBloomfilter,
  type SavedBloomfilter,
} from '../migrate/bloomfilter.ts';
export type { MigratedFilter } from '../migrate/migrated-filter.ts';

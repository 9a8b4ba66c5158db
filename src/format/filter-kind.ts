/**
 * The name of a kind of filters, as `kind` of a filter and of its class: the kinds of this package, and the formats of
 * other systems.
 */
export type FilterKind =
  | 'classic'
  | 'blocked'
  | 'counting'
  | 'scalable'
  | 'rotating'
  | 'stable'
  | 'cuckoo'
  | 'dleft'
  | 'spatial'
  | 'fuse'
  | 'sharded-fuse'
  | 'tombstone'
  | 'wide'
  | 'guava'
  | 'parquet'
  | 'go'
  | 'redisbloom'
  | 'spark';

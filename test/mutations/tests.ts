// The tests that notice changes to a file of assembly/ soonest.

/** Names of modules, and paths of tests without `test/` and their endings, with blanks between them. */
export interface First {
  /** Modules that these tests need, of those that contain the file. Default: all of those. */
  readonly modules?: string;
  /** Tests that compare no builds. They run before the others are compiled, which takes longer. */
  readonly release?: string;
  /** Tests that run next, with all builds. */
  readonly tests?: string;
}

/** What is run when the first tests have noticed nothing, with all modules that contain the file. */
export const others: readonly string[] = [
  'test/kernel',
  'test/kinds',
  'test/foreign',
  'test/threads/shared.test.ts',
  'test/filters/bounded.test.ts',
  'test/filters/combinable.test.ts',
  'test/filters/keyed.test.ts',
  'test/format/golden.test.ts',
];

export const firsts: Readonly<Record<string, First>> = {
  'arithmetic.ts': {
    modules: 'kernel spark cuckoo',
    release: 'kernel/fingerprints',
    tests: 'kernel/hashes kernel/classic',
  },
  'murmur3.ts': { modules: 'kernel cuckoo', release: 'kernel/hashes kernel/fingerprints' },
  'siphash.ts': { release: 'kernel/hashes' },
  'xxh64.ts': { release: 'kernel/hashes', tests: 'foreign/parquet' },
  'murmur64a.ts': { tests: 'foreign/redisbloom foreign/long-keys' },
  'spark-hash.ts': { release: 'kernel/hashes' },
  'place.ts': { tests: 'foreign/go foreign/long-keys' },
  'hash.ts': { modules: 'kernel', release: 'kernel/hashes', tests: 'kinds/bits' },
  'hash-key.ts': { modules: 'kernel keyed', release: 'kernel/hash-forms' },
  'hash-chunk.ts': { modules: 'kernel keyed', release: 'kernel/hash-forms' },
  'memory.ts': { modules: 'shared', tests: 'kernel/shared' },
  'index.ts': { release: 'kernel/bodies' },
  'keyed.ts': { tests: 'kernel/parity' },
  'linked.ts': { modules: 'cuckoo', release: 'kernel/fingerprints' },
  'classic.ts': { modules: 'kernel', release: 'kernel/classic', tests: 'kernel/classic' },
  'bodies.ts': { modules: 'kernel', release: 'kernel/bodies', tests: 'kernel/parity' },
  'blocked.ts': { modules: 'kernel', release: 'kernel/bodies', tests: 'filters/combinable kinds/bits' },
  'split-block.ts': {
    modules: 'kernel wide shared',
    release: 'kernel/bodies',
    tests: 'filters/combinable kinds/bits threads/shared',
  },
  'wide.ts': { release: 'kernel/bodies', tests: 'filters/combinable kinds/bits' },
  'counting.ts': { modules: 'kernel', release: 'kernel/far-cells', tests: 'kinds/counting' },
  'spatial.ts': { release: 'kernel/far-cells kernel/bodies', tests: 'kinds/spatial' },
  'stable.ts': { release: 'kernel/far-cells kernel/bodies', tests: 'kinds/stable' },
  'fields.ts': { modules: 'cuckoo dleft', tests: 'kinds/buckets' },
  'cuckoo-buckets.ts': { release: 'kernel/fingerprints', tests: 'kinds/buckets' },
  'cuckoo.ts': { release: 'kernel/fingerprints', tests: 'kinds/buckets filters/bounded' },
  'dleft-buckets.ts': { tests: 'kinds/buckets' },
  'dleft.ts': { release: 'kernel/fingerprints', tests: 'kinds/buckets filters/bounded' },
  'fingerprint-table.ts': { release: 'kernel/fingerprints', tests: 'kinds/fingerprint-set kinds/tombstone' },
  'fingerprint-set.ts': { release: 'kernel/fingerprints', tests: 'kinds/fingerprint-set kinds/tombstone' },
  'fingerprint-order.ts': { tests: 'kinds/fingerprint-set kinds/tombstone format/own-parameters format/tombstone' },
  'fuse.ts': { release: 'kernel/fingerprints', tests: 'kinds/fuse' },
  'fuse-building.ts': { release: 'kernel/fingerprints', tests: 'kinds/fuse kinds/fuse-map' },
  'fuse-map.ts': { tests: 'kinds/fuse-map' },
  'fuse-places.ts': { release: 'kernel/fingerprints', tests: 'kinds/fuse' },
  'rotating.ts': { release: 'kernel/bodies', tests: 'kinds/rotating' },
  'remainder.ts': { release: 'kernel/remainder' },
  'divisor.ts': { release: 'kernel/remainder' },
  'residues.ts': {
    modules: 'go redisbloom guava',
    tests: 'kernel/remainder kernel/far-cells foreign/go foreign/redisbloom',
  },
  'terms.ts': { release: 'kernel/remainder' },
  'guava.ts': { tests: 'foreign/guava' },
  'spark.ts': { tests: 'foreign/spark' },
  'parquet.ts': { tests: 'foreign/parquet' },
  'go.ts': { release: 'kernel/far-cells', tests: 'foreign/go' },
  'redisbloom.ts': { release: 'kernel/far-cells', tests: 'foreign/redisbloom' },
  'threads.ts': { modules: 'shared', tests: 'kernel/shared' },
  'shared.ts': { tests: 'threads/shared' },
};

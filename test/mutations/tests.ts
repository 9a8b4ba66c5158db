// The tests that notice changes to a file of assembly/ soonest.

export interface First {
  /** Modules that these tests need, of those that contain the file. Default: all of those. */
  readonly modules?: readonly string[];
  /** Tests that compare no builds. They run before the others are compiled, which takes longer. */
  readonly release?: readonly string[];
  /** Tests that run next, with all builds. */
  readonly tests: readonly string[];
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

const kernel = (...names: string[]): string[] => names.map((name) => `test/kernel/${name}.test.ts`);
const kinds = (...names: string[]): string[] => names.map((name) => `test/kinds/${name}.test.ts`);
const format = (...names: string[]): string[] => names.map((name) => `test/format/${name}.test.ts`);
const foreign = (...names: string[]): string[] => names.map((name) => `test/foreign/${name}.test.ts`);
const blocks = ['test/filters/combinable.test.ts', ...kinds('bits')];

export const firsts: Readonly<Record<string, First>> = {
  'arithmetic.ts': {
    modules: ['kernel', 'spark', 'cuckoo'],
    release: kernel('fingerprints'),
    tests: kernel('hashes', 'classic'),
  },
  'murmur3.ts': { modules: ['kernel', 'cuckoo'], release: kernel('hashes', 'fingerprints'), tests: [] },
  'siphash.ts': { release: kernel('hashes'), tests: [] },
  'xxh64.ts': { release: kernel('hashes'), tests: foreign('parquet') },
  'murmur64a.ts': { tests: foreign('redisbloom', 'long-keys') },
  'spark-hash.ts': { release: kernel('hashes'), tests: [] },
  'place.ts': { tests: foreign('go', 'long-keys') },
  'hash.ts': { modules: ['kernel'], release: kernel('hashes'), tests: kinds('bits') },
  'hash-key.ts': { modules: ['kernel', 'keyed'], release: kernel('hash-forms'), tests: [] },
  'hash-chunk.ts': { modules: ['kernel', 'keyed'], release: kernel('hash-forms'), tests: [] },
  'memory.ts': { modules: ['shared'], tests: kernel('shared') },
  'index.ts': { release: kernel('bodies'), tests: [] },
  'keyed.ts': { tests: kernel('parity') },
  'linked.ts': { modules: ['cuckoo'], release: kernel('fingerprints'), tests: [] },
  'classic.ts': { modules: ['kernel'], release: kernel('classic'), tests: kernel('classic') },
  'bodies.ts': { modules: ['kernel'], release: kernel('bodies'), tests: [] },
  'blocked.ts': { modules: ['kernel'], release: kernel('bodies'), tests: blocks },
  'split-block.ts': {
    modules: ['kernel', 'wide', 'shared'],
    release: kernel('bodies'),
    tests: [...blocks, 'test/threads/shared.test.ts'],
  },
  'wide.ts': { release: kernel('bodies'), tests: blocks },
  'counting.ts': { modules: ['kernel'], release: kernel('far-cells'), tests: kinds('counting') },
  'spatial.ts': { release: kernel('far-cells', 'bodies'), tests: kinds('spatial') },
  'stable.ts': { release: kernel('far-cells', 'bodies'), tests: kinds('stable') },
  'fields.ts': { modules: ['cuckoo', 'dleft'], tests: kinds('buckets') },
  'cuckoo-buckets.ts': { release: kernel('fingerprints'), tests: kinds('buckets') },
  'cuckoo.ts': { release: kernel('fingerprints'), tests: [...kinds('buckets'), 'test/filters/bounded.test.ts'] },
  'dleft-buckets.ts': { tests: kinds('buckets') },
  'dleft.ts': { release: kernel('fingerprints'), tests: [...kinds('buckets'), 'test/filters/bounded.test.ts'] },
  'fingerprint-table.ts': { release: kernel('fingerprints'), tests: kinds('fingerprint-set', 'tombstone') },
  'fingerprint-set.ts': { release: kernel('fingerprints'), tests: kinds('fingerprint-set', 'tombstone') },
  'fingerprint-order.ts': {
    tests: [...kinds('fingerprint-set', 'tombstone'), ...format('own-parameters', 'tombstone')],
  },
  'fuse.ts': { release: kernel('fingerprints'), tests: kinds('fuse') },
  'fuse-building.ts': { release: kernel('fingerprints'), tests: [...kinds('fuse'), ...kinds('fuse-map')] },
  'fuse-map.ts': { tests: kinds('fuse-map') },
  'fuse-places.ts': { release: kernel('fingerprints'), tests: kinds('fuse') },
  'rotating.ts': { release: kernel('bodies'), tests: kinds('rotating') },
  'remainder.ts': { release: kernel('remainder'), tests: [] },
  'divisor.ts': { release: kernel('remainder'), tests: [] },
  'residues.ts': {
    modules: ['go', 'redisbloom', 'guava'],
    tests: [...kernel('remainder', 'far-cells'), ...foreign('go', 'redisbloom')],
  },
  'terms.ts': { release: kernel('remainder'), tests: [] },
  'guava.ts': { tests: foreign('guava') },
  'spark.ts': { tests: foreign('spark') },
  'parquet.ts': { tests: foreign('parquet') },
  'go.ts': { release: kernel('far-cells'), tests: foreign('go') },
  'redisbloom.ts': { release: kernel('far-cells'), tests: foreign('redisbloom') },
  'threads.ts': { modules: ['shared'], tests: kernel('shared') },
  'shared.ts': { tests: ['test/threads/shared.test.ts'] },
};

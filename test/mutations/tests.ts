// The tests that notice changes to a file of assembly/ soonest.

export interface First {
  /** Modules that these tests need, of those that contain the file. Default: all of those. */
  readonly modules?: readonly string[];
  /** Files and folders with tests. */
  readonly tests: readonly string[];
  /** Whether they run first with the release build alone, because compiling takes longer. They compare no builds. */
  readonly release?: true;
}

/** What is run when the first tests have noticed nothing, with all modules that contain the file. */
export const others: readonly string[] = [
  'test/kernel',
  'test/kinds',
  'test/foreign',
  'test/threads/shared.test.ts',
  'test/filters/bounded.test.ts',
  'test/filters/keyed.test.ts',
  'test/format/golden.test.ts',
  'test/format/keyed-golden.test.ts',
];

const kernel = (...names: string[]): string[] => names.map((name) => `test/kernel/${name}.test.ts`);
const kinds = (...names: string[]): string[] => names.map((name) => `test/kinds/${name}.test.ts`);
const foreign = (...names: string[]): string[] => names.map((name) => `test/foreign/${name}.test.ts`);

export const firsts: Readonly<Record<string, First>> = {
  'arithmetic.ts': {
    modules: ['kernel', 'spark', 'cuckoo'],
    tests: kernel('murmur3', 'classic', 'spark-hash', 'cuckoo'),
  },
  'murmur3.ts': { modules: ['kernel', 'cuckoo'], tests: kernel('murmur3', 'cuckoo'), release: true },
  'siphash.ts': { tests: kernel('siphash'), release: true },
  'xxh64.ts': { tests: foreign('parquet') },
  'murmur64a.ts': { tests: foreign('redisbloom') },
  'spark-hash.ts': { tests: kernel('spark-hash') },
  'place.ts': { tests: foreign('go') },
  'hash.ts': { modules: ['kernel', 'spark'], tests: [...kernel('hash-chunk', 'spark-hash'), ...kinds('bits')] },
  'hash-key.ts': { modules: ['kernel', 'keyed'], tests: kernel('hash-key', 'siphash'), release: true },
  'hash-chunk.ts': { modules: ['kernel', 'keyed'], tests: kernel('hash-chunk'), release: true },
  'memory.ts': { modules: ['kernel', 'shared'], tests: kernel('memory', 'shared') },
  'index.ts': { tests: kernel('bodies') },
  'keyed.ts': { tests: ['test/filters/keyed.test.ts'] },
  'linked.ts': { modules: ['cuckoo'], tests: kernel('linked') },
  'classic.ts': { modules: ['kernel'], tests: kernel('classic'), release: true },
  'bodies.ts': { modules: ['kernel'], tests: kernel('bodies'), release: true },
  'blocked.ts': { modules: ['kernel'], tests: kinds('bits'), release: true },
  'split-block.ts': {
    modules: ['kernel', 'wide', 'shared'],
    tests: [...kinds('blocks', 'bits'), 'test/threads/shared.test.ts'],
  },
  'wide.ts': { tests: kinds('blocks', 'bits') },
  'counting.ts': { modules: ['kernel'], tests: [...kernel('far-cells'), ...kinds('counting')], release: true },
  'spatial.ts': { tests: [...kernel('far-cells', 'bodies'), ...kinds('spatial')] },
  'stable.ts': { tests: [...kernel('stable', 'bodies'), ...kinds('stable')] },
  'fields.ts': { modules: ['cuckoo', 'dleft'], tests: kinds('cuckoo', 'dleft') },
  'cuckoo-buckets.ts': { tests: [...kernel('cuckoo'), ...kinds('cuckoo')] },
  'cuckoo.ts': { tests: [...kernel('cuckoo'), ...kinds('cuckoo')] },
  'dleft-buckets.ts': { tests: kinds('dleft') },
  'dleft.ts': { tests: kinds('dleft') },
  'fuse.ts': { tests: [...kernel('fuse'), ...kinds('fuse')] },
  'rotating.ts': { tests: [...kernel('bodies'), ...kinds('rotating')] },
  'remainder.ts': { tests: kernel('remainder') },
  'divisor.ts': { tests: kernel('remainder') },
  'residues.ts': {
    modules: ['go', 'redisbloom', 'guava'],
    tests: [...kernel('remainder'), ...foreign('go', 'redisbloom')],
  },
  'terms.ts': { tests: kernel('remainder') },
  'guava.ts': { tests: foreign('guava') },
  'spark.ts': { tests: foreign('spark') },
  'parquet.ts': { tests: foreign('parquet') },
  'go.ts': { tests: [...kernel('far-cells'), ...foreign('go')] },
  'redisbloom.ts': { tests: [...kernel('far-cells'), ...foreign('redisbloom')] },
  'threads.ts': { modules: ['shared'], tests: kernel('shared') },
  'shared.ts': { tests: ['test/threads/shared.test.ts'] },
};

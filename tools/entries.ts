// The table of everything that can be imported: a row for each kind of filter, and for each other entry. The build, the
// documents, the site and the tests take their lists from it. package.json has patterns that fit all entries.

/** What a module of WebAssembly hashes keys with, if not with the kernel's MurmurHash3. */
export type HashName = 'siphash' | 'xxh64' | 'spark' | 'place' | 'murmur64a';

/** What can be imported: `bloomery/NAME`. */
interface Row {
  readonly name: string;
  /** The address of the static data of its own WebAssembly module; undefined if it needs none besides the kernel. */
  readonly memoryBase?: number;
  /** The name of the kind whose WebAssembly module it runs, in place of one of its own. */
  readonly runsModuleOf?: string;
  /** What its module hashes keys with in place of the kernel. */
  readonly hash?: HashName;
  /** What the reference says of its entry, if it has one. */
  readonly about?: string;
}

/** A class of filters that has an entry. */
export interface FilterRow extends Row {
  readonly className: string;
  /** Whether its filters are made around filters of other kinds, and not with options. */
  readonly wraps?: boolean;
}

/**
 * A kind of filter. `src/kinds/NAME/filter.ts` has its class. Unless `isMain`, its name is also that of its entry:
 * `bloomery/NAME`.
 */
export interface Kind extends FilterRow {
  /** The number of the kind in saved files. It never changes. */
  readonly id: number;
  /** Whether the main entry exports it, and the kernel contains its loops. */
  readonly isMain?: boolean;
  /** Whether another kind does better in most cases. The single files for pages leave it out. */
  readonly isRare?: boolean;
}

/** An entry that belongs to no kind: `bloomery/NAME`, in `src/entries/NAME.ts`. */
interface OtherEntry extends Row {
  /** Whether it runs the kernel, so that it needs a form for Cloudflare Workers, which must import the kernel. */
  readonly runsKernel?: boolean;
  /** Whether there is a copy of it with the engine in plain JavaScript, `bloomery/NAME/js`. */
  readonly hasTwin?: boolean;
  /** Whether it runs only where there are sockets, and so not where WebAssembly is refused. */
  readonly needsSockets?: boolean;
  /** Which of the single files for pages contain it. Both contain the main entry and those of all kinds but rare ones. */
  readonly singleFiles?: readonly ('module' | 'script')[];
  readonly about: string;
}

export const kinds: readonly Kind[] = [
  { name: 'classic', className: 'BloomFilter', id: 1, isMain: true },
  { name: 'blocked', className: 'BlockedBloomFilter', id: 2, isMain: true },
  { name: 'counting', className: 'CountingBloomFilter', id: 3, isMain: true },
  {
    name: 'scalable',
    className: 'ScalableBloomFilter',
    id: 4,
    about: 'A filter that grows with its keys and keeps its error rate.',
  },
  {
    name: 'rotating',
    className: 'RotatingBloomFilter',
    id: 5,
    memoryBase: 18 * 1024,
    about: 'The latest keys, by number or by time: older ones are forgotten.',
  },
  {
    name: 'stable',
    className: 'StableBloomFilter',
    id: 6,
    isRare: true,
    memoryBase: 20 * 1024,
    about: 'An endless stream in constant memory; it may miss any key.',
  },
  {
    name: 'cuckoo',
    className: 'CuckooFilter',
    id: 7,
    memoryBase: 17 * 1024,
    about: 'Removal in a quarter of the memory of counters.',
  },
  {
    name: 'dleft',
    className: 'DLeftCountingBloomFilter',
    id: 8,
    isRare: true,
    memoryBase: 21 * 1024,
    about: 'Counts of up to 96 copies of a key, and removal.',
  },
  {
    name: 'spatial',
    className: 'SpatialBloomFilter',
    id: 9,
    isRare: true,
    memoryBase: 22 * 1024,
    about: 'Which of many disjoint sets a key is in, if any.',
  },
  {
    name: 'fuse',
    className: 'BinaryFuseFilter',
    id: 10,
    memoryBase: 19 * 1024,
    about: 'The smallest filter of a list that is complete beforehand.',
  },
  {
    name: 'tombstone',
    className: 'TombstoneFilter',
    id: 11,
    isRare: true,
    runsModuleOf: 'fingerprint-set',
    wraps: true,
    about: 'Keys removed from a filter of any other kind.',
  },
  {
    name: 'wide',
    className: 'WideBlockedBloomFilter',
    id: 12,
    memoryBase: 16 * 1024,
    about: 'Rare errors at high speed.',
  },
  {
    name: 'sharded-fuse',
    className: 'ShardedFuseFilter',
    id: 13,
    isRare: true,
    runsModuleOf: 'fuse',
    about: 'Fuse filters of any size, in shards.',
  },
  {
    name: 'fingerprint-set',
    className: 'FingerprintSet',
    id: 14,
    isRare: true,
    memoryBase: 23 * 1024 + 512,
    about: 'An exact set: some 20 bytes a key, however long keys are.',
  },
  {
    name: 'fuse-map',
    className: 'FuseMap',
    id: 15,
    isRare: true,
    memoryBase: 19 * 1024 + 512,
    about: 'A value of a few bits for every key of a list.',
  },
];

export const mainKinds: readonly Kind[] = kinds.filter(({ isMain }) => isMain);
/** The kinds with entries of their own. */
export const entryKinds: readonly Kind[] = kinds.filter(({ isMain }) => !isMain);

/** The kinds in the single files for pages. */
export const singleFileKinds: readonly Kind[] = kinds.filter(({ isRare }) => !isRare);

const foreignRows: readonly Omit<FilterRow, 'memoryBase'>[] = [
  { name: 'guava', className: 'GuavaBloomFilter', about: 'The Bloom filters of Guava, on the Java virtual machine.' },
  { name: 'parquet', className: 'ParquetBloomFilter', hash: 'xxh64', about: 'The filters of Parquet files.' },
  { name: 'go', className: 'GoBloomFilter', hash: 'place', about: 'The filters of bits-and-blooms, a library of Go.' },
  {
    name: 'redisbloom',
    className: 'RedisBloomDump',
    hash: 'murmur64a',
    about: 'Filters of the module RedisBloom, out of Redis and back.',
  },
  { name: 'spark', className: 'SparkBloomFilter', hash: 'spark', about: 'The Bloom filters of Apache Spark.' },
];

/**
 * The filters in the formats of other systems: `bloomery/NAME`. `src/foreign/NAME/filter.ts` has the class. No two of
 * their modules are in one memory, so their static data have one address.
 */
export const foreignFilters: readonly FilterRow[] = foreignRows.map((row) => ({ ...row, memoryBase: 24 * 1024 }));

/** All rows that have a class and an entry of their own. */
export const filterEntries: readonly FilterRow[] = [...entryKinds, ...foreignFilters];

export const otherEntries: readonly OtherEntry[] = [
  {
    name: 'auto',
    runsKernel: true,
    // Only in the script, which has both engines: extensions and user scripts often run where WebAssembly is refused.
    singleFiles: ['script'],
    about: 'Chooses the engine that works.',
  },
  { name: 'delta', about: 'What has changed between two saved filters of one size.' },
  { name: 'disk', about: 'Builds a filter of more keys than memory can hold, in Node.' },
  { name: 'file', about: 'Saves filters to files, and opens them for lookups, in Node.' },
  { name: 'guard', about: 'A filter in front of a database, measured and replaced while it works.' },
  { name: 'hash', runsKernel: true, hasTwin: true, about: 'Hashes of keys, computed once for several filters.' },
  { name: 'items', about: 'Objects as keys: by a key of each.' },
  {
    name: 'keyed',
    runsKernel: true,
    memoryBase: 23 * 1024,
    hash: 'siphash',
    hasTwin: true,
    about: 'Filters for keys from strangers: a hash under a secret.',
  },
  { name: 'load', singleFiles: ['module', 'script'], about: 'Loads a saved filter of any kind.' },
  { name: 'lookup', about: 'Looks up keys in the file of a fuse filter, in a few kilobytes.' },
  { name: 'migrate', about: 'Reads filters that other packages of npm have saved.' },
  { name: 'open', about: 'Looks keys up in a saved filter without loading it: in a file, or on a server.' },
  { name: 'parallel', about: 'Builds a filter from files in several threads, in Node.' },
  { name: 'records', about: "Keys of one length: UUIDs, digests, Arrow's FixedSizeBinary." },
  {
    name: 'redis',
    runsKernel: true,
    needsSockets: true,
    about: 'Filters that many processes share, in Redis or Valkey.',
  },
  { name: 'shared', about: 'Filters that all threads of a process share.' },
  { name: 'views', about: 'What two filters say together: difference, union and intersection.' },
  { name: 'vite', about: 'Makes filters of lists at build time, in Vite and Rollup.' },
];

/** An entry of declarations alone, in `src/entries/assets.d.ts`: the types of filters that are imported as files. */
export const TYPES_ENTRY = 'assets';

/** Whether an entry has a module for runtimes that run no WebAssembly, or none from bytes. */
export function runsInScript({ runsKernel = false, needsSockets = false }: OtherEntry): boolean {
  return runsKernel && !needsSockets;
}

/** The name of an entry as a part of an identifier: `shardedFuse` of `sharded-fuse`. */
export function identifierOf(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The same with a capital: `ShardedFuse`. */
export function capitalOf(name: string): string {
  return identifierOf(`-${name}`);
}

/** What the reference says of each entry, by its name without that of the package. */
export const abouts: ReadonlyMap<string, string> = new Map([
  ['', 'Filters on WebAssembly, keys, streams, and the formulas for their sizes.'],
  ...[...filterEntries, ...otherEntries]
    .map(({ name, about = '' }): [string, string] => [name, about])
    .sort(([one], [other]) => (one < other ? -1 : 1)),
]);

/** The name of the package. */
export const packageName = 'bloomery';

/** The name by which users import an entry. */
export function importName(entry: string): string {
  return [packageName, entry].filter((part) => part !== '').join('/');
}

export const engineNames = ['wasm', 'js'] as const;

/** The entry that has the class of a kind on an engine. */
export function entryOf({ name, isMain }: Pick<Kind, 'name' | 'isMain'>, engine: (typeof engineNames)[number]): string {
  return [...(isMain ? [] : [name]), ...(engine === 'js' ? ['js'] : [])].join('/');
}

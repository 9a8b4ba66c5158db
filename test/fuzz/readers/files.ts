// Files of each kind: whole and in chunks, by a class, by `load` of an entry and by `loadAny`, on both engines; looked up
// without being loaded; and what has changed between two of them. Also files in the formats of other systems.

import { CuckooFilter } from '../../../src/entries/cuckoo.ts';
import { diff, patch } from '../../../src/entries/delta.ts';
import { DLeftCountingBloomFilter } from '../../../src/entries/dleft.ts';
import { FingerprintSet } from '../../../src/entries/fingerprint-set.ts';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { FuseMap } from '../../../src/entries/fuse-map.ts';
import * as js from '../../../src/entries/js/index.ts';
import { type LoadableClass, loadAny } from '../../../src/entries/load.ts';
import { openFilter, type RangeSource } from '../../../src/entries/open.ts';
import { RotatingBloomFilter } from '../../../src/entries/rotating.ts';
import { ScalableBloomFilter } from '../../../src/entries/scalable.ts';
import { ShardedFuseFilter } from '../../../src/entries/sharded-fuse.ts';
import { SpatialBloomFilter } from '../../../src/entries/spatial.ts';
import { StableBloomFilter } from '../../../src/entries/stable.ts';
import { TombstoneFilter } from '../../../src/entries/tombstone.ts';
import {
  BloomFilter,
  type Filter,
  FilterFullError,
  FilterMemoryError,
  type GrowingFilter,
  load,
  SavedFilterError,
} from '../../../src/index.ts';
import { formats } from '../../foreign/formats.ts';
import { keysOf, REFUSED, splitAt } from '../../format/saved.ts';
import { combinableKinds, everyKind, type KindOnEngine, keyedKinds } from '../../shared/kinds.ts';
import { damageBytes } from '../damage/bytes.ts';
import { damageFile, seal } from '../damage/files.ts';
import { areSame, attempt, attemptLater, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';

interface SavedClass {
  fromBytes(bytes: Uint8Array): Filter;
  fromChunks(chunks: Iterable<Uint8Array>): Filter;
  fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<Filter>;
}

/** The classes of some kinds: by their numbers in files, and of both engines. */
function classesOf(all: readonly KindOnEngine[]) {
  const ofEngine = (name: string) => all.filter(({ engine }) => engine.name === name);
  const classesOn = (name: string) => ofEngine(name).map(({ Filter }) => Filter as object as LoadableClass);
  return {
    byNumber: new Map(ofEngine('wasm').map(({ id, Filter }) => [id, Filter as SavedClass])),
    wasm: classesOn('wasm'),
    js: classesOn('js'),
  };
}

type Classes = ReturnType<typeof classesOf>;

const plainClasses = classesOf(everyKind.filter(({ isKeyed }) => !isKeyed));
const keyedClasses = classesOf(keyedKinds);

/** Keys and options for kinds that are made of all keys at once. */
const few = [0, 1, 3, 40].map((count, seed) => [keysOf(count), { seed, shards: 2 ** seed }] as const);
const fuse = few.map(([keys, { seed }]) => BinaryFuseFilter.from(keys, { fingerprintBits: 1 + 7 * seed, seed }));
const sharded = few.map(([keys, options]) =>
  ShardedFuseFilter.from(keys, { fingerprintBits: 1 + 7 * options.seed, ...options }),
);
const maps = few.map(([keys, options]) => {
  const values = keys.map((_, i) => i % 5);
  return FuseMap.from(keys, values, { fingerprintBits: 9 * options.seed, ...options });
});
const scalable = [0, 3, 20].map((count) => new ScalableBloomFilter({ capacity: 5 }).addMany(keysOf(count)));
const rotating = [0, 3, 20].map((count) =>
  new RotatingBloomFilter({ capacity: 5, generations: 2 + (count >> 2) }).addMany(keysOf(count)),
);
const timed = new RotatingBloomFilter({ capacity: 5, window: 100, clock: () => 1000 }).addMany(keysOf(9));
const spatial = [1, 2, 10, 200, 300].map((labels) =>
  new SpatialBloomFilter({ cells: 21, hashes: 2, labels }).addMany(keysOf(3), labels),
);
const stable = ([1, 2, 4, 8] as const).map((cellBits, i) =>
  new StableBloomFilter({ capacity: 5, errorRate: 0.3, cellBits }).addMany(keysOf(3 * i)),
);
const sized = combinableKinds.map(({ kind, sized }) => {
  const make = (cells: number): Filter => sized({ cells, hashes: 3, seed: 5 }).addMany(keysOf(3));
  return [kind, [1, 20, 83, 300].map(make)] as const;
});
const cuckoo = [2, 6, 22, 76].map((buckets) =>
  new CuckooFilter({ buckets, fingerprintBits: 16, seed: 5 }).addMany(keysOf(3)),
);
const dleft = [1, 3, 10].map((buckets) =>
  new DLeftCountingBloomFilter({ buckets, remainderBits: 14, seed: 5 }).addMany(keysOf(3)),
);
const fingerprintSets = few.map(([keys, { seed }]) => FingerprintSet.from(keys, { seed }));
const tombstone = [fuse[2], fuse[0], scalable[1], rotating[1], sized[0]?.[1][0]].map((base, i) =>
  new TombstoneFilter(base as Filter).removeMany(keysOf(i)),
);

/** Small filters of each kind. */
const filters: Readonly<Record<string, readonly Filter[]>> = {
  ...Object.fromEntries(sized),
  cuckoo,
  dleft,
  fuse,
  'sharded-fuse': sharded,
  'fuse-map': maps,
  scalable,
  rotating: [...rotating, timed],
  spatial,
  stable,
  'fingerprint-set': fingerprintSets,
  tombstone,
};

const filesOf = (all: readonly Filter[]): Uint8Array<ArrayBuffer>[] => all.map((filter) => filter.toBytes());
const originals = new Map(Object.entries(filters).map(([kind, all]) => [kind, filesOf(all)]));

const savedFiles: readonly Uint8Array[] = [...originals.values()].flat();

/** A damaged file; every second one has a checksum that matches. */
export function damagedFile(random: Random, files: readonly Uint8Array[]): Uint8Array {
  let file: Uint8Array = pick(random, files).slice();
  for (let times = random(3); times >= 0; times--) file = damageFile(file, random);
  if (random(2) === 0) seal(file);
  return file;
}

/** Whether an error is one that the documentation names for a file. */
function isRefusal(error: unknown): boolean {
  return error instanceof SavedFilterError && REFUSED.test(error.message) && error.reason !== '';
}

/** Whether it is, or says that a stream states a larger filter than there is memory for. */
const isRefusalOfStream = (error: unknown): boolean => isRefusal(error) || error instanceof FilterMemoryError;

const isFull = (error: unknown): boolean => error instanceof FilterFullError;

/** Throws unless a filter that was read works, and is saved as the same file. Frees it. */
function check(filter: Filter, file: Uint8Array): void {
  using _ = filter;
  // Before any use, because time passes for rotating filters.
  const saved = filter.toBytes();
  filter.has('key 0');
  require(filter.hasMany(['key 1', 'key 2']).length === 2, 'there is an answer for each key');
  const fill = filter.fillRatio();
  const { capacity, errorRate } = filter;
  // Those of no keys promise nothing.
  const { kind } = 'base' in filter ? (filter as TombstoneFilter).base : filter;
  const mayBeEmpty = ['fuse', 'sharded-fuse', 'fuse-map', 'fingerprint-set'].includes(kind);
  const isPromise = capacity >= 1 ? errorRate > 0 && errorRate <= 1 : mayBeEmpty && errorRate === 0;
  require(isPromise, `a capacity of ${capacity} keys at an error rate of ${errorRate} can be kept`);
  require(fill >= 0 && fill <= 1, `a fill ratio of ${fill} is between 0 and 1`);
  require(areSame(saved, file), 'a filter is saved as the file that it was loaded from');
  // Labels and tombstones take other keys.
  if (!('addMany' in filter) || filter.kind === 'spatial' || filter.kind === 'tombstone') return;
  const growing = filter as GrowingFilter;
  attempt(() => growing.addMany(keysOf(60)), isFull);
  require(growing.fillRatio() <= 1, 'it is at most full after keys were added');
}

/** Reads a file in one of several ways. Returns undefined if it is refused. */
function readFile(file: Uint8Array, random: Random, classes: Classes): Filter | undefined {
  // A damaged header may state any kind.
  const Class = classes.byNumber.get(file[5] ?? 0) ?? (BinaryFuseFilter as object as SavedClass);
  // The JavaScript engine is slow, and a few inputs are enough for it.
  if (random(100) === 0) return attempt(() => loadAny(classes.js, file), isRefusal);
  const parts = [random(file.length + 1), random(file.length + 1)];
  switch (random(8)) {
    case 0:
      return attempt(() => (random(20) === 0 ? js.load(file) : load(file)), isRefusal);
    case 1:
    case 2:
      return attempt(() => Class.fromChunks(splitAt(file, parts)), isRefusalOfStream);
    case 3:
    case 4:
      return attempt(() => Class.fromBytes(file), isRefusal);
    default:
      return attempt(() => loadAny(classes.wasm, file), isRefusal);
  }
}

function fileReader(kind: string, files: readonly Uint8Array[], classes: Classes): Reader {
  return {
    name: `file of a ${kind} filter`,
    // Files of bases lie inside of those of tombstone filters.
    share: kind === 'tombstone' ? 60_000 : 40_000,
    run(subject): Outcome {
      const file = damagedFile(subject.random, files);
      subject.input = file;
      const filter = readFile(file, subject.random, classes);
      if (filter === undefined) return 'refused';
      check(filter, file);
      return 'read';
    },
  };
}

const TOMBSTONE = 11;
const KEYS = keysOf(30);

/** The bytes of a file, of which nothing may be asked that is outside of it. */
export function rangesOf(file: Uint8Array): RangeSource {
  return {
    size: file.length,
    gap: 0,
    async read(offset, length) {
      const isInside = offset >= 0 && length > 0 && offset + length <= file.length;
      require(isInside, `the ${length} bytes from ${offset} on are in a file of ${file.length}`);
      return file.subarray(offset, offset + length);
    },
  };
}

const opened: Reader = {
  name: 'file that is not loaded',
  share: 3000,
  async run(subject) {
    const file = damagedFile(subject.random, savedFiles);
    subject.input = file;
    const filter = await attemptLater(() => openFilter(plainClasses.wasm, rangesOf(file)), isRefusal);
    const loaded = file[5] === TOMBSTONE ? undefined : attempt(() => loadAny(plainClasses.wasm, file), isRefusal);
    require(filter !== undefined || loaded === undefined, 'a file that can be loaded can be opened');
    if (filter === undefined) return 'refused';
    const flags = await attemptLater(() => filter.hasMany(KEYS), isRefusal);
    if (loaded) {
      require(flags !== undefined && areSame(flags, loaded.hasMany(KEYS)), 'it answers as in memory');
      if (loaded instanceof FuseMap) {
        require((await filter.getMany(KEYS)).join() ===
          loaded.getMany(KEYS).join(), 'it has the values of that in memory');
      }
      loaded.dispose();
      await filter.verify();
    }
    await filter.close();
    return 'read';
  },
};

/** What has changed between two saved filters, damaged. */
const versions = [0, 3, 60].map((count) => BloomFilter.from(keysOf(count), { capacity: 60 }).toBytes());
const changes = versions.flatMap((old) => versions.map((next) => ({ old, next, made: diff(old, next) })));

const delta: Reader = {
  name: 'difference of two filters',
  share: 20_000,
  run(subject) {
    const { random } = subject;
    const { old, next, made } = pick(random, changes);
    const damaged = damageBytes(made.slice(), random);
    subject.input = damaged;
    const patched = attempt(
      () => patch(old, damaged),
      (error) => error instanceof RangeError,
    );
    if (patched === undefined) return 'refused';
    const loaded = attempt(() => loadAny([BloomFilter], patched), isRefusal);
    require(loaded === undefined || areSame(patched, next), 'what can be loaded is the new filter');
    loaded?.dispose();
    return 'read';
  },
};

const keyedFiles = keyedKinds
  .filter(({ engine }) => engine.name === 'wasm')
  .flatMap(({ Filter }) => [1, 3, 20].map((count) => Filter.from(keysOf(count)).toBytes()));

export const fileReaders: readonly Reader[] = [
  ...[...originals].map(([kind, files]) => fileReader(kind, files, plainClasses)),
  fileReader('keyed', keyedFiles, keyedClasses),
  opened,
  delta,
];

const isForeignRefusal = (error: unknown): boolean => error instanceof SavedFilterError && error.reason !== '';

export const foreignReaders: readonly Reader[] = formats.map(
  ({ name, classes, variants, readingOptions, hasForms }) => {
    const originals = variants.flatMap((variant) =>
      [3, 10, 60].map((capacity) => {
        const filter = new classes[0]({ capacity, errorRate: 0.05, ...variant });
        return { bytes: filter.addMany(['a', 'b', 'c']).toBytes(), options: readingOptions?.(variant) ?? {} };
      }),
    );
    return {
      name: `format of ${name}`,
      share: 15_000,
      run(subject) {
        const { random } = subject;
        const { bytes, options } = pick(random, originals);
        let file: Uint8Array = bytes.slice();
        for (let times = random(3); times >= 0; times--) file = damageBytes(file, random);
        subject.input = file;
        // The engine in plain JavaScript is slow, and a few inputs are enough for it.
        const Class = classes[random(20) === 0 ? 1 : 0];
        using filter = attempt(() => Class.fromBytes(file, options), isForeignRefusal);
        if (filter === undefined) return 'refused';
        const fill = filter.fillRatio();
        require(fill >= 0 && fill <= 1, `a fill ratio of ${fill} is between 0 and 1`);
        require(filter.hasMany(['a', 'x']).length === 2, 'there is an answer for each key');
        const saved = filter.toBytes();
        const same = hasForms ? Class.fromBytes(saved, options).toBytes() : file;
        require(areSame(saved, same), 'a filter is saved as the bytes that it was loaded from');
        const add = () => [filter.add('x')];
        // A damaged filter may be full, and unable to grow.
        const added = attempt(add, (error) => error instanceof FilterFullError);
        require(filter.has('x') || added === undefined, 'a key that was added is found');
        return 'read';
      },
    };
  },
);

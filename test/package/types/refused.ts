// Lines that end in "refused" must not compile, and all other lines must. After "refused:" comes a part of the error.
// Checked against dist/.

import {
  addLines,
  BlockedBloomFilter,
  BloomFilter,
  type CountedKeys,
  CountingBloomFilter,
  type CountingFilter,
  column,
  dedupeLines,
  type Filter,
  FilterFullError,
  type FilterFullErrorCode,
  FilterMemoryError,
  type FilterTraits,
  fileStream,
  type GrowingFilter,
  type IntegerArray,
  type IntersectingFilter,
  type Key,
  type Keys,
  lines,
  load,
  type ManyKeys,
  omitLines,
  type Picked,
  pickLines,
  type RemovingFilter,
  SavedFilterError,
  type SavedFilterErrorCode,
  type UnitingFilter,
} from 'bloomery';
import { chooseEngine } from 'bloomery/auto';
import { CuckooFilter, FilterFullError as CuckooFullError } from 'bloomery/cuckoo';
import { CuckooFilter as JsCuckooFilter } from 'bloomery/cuckoo/js';
import { DLeftCountingBloomFilter } from 'bloomery/dleft';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { FuseMap } from 'bloomery/fuse-map';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { hashKeys } from 'bloomery/hash';
import { by } from 'bloomery/items';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { loadAny } from 'bloomery/load';
import { fromBloomFilters, fromBloomfilter, type MigratedFilter } from 'bloomery/migrate';
import { blobSource, loadShard, type OpenedFilter } from 'bloomery/open';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { type KeyRecords, records } from 'bloomery/records';
import { RedisBloomDump } from 'bloomery/redisbloom';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SparkBloomFilter } from 'bloomery/spark';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { StableBloomFilter } from 'bloomery/stable';
import { TombstoneFilter } from 'bloomery/tombstone';
import { WideBlockedBloomFilter } from 'bloomery/wide';

const filter = new BloomFilter({ capacity: 10 });
const bytes = new Uint8Array(3);
declare const either: string[] | Uint32Array;
declare const eitherOne: string | string[];
declare const keys: Keys;
interface User {
  readonly id: string;
  readonly nick?: string;
}
declare const users: User[];
declare const generated: Generator<string>;
declare const readOnly: ReadonlySet<string>;
declare const either1: string[] | Iterable<string>;

filter.addMany(['a', 1, 2n, bytes]).addMany(new Set(['a']));
filter.addMany(keys);
filter.addMany('abc'); // refused: a string is one key: pass an array of keys
filter.addMany(eitherOne); // refused: a string is one key: pass an array of keys
filter.addMany(bytes); // refused: a Uint8Array is one key: pass an array of keys, lines(bytes)
filter.addMany(new Float64Array(2)); // refused: not keys: pass a Uint32Array
filter.addMany([null]); // refused: not keys: pass a Uint32Array
filter.addMany(new Map([['a', 1]])); // refused: the entries of a Map are not keys: pass [...map.keys()]
BloomFilter.from(new Map([['a', 1]])); // refused: the entries of a Map are not keys: pass [...map.keys()]
BloomFilter.from(users); // refused: these items are not keys: pass by(items, keyOf), with by of bloomery/items
filter.hasMany('abc'); // refused: a string is one key: pass an array of keys
filter.pick('abc'); // refused: a string is one key: pass an array of keys
filter.omit(new Uint16Array(2)); // refused: not keys: pass a Uint32Array
filter.dedupe(bytes); // refused: a Uint8Array is one key: pass an array of keys, lines(bytes)
BloomFilter.from('abc'); // refused: a string is one key: pass an array of keys
BloomFilter.from(new Set(['a']), { errorRate: 0.1 }).addMany(readOnly);
BlockedBloomFilter.from(readOnly).merge(BlockedBloomFilter.from(lines(bytes)));
CountingBloomFilter.from(new Uint32Array(2)).merge(CountingBloomFilter.from(column(bytes, new Int32Array(1))));
BloomFilter.from(generated, { capacity: 10, errorRate: 0.1 }).merge(BloomFilter.from(keys, { bits: 8, hashes: 2 }));
BloomFilter.from(generated); // refused: the number of keys is unknown: give options.capacity
BloomFilter.from(generated, { capacity: 10, errorrate: 0.1 }); // refused: No overload matches
BloomFilter.from(generated, { errorRate: 0.1 }); // refused: No overload matches
BloomFilter.from(keys, { bits: 8 }); // refused: No overload matches
BloomFilter.from(either1); // refused: the number of keys is unknown: give options.capacity
filter.add(true); // refused
filter.has(undefined); // refused

new BloomFilter({ bits: 8 }); // refused
new BloomFilter({ capacity: 10, errorrate: 0.1 }); // refused
new BloomFilter({ capacity: 10, bits: 8, hashes: 2 }); // refused

const blocked = new BlockedBloomFilter({ capacity: 10, errorRate: 0.1 });
new BlockedBloomFilter({ capacity: 10, bits: 256 }); // refused
const counting = new CountingBloomFilter({ counters: 8, hashes: 2 });
new CountingBloomFilter({ capacity: 10, counters: 8, hashes: 2 }); // refused
counting.removeMany(['a', 1]).removeMany(lines(bytes)).remove('a').valueOf();
counting.removeMany('abc'); // refused: a string is one key: pass an array of keys
counting.countOf(null); // refused
counting.merge(filter); // refused
export const plain: BloomFilter = counting.toBloomFilter().merge(filter);

export const literals: ('a' | 'b')[] = filter.pick(['a', 'b'] as const);
export const mixed: (string | number)[] = filter.omit(new Set(['a', 1]));
export const numbers: Uint32Array<ArrayBuffer> = filter.pick(new Uint32Array(2));
export const bigints: BigInt64Array = filter.dedupe(new BigInt64Array(2));
export const copies: Uint8Array<ArrayBuffer>[] = filter.pick(new Set<Uint8Array>([bytes]));
export const picked: Uint8Array = filter.pick(lines(bytes)).bytes;
export const offsets: Int32Array = filter.pick(column(bytes, new Int32Array(1))).offsets;
export const both: string[] | Uint32Array = filter.pick(either);
export const wrong: number[] = filter.pick(['a']); // refused
export const freshUsers: User[] = filter.dedupe(by(users, (user) => user.id));
export const pickedPairs: [string, number][] = filter.pick(by(new Map([['a', 1]]), ([name]) => name));
BloomFilter.from(by(users, (user) => user.id)).addMany(by(users, ({ id }) => id));
export const namesOnly: string[] = filter.pick(by(users, (user) => user.id)); // refused

const places = FuseMap.from(['a'], [1]);
export const groups: Map<number | undefined, string[]> = places.groupByValue(['a', 'b']);
export const groupsOfNumbers: Map<number | undefined, Uint32Array> = places.groupByValue(new Uint32Array(2));
export const groupsOfUsers: Map<number | undefined, User[]> = places.groupByValue(by(users, (user) => user.id));
export const certain: Map<number, string[]> = places.groupByValue(['a']); // refused
places.groupByValue(lines(bytes)); // refused
places.groupByValue(hashKeys(['a'])); // refused
places.groupByValue('abc'); // refused: a string is one key: pass an array of keys
places.groupByValue(new Map([['a', 1]])); // refused: the entries of a Map are not keys
by(users, (user) => user.nick); // refused: 'string | undefined'
by(users, (user) => user.name); // refused: does not exist
filter.dedupe(users); // refused: these items are not keys: pass by(items, keyOf), with by of bloomery/items
filter.omit(users.values()); // refused: these items are not keys: pass by(items, keyOf)
BloomFilter.from(by(users.values(), (user) => user.id)); // refused: the number of keys is unknown
function newOf<T extends { readonly id: Key }>(from: GrowingFilter, items: readonly T[]): T[] {
  return from.dedupe(by(items, (item) => item.id));
}
export const newUsers: User[] = newOf(filter, users);
export const uuids: KeyRecords<ArrayBuffer> = filter.omit(records(bytes, 16));
const parquet: ParquetBloomFilter = new ParquetBloomFilter({ capacity: 10, numbers: 'double' });
export const doubles: Float64Array<ArrayBuffer> = parquet.addMany(['a', 0.5]).pick(new Float64Array(2));
ParquetBloomFilter.from(new Float32Array(2), { numbers: 'float' }).merge(parquet);
new ParquetBloomFilter({ bytes: 64, capacity: 1 }); // refused
new ParquetBloomFilter({ capacity: 1, numbers: 'long' }); // refused
parquet.pick('abc'); // refused
parquet.merge(filter); // refused
new GuavaBloomFilter({ bits: 64 }); // refused
GoBloomFilter.from(generated); // refused: the number of keys is unknown
GoBloomFilter.from(generated, { capacity: 9 }).merge(GoBloomFilter.from(['a']));
const spark: SparkBloomFilter = new SparkBloomFilter({ capacity: 10, seed: -1 });
new SparkBloomFilter({ capacity: 10, version: 3 }); // refused
new RedisBloomDump({ bits: 64, hashes: 2 }); // refused
RedisBloomDump.from(generated, { expansion: 4 }).links.toFixed();
export const parts: BlobPart[] = [filter.pick(lines(bytes)).bytes, filter.omit(column(bytes, offsets)).data];
export const shared: Uint8Array<SharedArrayBuffer> = filter.hasMany(['a'], new Uint8Array(new SharedArrayBuffer(1)));

const chosen = await chooseEngine();
export const chosenFilter: BloomFilter = chosen.BloomFilter.from(['a']).merge(filter);
chosen.useKernel(bytes); // refused: 'useKernel'
const loadCuckoo = () => import('bloomery/cuckoo');
const chosenKind = await chooseEngine(loadCuckoo, () => import('bloomery/cuckoo/js'));
export const chosenCuckoo: CuckooFilter = chosenKind.CuckooFilter.from(['a']);
chosenKind.useCuckooKernel(bytes); // refused: 'useCuckooKernel'
await chooseEngine(loadCuckoo); // refused

filter.bits = 7; // refused
export const other: BloomFilter = new JsBloomFilter({ capacity: 10 });

const wide = new WideBlockedBloomFilter({ capacity: 10, errorRate: 1e-6 });
new WideBlockedBloomFilter({ capacity: 10, bits: 512 }); // refused
export const otherWide: WideBlockedBloomFilter = new WideBlockedBloomFilter({ bits: 512 }).union(wide);

const cuckoo: CuckooFilter = new JsCuckooFilter({ capacity: 10, errorRate: 1e-6 });
new CuckooFilter({ capacity: 10, buckets: 2, fingerprintBits: 7 }); // refused
cuckoo.removeMany(['a', 1]).addMany(lines(bytes)).remove('a').valueOf();
cuckoo.removeMany('abc'); // refused: a string is one key: pass an array of keys
cuckoo.countOf(null); // refused
CuckooFilter.from(hashKeys(generated).distinct(), { errorRate: 0.1 }).merge(CuckooFilter.from(readOnly));
CuckooFilter.from(generated);
CuckooFilter.from('abc'); // refused: a string is one key: pass an array of keys
CuckooFilter.from(generated, { capacity: '9' }); // refused

const dleft: DLeftCountingBloomFilter = new DLeftCountingBloomFilter({ capacity: 10, errorRate: 1e-6 });
new DLeftCountingBloomFilter({ capacity: 10, buckets: 1, remainderBits: 4 }); // refused
DLeftCountingBloomFilter.from(generated); // refused: the number of keys is unknown
const removing: CountingFilter[] = [counting, cuckoo, dleft];
export const notRemoving: RemovingFilter = filter; // refused
removing[0]?.removeMany(['a']).addMany(['a']).countOf('a').toFixed();
removing[0]?.removeMany('abc'); // refused: a string is one key: pass an array of keys

const fuse: BinaryFuseFilter = BinaryFuseFilter.from(['a', 'b'], { errorRate: 0.001, seed: 1 });
BinaryFuseFilter.from(generated).pick(['a']);
BinaryFuseFilter.from('abc'); // refused: a string is one key: pass an array of keys
BinaryFuseFilter.from(['a'], { errorRate: 0.1, fingerprintBits: 8 }); // refused
new BinaryFuseFilter({ errorRate: 0.1 }); // refused
ShardedFuseFilter.from(['a'], { errorRate: 0.1, fingerprintBits: 8 }); // refused
ShardedFuseFilter.shardOf('a'); // refused
export const oneShard: BinaryFuseFilter = await loadShard(BinaryFuseFilter, 0, blobSource(new Blob([])));
await loadShard(ShardedFuseFilter, 0, blobSource(new Blob([]))); // refused

const tombstone = new TombstoneFilter(fuse).addMany(['a']).removeMany(lines(bytes));
export const wasRemoved: boolean = tombstone.remove('a') || tombstone.exclude(7n) || tombstone.needsRebuild;
export const withBase: TombstoneFilter = TombstoneFilter.fromBytes(bytes, [BloomFilter, BinaryFuseFilter]).clone();
export const laterWithBase: TombstoneFilter = await TombstoneFilter.fromChunks(new Blob([]), [BinaryFuseFilter]);
export const anyTombstone: TombstoneFilter | BinaryFuseFilter = loadAny([TombstoneFilter, BinaryFuseFilter], bytes);
new TombstoneFilter(['a']); // refused
TombstoneFilter.fromBytes(bytes); // refused: give the classes of the base too
TombstoneFilter.fromChunks([bytes]); // refused: No overload matches
TombstoneFilter.fromBytes(bytes, BloomFilter); // refused
tombstone.removeMany('abc'); // refused: a string is one key: pass an array of keys
tombstone.base = fuse; // refused: read-only

const rotating = new RotatingBloomFilter({ capacity: 10, generations: 8, window: 1000, clock: () => 5 });
new RotatingBloomFilter({ capacity: 10, windows: 1000 }); // refused
RotatingBloomFilter.from(generated, { window: 1000 }); // refused: No overload matches

const stable = new StableBloomFilter({ capacity: 10, cellBits: 4, errorRate: 0.1 });
new StableBloomFilter({ cells: 10, hashes: 2 }); // refused
new StableBloomFilter({ capacity: 10, decrements: 3 }); // refused
new StableBloomFilter({ capacity: 10, cellBits: 3 }); // refused

const scalable = ScalableBloomFilter.from(['a'], { growth: 4, tightening: 0.5 });
ScalableBloomFilter.from(generated).merge(scalable); // refused
ScalableBloomFilter.from(generated, { growth: 4 }).addMany(generated).subFilters.toFixed();
new ScalableBloomFilter({ growth: 4 }); // refused
scalable.equals(rotating); // refused

const spatial = new SpatialBloomFilter({ capacity: 10, labels: 3 });
export const before: number = spatial.add('a', 1);
spatial.add('a'); // refused
spatial.addMany('abc', 1); // refused: a string is one key: pass an array of keys
spatial.addMany(['a'], new Uint32Array(1)); // refused
spatial.labelsOf(bytes); // refused: a Uint8Array is one key: pass an array of keys, lines(bytes)
export const eitherLabels: Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> = spatial.labelsOf(['a']);
const out = new Uint16Array(new SharedArrayBuffer(2));
export const wideLabels: Uint16Array<SharedArrayBuffer> = spatial.labelsOf(['a'], out);
spatial.union(wide); // refused
export const anyKind: Filter = spatial;
await addLines(spatial, new Blob([])); // refused
dedupeLines(spatial); // refused
pickLines(spatial);
new SpatialBloomFilter({ capacity: 10 }); // refused
new SpatialBloomFilter({ capacity: 10, cells: 10, hashes: 2, labels: 3 }); // refused
SpatialBloomFilter.from(new Map<number, Keys>([[1, lines(bytes)]]), { cells: 10, hashes: 2 });
SpatialBloomFilter.from([[1, generated]], { capacity: 10 }).merge(SpatialBloomFilter.from([[1, readOnly]]));
SpatialBloomFilter.from([[1, generated]]); // refused
SpatialBloomFilter.from([[1, 'abc']]); // refused
SpatialBloomFilter.from(['a']); // refused

class Seen extends BloomFilter {
  readonly since: string;
  constructor(since: string, capacity: number) {
    super({ capacity });
    this.since = since;
  }
}
const seen: Seen[] = [
  Seen.fromBytes(bytes),
  Seen.fromChunks([bytes]),
  await Seen.fromChunks(new Blob([]).stream()),
  new Seen('today', 1).clone(),
  new Seen('today', 1).union(new Seen('today', 1)),
  new Seen('today', 1).intersection(new Seen('today', 1)).merge(new Seen('today', 1)).addMany(['a']),
];
Seen.from(['a']); // refused
class Shipped extends BinaryFuseFilter {}
export const shipped: Shipped = Shipped.from(['a']);
class Blocklist extends BlockedBloomFilter {
  readonly name = 'blocklist';
}
export const blocklist: Blocklist = Blocklist.from(['a'], { errorRate: 0.1 });
Blocklist.from(['a'], { errorrate: 0.1 }); // refused

export const any: BloomFilter | BlockedBloomFilter | CountingBloomFilter = load(bytes);
export const either12: BloomFilter | WideBlockedBloomFilter = loadAny([BloomFilter, WideBlockedBloomFilter], bytes);
export const wrongClass: BlockedBloomFilter = loadAny([BloomFilter, WideBlockedBloomFilter], bytes); // refused
load('abc'); // refused
loadAny([Map], bytes); // refused
export const loaded = [bytes].map(load);

export const named: Blocklist = blocklist.merge(blocked);
export const same: boolean = blocklist.equals(blocked) || blocked.equals(blocklist);
filter.equals(blocked); // refused

const growing: GrowingFilter[] = [filter, blocked, wide, ...removing, rotating, stable, scalable, seen[0] as Seen];
const readable: Filter[] = [...growing, fuse, tombstone];
export const fused: GrowingFilter = fuse; // refused

// Functions for several kinds.
export const removers: RemovingFilter[] = [...removing, tombstone];
export const mixedKinds: UnitingFilter[] = [filter]; // refused
const united1 = <F extends UnitingFilter>(one: F, other: F): F => one.union(other).merge(one);
function common<F extends IntersectingFilter>(one: F, other: F): number {
  return one.intersection(other).estimateCount() + one.estimateIntersection(other).count;
}
common(cuckoo, cuckoo); // refused
for (const one of [common(wide, wide), common(counting, counting), common(parquet, parquet)]) one.toFixed();
for (const one of [united1(spatial, spatial), united1(cuckoo, cuckoo), united1(spark, spark)]) one.dispose();
united1(filter, blocked); // refused
united1(scalable, scalable); // refused
const sizeOf = (one: BloomFilter | CuckooFilter): number => (one.kind === 'cuckoo' ? one.fingerprintBits : one.bits);
export const literalKinds: ['fuse', 'go'] = [BinaryFuseFilter.kind, GoBloomFilter.kind];
export const blockedKind: 'blocked' = BlockedBloomFilter.kind;
if (anyKind.kind === 'scaleable') sizeOf(filter); // refused: no overlap

// Functions that pass keys on.
const picked1 = <K>(from: Filter, keys: ManyKeys<K>): Picked<K> => from.pick(keys);
const picked2 = <K extends Keys>(from: Filter, keys: K): Picked<K> => from.pick(keys);
const picked3 = <T extends Key>(from: Filter, keys: readonly T[]): T[] => from.pick(keys);
const picked4 = <T extends readonly Key[]>(from: Filter, keys: T): Picked<T> => from.pick(keys);
const picked5 = <T extends Key>(from: Filter, keys: Iterable<T>): Picked<Iterable<T>> => from.pick(keys);
const picked6 = <T extends IntegerArray>(from: Filter, keys: T): Picked<T> => from.pick(keys);
const filterOf = <K extends Keys>(keys: K): BloomFilter => BloomFilter.from(keys, { capacity: 10 }).addMany(keys);
const counted = <K extends Keys>(keys: CountedKeys<K>): BloomFilter => BloomFilter.from(keys);
counted(['a']).merge(counted(new Set([7])));
counted(generated); // refused: the number of keys is unknown
const ofList = <T extends Key>(keys: readonly T[]): BloomFilter => BloomFilter.from(keys);
const ofArray = <K extends readonly Key[]>(keys: K): BloomFilter => BloomFilter.from(keys).merge(ofList(keys));
const ofAny = <T extends Key>(keys: Iterable<T>): BloomFilter => BloomFilter.from(keys); // refused: NumberOfKeysUnknown
ofAny(['a']).merge(ofArray(['a']));
const flagsOf = <K extends Keys>(from: Filter, keys: K): Uint8Array => from.hasMany(keys);
export const names: string[] = [
  ...picked1(wide, ['a']),
  ...picked2(wide, new Set(['a'])),
  ...picked3(wide, ['a']),
  ...picked4(wide, ['a'] as const),
  ...picked5(wide, new Set(['a'])),
];
export const integers: Uint32Array = picked6(filterOf(['a']), new Uint32Array(flagsOf(wide, ['a'])));
export const pickedLines: Uint8Array = picked2(wide, lines(bytes)).bytes;
picked1(wide, 'abc'); // refused: a string is one key: pass an array of keys
picked3(wide, [true]); // refused

// Streams of lines. They look like functions only to Node's pipeline.
omitLines(filter)(); // refused: 'this'
dedupeLines(readable[0] as Filter); // refused
export const texts: TransformStream<Uint8Array, string> = pickLines(filter); // refused
dedupeLines(growing[0] as GrowingFilter);
dedupeLines({ dedupe: (text) => filter.dedupe(blocked.omit(text)) });
dedupeLines({ dedupe: (text) => text.bytes }); // refused
pickLines(filter, { onProgres: () => {} }); // refused
const response = new Response('a');
export const now: Seen = Seen.fromChunks(new Blob([])); // refused
addLines(filter, 'a'); // refused
addLines(filter, response.body); // refused
fileStream(response); // refused
{
  using scoped = new BloomFilter({ capacity: 10 });
  scoped.add('a');
}

declare const error: unknown;
if (error instanceof FilterFullError || error instanceof CuckooFullError) {
  const code: FilterFullErrorCode = error.code;
  keysOf(error.position, error.reason, code === 'MEMORY');
  error.code === 'EMPTY'; // refused: no overlap
}
if (error instanceof SavedFilterError) {
  const code: SavedFilterErrorCode = error.code;
  const asRangeError: RangeError = error;
  keysOf(asRangeError.message.length, error.reason, code === 'KIND' && error.kind === 'cuckoo');
  error.position; // refused: does not exist
}
if (error instanceof FilterMemoryError) keysOf(error.byteLength, error.message, true);
declare function keysOf(position: number, reason: string, is: boolean): void;

const traits: FilterTraits = CuckooFilter.traits;
const least: number = JsBloomFilter.traits.leastErrorRate(1000);
keysOf(least, BinaryFuseFilter.kind, traits.canBeFull);
keysOf(BinaryFuseFilter.sizeFor(1000, { errorRate: 0.001 }).byteLength, 'a', true);
BinaryFuseFilter.sizeFor(1000, { capacity: 7 }); // refused: 'capacity'

declare const migrated: MigratedFilter<string>;
export const migratedFlags: Uint8Array<ArrayBuffer> = migrated.hasMany(new Set(['a']));
export const migratedKeys: 'a'[] = migrated.pick(['a'] as const);
export const fromEach: MigratedFilter<string>[] = [fromBloomFilters({ type: '' }), fromBloomfilter([1], 2)];
fromBloomfilter({ k: 1, buckets: new Int32Array(1) }).has(7n);
migrated.hasMany('a'); // refused: is not assignable to
migrated.has(7); // refused: is not assignable to parameter of type 'string'
fromBloomFilters({ type: 'BloomFilter' }).has(7); // refused: is not assignable to parameter of type 'BloomFiltersKey'
fromBloomfilter(new Uint8Array(4), 2); // refused

declare const opened: OpenedFilter;
export const openedKeys: Promise<'a'[]> = opened.pick(['a'] as const);
opened.hasMany('a'); // refused: is not assignable to

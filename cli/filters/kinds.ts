import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, FilterMemoryError, type FilterTraits } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { DLeftCountingBloomFilter } from 'bloomery/dleft';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { FuseMap } from 'bloomery/fuse-map';
import { GoBloomFilter } from 'bloomery/go';
import { GuavaBloomFilter } from 'bloomery/guava';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { RedisBloomDump } from 'bloomery/redisbloom';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SparkBloomFilter } from 'bloomery/spark';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { StableBloomFilter } from 'bloomery/stable';
import { TombstoneFilter } from 'bloomery/tombstone';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { CommandError } from '../errors.ts';
import { leastRate, plural } from '../numbers.ts';
import type { TextKeys } from '../text/records.ts';

/** The classes of filters to which keys can be added. */
const growingClasses = [
  BloomFilter,
  BlockedBloomFilter,
  CountingBloomFilter,
  WideBlockedBloomFilter,
  CuckooFilter,
  DLeftCountingBloomFilter,
  ScalableBloomFilter,
  RotatingBloomFilter,
  StableBloomFilter,
  FingerprintSet,
] as const;

/** The classes of filters that are made of all their keys at once. */
const wholeClasses = [BinaryFuseFilter] as const;

/** The classes of filters that are built in a temporary file. */
const diskClasses = [ShardedFuseFilter] as const;

/** The classes of filters whose keys have labels, which lines do not give. */
const labeledClasses = [SpatialBloomFilter] as const;

/** The classes of maps, which are made of all their keys and values at once. */
const mapClasses = [FuseMap] as const;

/** The classes of filters that can be made of lines. The static `kind` of each gives its name. */
export const classes = [...growingClasses, ...wholeClasses, ...diskClasses] as const;

/** The classes of filters that can be made of texts. */
export const buildableClasses = [...classes, ...mapClasses] as const;

/** The classes of filters that can be loaded. */
export const readableClasses = [...buildableClasses, ...labeledClasses, TombstoneFilter] as const;

/** The classes of filters in the formats of other systems. The static `kind` of each gives the format its name. */
export const foreignClasses = [GuavaBloomFilter, GoBloomFilter, SparkBloomFilter, ParquetBloomFilter] as const;

/** The classes of filters in formats of other systems that can be loaded. */
export const readableForeignClasses = [...foreignClasses, RedisBloomDump] as const;

export type ForeignClass = (typeof foreignClasses)[number];
export type ForeignFilter = InstanceType<(typeof readableForeignClasses)[number]>;

/** The kinds that are filled about as fast as a text is read: two threads took 1.15 and 1.7 times as long. */
const fastKinds: readonly string[] = [BlockedBloomFilter.kind, WideBlockedBloomFilter.kind];

/** The chance that a set takes two keys for the same one. */
export const SAME_KEY: number = 2 ** -96;
/** The memory of a set in bytes, for each key: 19.6 to 21.1 while it grew from 10^6 keys to 2 · 10^7. */
const SET_BYTES = 20;
/** The most memory that a set can have. */
const LARGEST_SET_BYTES = 2 ** 32;

export type GrowingClass = (typeof growingClasses)[number] | ForeignClass;
export type GrowingFilter = InstanceType<GrowingClass> | ForeignFilter;
export type WholeClass = (typeof wholeClasses)[number];
export type DiskClass = (typeof diskClasses)[number];
export type MapClass = (typeof mapClasses)[number];
export type FilterClass = (typeof classes)[number];
export type BuildableClass = (typeof buildableClasses)[number];
export type ReadableClass = (typeof readableClasses)[number];
export type AnyFilter = ReadableClass['prototype'] | ForeignFilter;

/** The names of the kinds that can be made of texts. */
export const kindNames: readonly string[] = buildableClasses.map(({ kind }) => kind);

/** The names of the formats of other systems in which filters can be made of lines. */
export const formatNames: readonly string[] = foreignClasses.map(({ kind }) => kind);

/** The names of the formats of other systems that can be read. */
export const readableFormatNames: readonly string[] = readableForeignClasses.map(({ kind }) => kind);

/** Whether the keys of filters of this kind have labels. */
export function hasLabels(name: string): boolean {
  return labeledClasses.some(({ kind }) => kind === name);
}

/** The class of a kind. The parser has already checked the name. */
export function classOf(name: string): BuildableClass {
  return buildableClasses.find(({ kind }) => kind === name) ?? BloomFilter;
}

/** The class of a format. The parser has already checked the name. */
export function foreignClassOf(name: string): ForeignClass {
  return foreignClasses.find(({ kind }) => kind === name) ?? ParquetBloomFilter;
}

/** Whether filters of a class, with a secret or without, take keys after they were made. */
export function canGrow(Class: BuildableClass): Class is Extract<FilterClass, GrowingClass> {
  return growingClasses.some(({ kind }) => kind === Class.kind);
}

/** Whether filters of a class, with a secret or without, are built in a temporary file. */
export function isBuiltOnDisk(Class: BuildableClass): Class is DiskClass {
  return diskClasses.some(({ kind }) => kind === Class.kind);
}

/** Whether filters of a kind are maps, which have a value for each key. */
export function hasValues({ kind }: { readonly kind: string }): boolean {
  return mapClasses.some((Class) => Class.kind === kind);
}

/** As `hasValues`, with the type of such filters. */
export function isMap(filter: AnyFilter): filter is FuseMap {
  return hasValues(filter);
}

/** As `hasValues`, with the type of such classes. */
export function makesMaps(Class: BuildableClass): Class is MapClass {
  return hasValues(Class);
}

/** Whether a filter is in the format of another system. */
export function isForeign(filter: { readonly kind: string }): boolean {
  return readableFormatNames.includes(filter.kind);
}

/** Whether a file tells for how many keys a filter was made. Of other formats, only a guess is known. */
export function keepsCapacity(filter: { readonly kind: string }): boolean {
  return !isForeign(filter) || filter.kind === RedisBloomDump.kind;
}

/** Whether one thread fills a filter of this kind faster than several do. */
export function isFast(name: string): boolean {
  return fastKinds.includes(name);
}

/** Whether a filter takes keys without labels. */
export function takesKeys(filter: AnyFilter): filter is GrowingFilter {
  return isForeign(filter) || growingClasses.some(({ kind }) => kind === filter.kind);
}

/** Whether filters of a kind are exact: sets of fingerprints. */
export function isExact(filter: { readonly kind: string }): boolean {
  return filter.kind === FingerprintSet.kind;
}

/** As `isExact`, with the type of such filters. */
export function isSet(filter: AnyFilter): filter is FingerprintSet {
  return isExact(filter);
}

function makesSets(Class: FilterClass | ForeignClass): Class is typeof FingerprintSet {
  return isExact(Class);
}

/** What filters of a kind can do. */
export function traitsOf(filter: { readonly kind: string }): FilterTraits {
  const all = [...readableClasses, ...readableForeignClasses];
  const { traits } = all.find(({ kind }) => kind === filter.kind) ?? BloomFilter;
  return traits;
}

/** Whether filters of this kind keep their error rate however many keys are added: they grow or forget. */
export function isEndless(filter: { readonly kind: string }): boolean {
  const { grows, forgets } = traitsOf(filter);
  return grows || forgets;
}

/** What all kinds have that can be merged. The types do not say that both filters are of the same kind. */
export interface Merging {
  merge(other: AnyFilter): unknown;
}

/** What a filter is made for. */
export interface Wanted {
  readonly capacity: number;
  /** With 1, all keys may look present, which only maps can have. */
  readonly errorRate: number;
  readonly seed?: number | undefined;
  /** The largest value of a map. */
  readonly largest?: number;
}

/** The least error rate of a map with values up to `largest`: they leave so many of 32 bits for fingerprints. */
export function leastRateOfMap(largest: number): number {
  return 2 ** -Math.min(31, Math.clz32(largest));
}

/**
 * Says why the library cannot make a filter, in the words of the command line.
 *
 * @throws the error, if it is about something else
 */
export function refusal(
  { kind, traits }: BuildableClass | ForeignClass,
  { capacity, errorRate, largest = 0 }: Wanted,
  error: unknown,
): string {
  if (error instanceof FilterMemoryError) return error.message;
  if (!(error instanceof RangeError)) throw error;
  if (hasValues({ kind })) {
    const values = largest > 1 ? ` with values up to ${largest}` : '';
    return `a ${kind} needs an --error-rate of at least ${leastRate(leastRateOfMap(largest))}${values}`;
  }
  if (errorRate === 1) return `a ${kind} filter needs an --error-rate of less than 1`;
  const least = traits.leastErrorRate(capacity);
  if (errorRate >= least) return `no ${kind} filter is large enough for so many keys`;
  // Instead of a filter that forgets, no other can be taken.
  const hint = traits.forgets || errorRate < BloomFilter.traits.leastErrorRate(capacity);
  return `a ${kind} filter needs an --error-rate of at least ${leastRate(least)}${hint ? '' : ', a classic one does not'}`;
}

/**
 * Makes an empty filter.
 *
 * @throws CommandError if this kind cannot have that capacity or error rate
 */
export function makeFilter(Class: GrowingClass, wanted: Wanted): GrowingFilter {
  try {
    const { capacity, errorRate, seed } = wanted;
    return makesSets(Class) ? new Class({ capacity, seed }) : new Class({ capacity, errorRate, seed });
  } catch (error) {
    throw new CommandError(refusal(Class, wanted, error), { cause: error });
  }
}

/**
 * Makes an empty set.
 *
 * @param capacity how many keys to reserve memory for
 * @throws CommandError if there is no memory for them
 */
export function makeSet(capacity: number): FingerprintSet {
  try {
    return new FingerprintSet({ capacity });
  } catch (error) {
    if (!(error instanceof FilterMemoryError)) throw error;
    throw new CommandError(`there is no memory for ${plural(capacity, 'key')} in a set, which is exact`, {
      cause: error,
    });
  }
}

/**
 * Makes a filter of all its keys.
 *
 * @throws CommandError if this kind cannot have that error rate or so many keys
 */
export function makeFilterOf(Class: WholeClass, keys: TextKeys, wanted: Omit<Wanted, 'capacity'>): AnyFilter {
  try {
    return Class.from<WholeClass['prototype'], TextKeys>(keys, wanted);
  } catch (error) {
    throw new CommandError(
      refusal(Class, { ...wanted, capacity: 'count' in keys ? keys.count() : keys.length }, error),
      { cause: error },
    );
  }
}

/** The option of a map that says how often absent keys have values. */
export function errorsOf(errorRate: number): { fingerprintBits: number } | { errorRate: number } {
  return errorRate === 1 ? { fingerprintBits: 0 } : { errorRate };
}

/** How large a filter is. */
export type Size = Pick<AnyFilter, 'cellCount' | 'cellBits' | 'hashes' | 'byteLength'>;

/**
 * The size of a filter.
 *
 * @throws CommandError if this kind cannot have that capacity or error rate
 */
export function sizeOf(Class: BuildableClass, wanted: Wanted): Size {
  if (makesMaps(Class))
    return plannedSize(Class, wanted, { ...errorsOf(wanted.errorRate), largest: wanted.largest ?? 0 });
  if (makesSets(Class)) {
    const byteLength = SET_BYTES * wanted.capacity;
    if (byteLength > LARGEST_SET_BYTES) throw new CommandError(`no ${Class.kind} is large enough for so many keys`);
    return { cellCount: wanted.capacity, cellBits: 8 * SET_BYTES, hashes: 1, byteLength };
  }
  if (canGrow(Class)) {
    // Making it is cheap: the system provides memory only where it is written.
    const filter = makeFilter(Class, wanted);
    const { cellCount, cellBits, hashes, byteLength } = filter;
    filter.dispose();
    return { cellCount, cellBits, hashes, byteLength };
  }
  return plannedSize(Class, wanted, { errorRate: wanted.errorRate });
}

/** The size of a filter or a map that would be made with these options. */
function plannedSize<O>(
  Class: (BuildableClass | ForeignClass) & { sizeFor(count: number, options: O): Size },
  wanted: Wanted,
  options: O,
): Size {
  try {
    return Class.sizeFor(wanted.capacity, options);
  } catch (error) {
    throw new CommandError(refusal(Class, wanted, error), { cause: error });
  }
}

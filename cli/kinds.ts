import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter, fingerprintBits, fuseCells } from 'bloomery/fuse';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { CommandError } from './errors.ts';
import type { TextKeys } from './keys.ts';

/** The classes of filters to which keys can be added. */
const growingClasses = [
  BloomFilter,
  BlockedBloomFilter,
  CountingBloomFilter,
  WideBlockedBloomFilter,
  CuckooFilter,
  ScalableBloomFilter,
  RotatingBloomFilter,
] as const;

/** The filter classes that the command line offers. The static `kind` of each gives its name. */
export const classes = [...growingClasses, BinaryFuseFilter] as const;

export type GrowingClass = (typeof growingClasses)[number];
export type GrowingFilter = InstanceType<GrowingClass>;
export type FilterClass = (typeof classes)[number];
export type AnyFilter = FilterClass['prototype'];

/** The names of the kinds on the command line. */
export const kindNames: readonly string[] = classes.map(({ kind }) => kind);

/** The class of a kind. The parser has already checked the name. */
export function classOf(name: string): FilterClass {
  return classes.find(({ kind }) => kind === name) ?? BloomFilter;
}

/** Whether filters of a class take keys after they were made. */
export function canGrow(Class: FilterClass): Class is GrowingClass {
  return (growingClasses as readonly FilterClass[]).includes(Class);
}

/** Whether filters of this kind keep their error rate however many keys are added: they grow or forget. */
export function isEndless({ kind }: { readonly kind: string }): boolean {
  return kind === ScalableBloomFilter.kind || kind === RotatingBloomFilter.kind;
}

/** What a filter is made for. */
export interface Wanted {
  readonly capacity: number;
  readonly errorRate: number;
  readonly seed?: number;
}

const tooMany = ({ kind }: FilterClass): string => `no ${kind} filter is large enough for so many keys`;

/** Says why the library cannot make a filter, in the words of the command line. */
function refusal(Class: FilterClass, { message }: Error): string {
  const { kind } = Class;
  const [, least] = /^errorRate must be at least (?:\S+, which is )?([^\s,]+)/.exec(message) ?? [];
  // Instead of a filter that forgets, no other can be taken.
  const hint = kind === RotatingBloomFilter.kind ? '' : ', a classic one does not';
  if (least) return `a ${kind} filter needs an --error-rate of at least ${least}${hint}`;
  return /more than \d+ bits|^(count|capacity) must/.test(message) ? tooMany(Class) : message;
}

/**
 * Makes an empty filter.
 *
 * @throws CommandError if this kind cannot have that capacity or error rate
 */
export function makeFilter(Class: GrowingClass, wanted: Wanted): GrowingFilter {
  return orRefused(Class, () => new Class(wanted));
}

/**
 * Makes a filter of all its keys.
 *
 * @throws CommandError if there cannot be one of that error rate or of so many keys
 */
export function makeFilterOf(keys: TextKeys, wanted: Omit<Wanted, 'capacity'>): BinaryFuseFilter {
  return orRefused(BinaryFuseFilter, () => BinaryFuseFilter.from<BinaryFuseFilter, TextKeys>(keys, wanted));
}

/** Returns what a function makes, or says why the library refuses it. */
function orRefused<T>(Class: FilterClass, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(refusal(Class, error), { cause: error });
  }
}

/** How large a filter is. */
export type Size = Pick<AnyFilter, 'cellCount' | 'cellBits' | 'hashes' | 'byteLength'>;

/** The most memory that WebAssembly has, and what building a fuse filter takes of it per cell, besides the cell. */
const MEMORY_BITS = 8 * 2 ** 32;
const BUILD_BITS = 8 * 13;

/**
 * The size of a filter.
 *
 * @throws CommandError if this kind cannot have that capacity or error rate
 */
export function sizeOf(Class: FilterClass, wanted: Wanted): Size {
  if (canGrow(Class)) {
    // Making it is cheap: the system provides memory only where it is written.
    const filter = makeFilter(Class, wanted);
    const { cellCount, cellBits, hashes, byteLength } = filter;
    filter.dispose();
    return { cellCount, cellBits, hashes, byteLength };
  }
  return orRefused(Class, () => {
    const cellBits = fingerprintBits(wanted.errorRate);
    const cellCount = fuseCells(wanted.capacity);
    const byteLength = Math.ceil((cellCount * cellBits) / 8);
    if (cellCount * (BUILD_BITS + cellBits) > MEMORY_BITS) throw new CommandError(tooMany(Class));
    return { cellCount, cellBits, hashes: 3, byteLength };
  });
}

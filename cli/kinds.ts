import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';

/** The filter classes that the command line offers. The static `kind` of each gives its name. */
export const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, WideBlockedBloomFilter] as const;

export type AnyFilter = InstanceType<(typeof classes)[number]>;

/** The names of the kinds on the command line. */
export const kindNames: readonly string[] = classes.map(({ kind }) => kind);

/** The class of a kind. The parser has already checked the name. */
export function classOf(name: string): (typeof classes)[number] {
  return classes.find(({ kind }) => kind === name) ?? BloomFilter;
}

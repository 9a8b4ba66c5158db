import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { CommandError } from './errors.ts';

/** The filter classes that the command line offers. The static `kind` of each gives its name. */
export const classes = [BloomFilter, BlockedBloomFilter, CountingBloomFilter, WideBlockedBloomFilter] as const;

export type FilterClass = (typeof classes)[number];
export type AnyFilter = InstanceType<FilterClass>;

/** The names of the kinds on the command line. */
export const kindNames: readonly string[] = classes.map(({ kind }) => kind);

/** The class of a kind. The parser has already checked the name. */
export function classOf(name: string): FilterClass {
  return classes.find(({ kind }) => kind === name) ?? BloomFilter;
}

/** What a filter is made for. */
export interface Wanted {
  readonly capacity: number;
  readonly errorRate: number;
  readonly seed?: number;
}

/** Puts an error of the library into the words of the command line: options and kinds for arguments and classes. */
function inOurWords(message: string): string {
  const kinds = message.replace(/(?:a )?\b(\w*BloomFilter)(?: of [\w/]+)?/g, (text, className: string) => {
    const found = classes.find(({ name }) => name === className);
    return found ? `--kind ${found.kind}` : text;
  });
  return kinds.replaceAll('errorRate', '--error-rate');
}

/**
 * Makes an empty filter.
 *
 * @throws CommandError if this kind cannot have that capacity or error rate
 */
export function makeFilter(Class: FilterClass, wanted: Wanted): AnyFilter {
  try {
    return new Class(wanted);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(inOurWords(error.message), { cause: error });
  }
}

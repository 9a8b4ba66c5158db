import type { Head } from '../format/header.ts';
import type { Engine } from '../kernel/region.ts';
import type { Source } from '../keys/source.ts';
import { requireOptions } from '../util/checks/options.ts';
import { requireSeed } from '../util/checks/validate.ts';
import type { Kind } from './kind.ts';

/** The options of a filter that is made for a capacity and an error rate, rather than of a given size. */
export interface PromiseOptions {
  /** The number of distinct keys to hold, 1 … 2^53 − 1. */
  capacity: number;
  /**
   * The share of absent keys that may look present at capacity, below 1 and no less than what the class allows, see
   * `traits.leastErrorRate`; default 0.01.
   */
  errorRate?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

/** Options that must not be given. */
export type Without<Names extends string> = { [Name in Names]?: undefined };

/** The options of `from`: a capacity, which is the number of keys by default, or all of a size. */
export type FromOptions<Options> = Options extends { capacity: number } ? Partial<Options> : Options;

export const DEFAULT_ERROR_RATE = 0.01;

/** A kind whose class has a constructor. `sizeOf` is called only if the kind has `sizes`. */
type SizedKind = Kind & Required<Pick<Kind, 'sizeFor' | 'sizeOf'>>;

/**
 * Reads the options of a new filter: a capacity and an error rate, or a size. With a size, capacity and error rate are
 * set to 0. If the engine has a seed, so has the filter.
 */
export function headOf(options: unknown, kind: Kind, { seed: only }: Pick<Engine, 'seed'>): Head {
  const {
    sizes,
    options: others = [],
    sizeOf,
    sizeFor,
    cellBits: [least],
  } = kind as SizedKind;
  const example = '{ capacity: 1000, errorRate: 0.01 }';
  const given = requireOptions(options, example, ['capacity', 'errorRate', ...sizes, ...others, 'seed']);
  const isGiven = (name: string): boolean => given[name] !== undefined;
  const isSized = sizes.some(isGiven);
  if (isSized && (isGiven('capacity') || isGiven('errorRate'))) {
    throw new TypeError(`options must give a capacity or ${sizes.join(' and ')}, got both`);
  }
  const promise = isSized ? { capacity: 0, errorRate: 0 } : given;
  const { capacity, errorRate = DEFAULT_ERROR_RATE } = promise as object as PromiseOptions;
  const { cellCount, hashes, cellBits = least, own } = isSized ? sizeOf(given) : sizeFor(capacity, errorRate, given);
  const { seed = only ?? 0 } = given;
  const parameters = { cellCount, hashes, seed: requireSeed(seed, only), capacity, errorRate };
  return { parameters, cellBits, own };
}

/**
 * Returns the options of `from`. If they give neither a capacity nor a size, adds a capacity: the number of keys, or
 * the kind's guess if that is unknown.
 */
export function optionsFor(
  source: Pick<Source, 'count'>,
  { sizes, options: others = [], guess }: Kind,
  options: unknown = {},
): Record<string, unknown> {
  const given = requireOptions(options, '{ errorRate: 0.01 }');
  const names = ['capacity', ...sizes];
  // Each option is read once: it may be inherited, be a getter, or be known only to a subclass. Those that are not given
  // stay absent, because a subclass may spread the options over its defaults.
  const read: Record<string, unknown> = { ...given };
  for (const name of [...names, 'errorRate', ...others, 'seed']) {
    const value = given[name];
    if (value !== undefined) read[name] = value;
  }
  if (names.every((name) => read[name] === undefined)) {
    const count = source.count?.() ?? guess;
    if (count === undefined)
      throw new TypeError('options.capacity must be given, because the number of keys is unknown');
    read['capacity'] = Math.max(1, count);
  }
  return read;
}

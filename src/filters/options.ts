import type { Head } from '../format/header.ts';
import { sourceOf } from '../keys/many.ts';
import { requireOptions } from '../options.ts';
import { requireSeed } from '../validate.ts';
import type { Kind } from './kind.ts';

/** The options of every kind that give a capacity and an error rate, rather than a size. */
export interface PromiseOptions {
  /** The number of distinct keys to hold, 1 … 2^53 − 1. */
  capacity: number;
  /** The share of absent keys that may look present at capacity, between 0 and 1; default 0.01. */
  errorRate?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

/** Options that must not be given. */
export type Without<Names extends string> = { [Name in Names]?: undefined };

export const DEFAULT_ERROR_RATE = 0.01;

/**
 * Reads the options of a new filter: a capacity and an error rate, or a size. With a size, capacity and error rate are
 * set to 0.
 */
export function headOf(
  options: unknown,
  { sizes, options: others = [], sizeOf, sizeFor, cellBits: [least] }: Kind,
): Head {
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
  const { seed = 0 } = given;
  const parameters = { cellCount, hashes, seed: requireSeed(seed), capacity, errorRate };
  return { parameters, cellBits, own };
}

/** Returns the options, with the number of keys as the capacity if they give neither a capacity nor a size. */
export function optionsFor(keys: unknown, { sizes }: Kind, options: unknown = {}): object {
  const source = sourceOf(keys);
  const given = requireOptions(options, '{ errorRate: 0.01 }');
  const names = ['capacity', ...sizes];
  // Read once, and with those that only a subclass knows.
  const read = { ...given, ...Object.fromEntries([...names, 'errorRate', 'seed'].map((name) => [name, given[name]])) };
  if (names.every((name) => read[name] === undefined)) {
    if (source.count === undefined) {
      throw new TypeError('options.capacity must be given, for the number of keys is unknown');
    }
    read['capacity'] = Math.max(1, source.count());
  }
  return read;
}

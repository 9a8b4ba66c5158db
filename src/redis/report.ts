// What is told of a filter in Redis by `check`.

import type { RedisFilterErrorCode } from './error.ts';
import type { StoredParameters } from './parameters.ts';

/** A code of an error that calls reject with, or of something else that is wrong with a filter. */
export type RedisProblemCode =
  | RedisFilterErrorCode
  /** The filter is half made: a client is at it, or has died. */
  | 'UNFINISHED'
  /** Strings are left of filters that are gone. They only take memory. */
  | 'ORPHANS'
  /** The clocks of the masters differ, or one was ahead. */
  | 'CLOCKS'
  /** The filter has more keys than it was made for. */
  | 'OVERFULL';

/** Something that is wrong with a filter. */
export interface RedisProblem {
  readonly code: RedisProblemCode;
  /**
   * `critical` if calls fail, or keys may be absent that were added; `warning` if it may come to that, or if only memory
   * or accuracy is lost; `note` if the user may not know something, so that nobody can tell.
   */
  readonly level: 'critical' | 'warning' | 'note';
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** A sentence that says what to do about it. */
  readonly remedy: string;
}

/** What a filter was made with. */
export interface RedisFilterParameters {
  /** The version of the format: 1, or 2 for a filter with a secret. */
  readonly version: number;
  /** The part of its keys that no other filter has. */
  readonly id: string;
  /** 0 if the filter was made from a number of bits. */
  readonly capacity: number;
  /** 0 if the filter was made from a number of bits. */
  readonly errorRate: number;
  /** The number of bits; of one generation if the filter forgets. */
  readonly bits: number;
  readonly hashes: number;
  /** 2^32 or more if it stands for a secret. */
  readonly seed: number;
  /** In milliseconds; 0 if the filter does not forget. */
  readonly window: number;
  /** Over how many slots the pieces are spread. */
  readonly spread: number;
}

export function parametersIn(filter: StoredParameters): RedisFilterParameters {
  const { bloomery: version, id, capacity, errorRate, bits, hashes, seed, window, groups: spread } = filter;
  return { version, id, capacity, errorRate, bits, hashes, seed, window, spread };
}

/** The bits of a filter, or of one generation. */
export interface RedisBodyReport {
  /** The number of the generation, counted in windows since 1970; null if the filter does not forget. */
  readonly generation: number | null;
  /** The number of pieces that there must be. */
  readonly pieces: number;
  /** The keys of those that are missing. */
  readonly missing: readonly string[];
  /** The keys of those that have another length, or are no strings. */
  readonly damaged: readonly string[];
  /** The share of bits that are set, 0 … 1; null if not all pieces are right. */
  readonly fillRatio: number | null;
  /** About how many keys it has; null if it is full, with a `fillRatio` of 1, or if not all pieces are right. */
  readonly estimatedCount: number | null;
}

/** One of the hashes in Redis that say which filters have pieces in a slot. */
export interface RedisListReport {
  readonly key: string;
  /** Whether it says that the filter is whole, or that its last generation is. */
  readonly isRight: boolean;
  /** The ids of other filters that it has. */
  readonly others: readonly string[];
}

/** A filter that is being made out of sight, or is to be deleted. */
export interface RedisPendingReport {
  readonly id: string;
  /** Whether a client has said within the last ten seconds that it is at work. If not, the next one deletes it. */
  readonly isAtWork: boolean;
}

/** A server that holds parts of a filter, or any master of the cluster. */
export interface RedisMasterReport {
  /** `host:port`; null for a single server. */
  readonly address: string | null;
  /** The version of Redis or Valkey; null, as what follows, if the user may not run INFO. */
  readonly version: string | null;
  readonly policy: string | null;
  /** In bytes; 0 without a limit. */
  readonly maxMemory: number | null;
  /** In bytes. */
  readonly usedMemory: number | null;
  /**
   * How far its clock is ahead of that of this process, in milliseconds; null if the user may not run TIME.
   */
  readonly clockAhead: number | null;
  /** Null, as what follows, if another master does not answer. */
  readonly hasParameters: boolean | null;
  /** The number of lists of the filter. */
  readonly lists: number | null;
  /** The number of pieces of the filter. */
  readonly pieces: number | null;
}

/**
 * What `check` has found. It is the same as JSON: what is unknown is null. If a master does not answer, the problems say
 * which one, and nothing else is known but what the others tell of themselves.
 */
export interface RedisFilterReport {
  readonly name: string;
  /** The worst level of the problems; `ok` if there are none but notes. */
  readonly status: 'ok' | 'warning' | 'critical';
  readonly problems: readonly RedisProblem[];
  /** What the filter was made with, as its lists say if its parameters are gone; null if there is none. */
  readonly parameters: RedisFilterParameters | null;
  /** All lists that the filter must have, and those with other filters. Of one that has forgotten all, there are none. */
  readonly lists: readonly RedisListReport[];
  /** One, or one for each generation that was made and has not expired. */
  readonly bodies: readonly RedisBodyReport[];
  readonly pending: readonly RedisPendingReport[];
  /** The keys of pieces that no filter has; null if they were not looked for. */
  readonly orphans: readonly string[] | null;
  /** The bytes of the bits, as they follow from the parameters; null if a master does not answer. */
  readonly byteLength: number | null;
  /** The bytes that Redis takes for the pieces; null if the user may not run MEMORY USAGE. */
  readonly memory: number | null;
  readonly masters: readonly RedisMasterReport[];
}

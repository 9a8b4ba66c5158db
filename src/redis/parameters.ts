// The parameters of a filter. Redis has them as JSON under the filter's name.

import type { FilterParameters } from '../format/header.ts';
import { WORDS } from '../kinds/blocked/sizing.ts';
import { isCount, isPromise } from '../util/checks/received.ts';
import { isObject, SECRETS, show, showSeed } from '../util/checks/validate.ts';
import { foreign, gone, RedisFilterError } from './error.ts';
import { digestOf } from './hashes.ts';
import { isId, isLocation, type Location, type Partition, partitionFor } from './layout.ts';

/** The most milliseconds of a window. */
export const MAX_WINDOW: number = 2 ** 45;

/**
 * The version of the parameters of a filter: 1 without a secret, 2 with one. Versions of the package without secrets know
 * only version 1: they would hash keys without the secret.
 */
type Version = 1 | 2;

function versionFor(seed: number): Version {
  return seed < SECRETS ? 1 : 2;
}

/**
 * While `creating`, some pieces may be missing. A client that opens the filter makes them. A filter that forgets makes
 * its pieces later, and is `creating` while `fromLocal` fills it: only its content can finish it.
 */
const STATES = ['creating', 'ready'] as const;
type State = (typeof STATES)[number];

/** A filter in Redis. */
export interface StoredParameters extends Location {
  readonly bloomery: Version;
  readonly kind: 'blocked';
  readonly bits: number;
  readonly hashes: number;
  /** 2^32 or more if it stands for a secret. */
  readonly seed: number;
  /** 0 if the filter was made from a number of bits. */
  readonly capacity: number;
  /** 0 if the filter was made from a number of bits. */
  readonly errorRate: number;
  /** For how many milliseconds it knows a key at least; 0 if forever. */
  readonly window: number;
  /** The id of the first filter in a chain of replacements. `clear` keeps it. */
  readonly origin: string;
  /** A hash of all but the state. */
  readonly check: string;
  readonly state: State;
}

type Unchecked = Omit<StoredParameters, 'check' | 'state'>;

/** The names of all parameters but the check and the state, in the order in which they are written. */
const NAMES = [
  ...(['bloomery', 'kind', 'bits', 'hashes', 'seed', 'capacity', 'errorRate', 'window'] as const),
  ...(['pieceBlocks', 'groups', 'id', 'origin'] as const),
] as const satisfies readonly (keyof Unchecked)[];

/** A hash of all but the state. */
export function checkOf(unchecked: Unchecked): string {
  return digestOf(JSON.stringify(NAMES.map((name) => unchecked[name])));
}

function seal(unchecked: Unchecked, state: State): StoredParameters {
  const filter = Object.fromEntries(NAMES.map((name) => [name, unchecked[name]])) as object as Unchecked;
  return { ...filter, check: checkOf(filter), state };
}

/** Parameters with a random id, so that no client can mistake the filter for another one of the same name. */
function describe(
  { cellCount, seed, capacity, errorRate }: FilterParameters,
  { pieceBlocks, groups }: Partition,
  window: number,
  state: State,
  origin?: string,
): StoredParameters {
  const id = crypto.randomUUID().replaceAll('-', '').slice(-16);
  const bloomery = versionFor(seed);
  const filter = { bloomery, kind: 'blocked', bits: cellCount, hashes: WORDS, seed, capacity } as const;
  return seal({ ...filter, errorRate, window, pieceBlocks, groups, id, origin: origin ?? id }, state);
}

/** Parameters of a filter that is published first and made afterwards. */
export function describeNew(parameters: FilterParameters, spread: number): StoredParameters {
  return describe(parameters, partitionFor(parameters.cellCount, spread), 0, 'creating');
}

/** Parameters of a filter that forgets. Without content, it is ready at once: its pieces are made for each generation. */
export function describeRotating(
  parameters: FilterParameters,
  spread: number,
  window: number,
  state: State = 'ready',
): StoredParameters {
  return describe(parameters, partitionFor(parameters.cellCount, spread), window, state);
}

/** Parameters of a filter that is written before it is published, given the one that it replaces. */
export function describeWritten(
  parameters: FilterParameters,
  shape: Partition,
  old: StoredParameters | undefined,
): StoredParameters {
  return describe(parameters, shape, 0, 'ready', old?.origin);
}

/** The same parameters after all pieces were made. */
export function finished(stored: StoredParameters): StoredParameters {
  return { ...stored, state: 'ready' };
}

export function parametersOf({ bits, hashes, seed, capacity, errorRate }: StoredParameters): FilterParameters {
  return { cellCount: bits, hashes, seed, capacity, errorRate };
}

/** Whether a filter could have these parameters, whatever their check is. */
function arePossible(value: Partial<StoredParameters>): value is StoredParameters {
  const { bloomery, hashes, seed, capacity, errorRate, window, origin, state } = value;
  return (
    hashes === WORDS &&
    isCount(seed, 0, 2 * SECRETS - 1) &&
    bloomery === versionFor(seed) &&
    isPromise(capacity, errorRate) &&
    isCount(window, 0, MAX_WINDOW) &&
    isLocation(value) &&
    isId(origin) &&
    STATES.some((each) => each === state)
  );
}

/** Reads and checks the parameters that Redis has under a name. */
export function parse(name: string, text: string): StoredParameters {
  let value: Partial<StoredParameters> | undefined;
  try {
    value = JSON.parse(text) as Partial<StoredParameters>;
  } catch {}
  if (!isObject(value) || !('bloomery' in value)) throw foreign(name);
  const { bloomery, kind } = value;
  if ((bloomery !== 1 && bloomery !== 2) || kind !== 'blocked') {
    const shown = `version ${show(bloomery)} and kind ${show(kind)}`;
    throw new RedisFilterError('VERSION', `"${name}" has ${shown}, which this version of bloomery does not know`);
  }
  // Replacing parameters compares texts, so only the one spelling that this package writes is valid.
  if (!arePossible(value) || JSON.stringify(seal(value, value.state)) !== text) {
    throw new RedisFilterError('DAMAGED', `the parameters of "${name}" are damaged`);
  }
  return value;
}

/** The parameters that users choose or that follow from their choice. */
const CHOSEN = ['window', 'capacity', 'errorRate', 'seed', 'bits'] as const;
const ALL = [...CHOSEN, 'pieceBlocks', 'groups'] as const;

/**
 * Throws an error that names the first parameter in which a filter differs from the wanted one.
 *
 * @param names what to compare; by default not how the filter is spread, which its maker decided
 */
export function requireSame(
  name: string,
  stored: StoredParameters,
  wanted: StoredParameters,
  names: readonly (keyof StoredParameters)[] = CHOSEN,
): void {
  const differs = names.find((each) => stored[each] !== wanted[each]);
  if (differs === undefined) return;
  const show = ({ [differs]: value }: StoredParameters): string =>
    differs === 'seed' ? showSeed(Number(value)) : String(value);
  const was = `${show(stored)}, as the filter was made, got ${show(wanted)}`;
  throw new RedisFilterError('MISMATCH', `${differs} of "${name}" must be ${was}`);
}

/**
 * Throws an error unless a filter was made under the secret of the class that opens it, or under none if that has none.
 *
 * @param only the seed that stands for the secret of the class
 */
export function requireSecret(name: string, { seed }: StoredParameters, only: number | undefined): void {
  if (only === undefined ? seed < SECRETS : seed === only) return;
  const how = seed < SECRETS ? 'without a secret' : `under ${showSeed(seed)}`;
  const got = only === undefined ? 'none' : showSeed(only);
  throw new RedisFilterError('SECRET', `"${name}" was made ${how}, got ${got}: see keyed`);
}

/** Throws an error if a filter that forgets is opened as one that does not, or the other way round. */
export function requireKind(name: string, stored: StoredParameters, isRotating: boolean): void {
  if (stored.window > 0 === isRotating) return;
  const Class = stored.window > 0 ? 'RotatingRedisBloomFilter' : 'RedisBloomFilter';
  throw new RedisFilterError('MISMATCH', `"${name}" must be opened as the ${Class} that it is`);
}

/**
 * Throws unless a filter is the known one, or took its place by `clear` or by a replacement with the same parameters.
 *
 * @throws RedisFilterError MISMATCH, or ABSENT if the known one is gone and another was made since
 */
export function requireSuccessor(name: string, found: StoredParameters, known: StoredParameters): void {
  requireKind(name, found, known.window > 0);
  requireSame(name, found, known, ALL);
  if (found.origin !== known.origin) throw gone(name);
}

// The parameters of a filter, which Redis keeps as JSON under the filter's name.

import type { FilterParameters } from '../format/header.ts';
import { WORDS } from '../sizing-blocked.ts';
import { digestOf } from './digest.ts';
import { foreign, RedisFilterError } from './error.ts';
import { isPlaced, type Placed, type Shape, shapeFor } from './layout.ts';

const VERSION = 1;

/**
 * Where the filter is on its way to being usable: while `creating`, its pieces may not have been made; while
 * `replacing`, those of the filter that it replaced may not have been deleted. Whoever opens it finishes what another
 * left undone.
 */
const STATES = ['creating', 'replacing', 'ready'] as const;
export type State = (typeof STATES)[number];

/** A filter in Redis. */
export interface Stored extends Placed {
  readonly bloomery: typeof VERSION;
  readonly kind: 'blocked';
  readonly bits: number;
  readonly hashes: number;
  readonly seed: number;
  /** 0 if the filter was made from a number of bits. */
  readonly capacity: number;
  /** 0 if the filter was made from a number of bits. */
  readonly errorRate: number;
  /** For how many milliseconds it knows a key at least; 0 if for ever. */
  readonly window: number;
  /** What this filter has replaced, until its pieces are deleted. */
  readonly replaced: Placed | null;
  /** A hash of all but the state. */
  readonly check: string;
  readonly state: State;
}

type Unchecked = Omit<Stored, 'check' | 'state'>;

/** A hash of all but the state. */
export function checkOf({
  bloomery,
  kind,
  bits,
  hashes,
  seed,
  capacity,
  errorRate,
  window,
  pieceBlocks,
  groups,
  id,
  replaced,
}: Unchecked): string {
  const filter = [bloomery, kind, bits, hashes, seed, capacity, errorRate, window, pieceBlocks, groups, id];
  const old = replaced ? [replaced.bits, replaced.id, replaced.pieceBlocks, replaced.groups] : [];
  return digestOf(JSON.stringify([...filter, ...old]));
}

function seal(unchecked: Unchecked, state: State): Stored {
  return { ...unchecked, check: checkOf(unchecked), state };
}

function unsealed({ cellCount, seed, capacity, errorRate }: FilterParameters, shape: Shape): Omit<Unchecked, 'id'> {
  const filter = {
    bloomery: VERSION,
    kind: 'blocked',
    bits: cellCount,
    hashes: WORDS,
    seed,
    capacity,
    errorRate,
    window: 0,
  } as const;
  return { ...filter, ...shape, replaced: null };
}

/**
 * Describes a filter that is to be made. Its id follows from the parameters: if they are lost, whoever makes the filter
 * again finds the same pieces, while two ids by chance would split the keys in two filters.
 */
export function describeNew(parameters: FilterParameters, spread: number): Stored {
  const filter = unsealed(parameters, shapeFor(parameters.cellCount, spread));
  return seal({ ...filter, id: digestOf(JSON.stringify(filter)) }, 'creating');
}

/** Describes a filter that forgets. Its pieces are made for each generation, so that it is ready at once. */
export function describeRotating(parameters: FilterParameters, spread: number, window: number): Stored {
  const filter = { ...unsealed(parameters, shapeFor(parameters.cellCount, spread)), window };
  return seal({ ...filter, id: digestOf(JSON.stringify(filter)) }, 'ready');
}

/** Describes a filter that is written before others see it, under an id by chance, and what it replaces. */
export function describeWritten(parameters: FilterParameters, shape: Shape, old: Stored | undefined): Stored {
  const id = crypto.randomUUID().replaceAll('-', '').slice(-16);
  const { pieceBlocks, groups } = shape;
  const replaced = old ? { bits: old.bits, id: old.id, pieceBlocks: old.pieceBlocks, groups: old.groups } : null;
  return seal({ ...unsealed(parameters, { pieceBlocks, groups }), id, replaced }, old ? 'replacing' : 'ready');
}

/** The parameters of a filter after its pieces are made and the pieces of the filter before it deleted. */
export function finished(stored: Stored): Stored {
  return seal({ ...stored, replaced: null }, 'ready');
}

export function parametersOf({ bits, hashes, seed, capacity, errorRate }: Stored): FilterParameters {
  return { cellCount: bits, hashes, seed, capacity, errorRate };
}

/** Reads what Redis keeps under a name. */
export function parse(name: string, text: string): Stored {
  let value: Partial<Stored> | undefined;
  try {
    value = JSON.parse(text) as Partial<Stored>;
  } catch {}
  if (typeof value !== 'object' || value === null || !('bloomery' in value)) throw foreign(name);
  if (value.bloomery !== VERSION || value.kind !== 'blocked') {
    const shown = `version ${String(value.bloomery)} and kind ${String(value.kind)}`;
    throw new RedisFilterError('VERSION', `"${name}" has ${shown}, of which this version of bloomery does not know`);
  }
  const { state, replaced, check } = value;
  const isState = STATES.some((each) => each === state);
  // The pieces of what is replaced will be deleted.
  const isValid = isState && isPlaced(value) && (replaced === null || isPlaced(replaced ?? {}));
  // Another spelling could never be replaced, which compares texts.
  if (!isValid || checkOf(value as Stored) !== check || JSON.stringify(value) !== text) {
    throw new RedisFilterError('DAMAGED', `the parameters of "${name}" are damaged`);
  }
  return value as Stored;
}

/** What users choose, and what follows from it. */
const CHOSEN = ['window', 'capacity', 'errorRate', 'seed', 'bits'] as const;
const ALL = [...CHOSEN, 'pieceBlocks', 'groups'] as const;

/**
 * Throws an error that names the first parameter in which a filter differs from the one that is wanted.
 *
 * @param names what to compare; by default not how it is spread, which whoever made it decided
 */
export function requireSame(
  name: string,
  stored: Stored,
  wanted: Stored,
  names: readonly (keyof Stored)[] = CHOSEN,
): void {
  const differs = names.find((each) => stored[each] !== wanted[each]);
  if (differs === undefined) return;
  const was = `${stored[differs]}, as the filter was made, got ${wanted[differs]}`;
  throw new RedisFilterError('MISMATCH', `${differs} of "${name}" must be ${was}`);
}

/** Throws an error unless a filter forgets, or does not, as is wanted. */
export function requireKind(name: string, stored: Stored, isRotating: boolean): void {
  if (stored.window > 0 === isRotating) return;
  const Class = stored.window > 0 ? 'RotatingRedisBloomFilter' : 'RedisBloomFilter';
  throw new RedisFilterError('MISMATCH', `"${name}" must be opened as the ${Class} that it is`);
}

/** Throws unless a filter can take the place of another, to which keys are on their way. */
export function requireAlike(name: string, found: Stored, known: Stored): void {
  requireKind(name, found, known.window > 0);
  requireSame(name, found, known, ALL);
}

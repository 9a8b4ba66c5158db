// All kinds of filters. A new kind is a row in sized-kinds.ts or promised-kinds.ts, and its name here.

import { bitsOf, type KindRow } from './kind-row.ts';
import { rotating, scalable, stable, tombstone } from './promised-kinds.ts';
import { atMost, smallest } from './search.ts';
import { blocked, classic, counting, cuckoo, dleft, fuse, spatial, TOLERANCE, wide } from './sized-kinds.ts';

export const kinds: readonly KindRow[] = [
  classic,
  blocked,
  wide,
  counting,
  cuckoo,
  dleft,
  fuse,
  tombstone,
  scalable,
  rotating,
  stable,
  spatial,
];

export function kindNamed(name: string | null): KindRow | undefined {
  return kinds.find(({ kind }) => kind === name);
}

/** The row of a kind. `name` must be that of a row. */
export function rowNamed(name: string): KindRow {
  return kindNamed(name) ?? classic;
}

/** Whether a filter can be made, and takes at most `bits` bits. */
function fits(row: KindRow, capacity: number, errorRate: number, bits: number): boolean {
  try {
    return bitsOf(row.shapeFor(capacity, errorRate)) <= bits;
  } catch {
    // There is no such filter, because it would have to be larger than any.
    return false;
  }
}

/** The most keys that a filter of a kind holds at `errorRate` in at most `bits` bits; 0 if not even one. */
export function capacityIn(row: KindRow, bits: number, errorRate: number, hashes?: number): number {
  const { sizing, rateAt } = row;
  return atMost(Math.min(bits, row.mostKeys), (capacity) => {
    if (sizing === undefined || rateAt === undefined) return fits(row, capacity, errorRate, bits);
    const shape = sizing.shapeOf(bits, capacity, hashes);
    return bitsOf(shape) <= bits && rateAt(capacity, shape) <= TOLERANCE * errorRate;
  });
}

/** Error rates of three digits, in ascending order, from 10^-76 on. */
const LEAST_EXPONENT = 76;
const STEPS_OF_DECADE = 900;
function rateOfStep(step: number): number {
  const decade = Math.floor(step / STEPS_OF_DECADE);
  const digits = 100 + (step % STEPS_OF_DECADE);
  return Number(`${digits}e${decade - LEAST_EXPONENT - 2}`);
}
const LAST_STEP = STEPS_OF_DECADE * LEAST_EXPONENT - 1;

/**
 * The least error rate of three digits that a filter for `capacity` keys keeps in at most `bits` bits, for a kind that is
 * made of a capacity and an error rate; undefined if there is none.
 */
export function leastRateIn(row: KindRow, bits: number, capacity: number): number | undefined {
  const step = smallest(
    1,
    (each) => each > LAST_STEP || (rateOfStep(each) >= row.leastRate && fits(row, capacity, rateOfStep(each), bits)),
  );
  return step > LAST_STEP ? undefined : rateOfStep(step);
}

// Which kind to take, at the numbers that were chosen.

import { bitsOf, type KindRow, kinds } from './kinds.ts';
import { Refusal, shapeFor } from './limits.ts';

export interface Asked {
  readonly capacity: number;
  readonly errorRate: number;
}

function bitsFor(row: KindRow, { capacity, errorRate }: Asked): number {
  try {
    return bitsOf(shapeFor(row, capacity, errorRate));
  } catch (error) {
    if (error instanceof Refusal) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** When to take a kind, and which is the smallest of those to which keys can be added. */
export function adviceOn(chosen: KindRow, { capacity, errorRate }: Partial<Asked>): string {
  if (!chosen.grows || !capacity || !errorRate) return chosen.why;
  const sizes = kinds
    .filter(({ grows }) => grows)
    .map((row) => ({ row, bits: bitsFor(row, { capacity, errorRate }) }))
    .sort((a, b) => a.bits - b.bits);
  const [{ row, bits } = { row: chosen, bits: Number.POSITIVE_INFINITY }] = sizes;
  if (bits === Number.POSITIVE_INFINITY) return chosen.why;
  const subject = row === chosen ? 'It' : `A ${row.kind} filter`;
  return `${chosen.why} ${subject} is the smallest here to which keys can be added.`;
}

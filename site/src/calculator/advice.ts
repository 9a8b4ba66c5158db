// Advice on which kind to take at the chosen numbers.

import { bitsOf, type KindRow, kinds } from './kinds.ts';
import { shapeIfAny } from './limits.ts';

export interface Asked {
  readonly capacity: number;
  readonly errorRate: number;
}

/** When to take the chosen kind, and which kind is the smallest that takes new keys. */
export function adviceOn(chosen: KindRow, { capacity, errorRate }: Partial<Asked>): string {
  if (!chosen.grows || !capacity || !errorRate) return chosen.why;
  const [smallest] = kinds
    .filter(({ grows }) => grows)
    .flatMap((row) => {
      const shape = shapeIfAny(row, capacity, errorRate);
      return shape ? [{ row, bits: bitsOf(shape) }] : [];
    })
    .sort((one, other) => one.bits - other.bits);
  if (smallest === undefined) return chosen.why;
  const subject = smallest.row === chosen ? 'It' : `A ${smallest.row.kind} filter`;
  return `${chosen.why} ${subject} is the smallest here to which keys can be added.`;
}

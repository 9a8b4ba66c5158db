// The limits of filters, and messages about them for the page.

import { byteSize, rareRate } from '../format.ts';
import { bitsOf, type KindRow, type Shape } from './kind-row.ts';

export type Field = 'capacity' | 'errorRate' | 'bits' | 'hashes';

/** The values that each field takes, in words. */
export const wanted: Readonly<Record<Field, string>> = {
  capacity: 'A whole number of keys, such as 1,000,000 or 1M.',
  errorRate: 'Between 0 and 1, such as 0.01, 1 % or 1 in 100.',
  bits: 'A number of bits, or a size such as 64 MB.',
  hashes: 'A whole number from 1 to 255, or nothing.',
};

/** Why there is no such filter. */
export class Refusal extends Error {
  /** The field to change, if the refusal is about one field. */
  readonly field: Field | undefined;

  constructor(message: string, field?: Field) {
    super(message);
    this.field = field;
  }
}

/** The memory of WebAssembly, less what the library itself needs. */
const MOST_BYTES = 2 ** 32 - 2 ** 20;

export function requireRate({ kind, leastRate, rarer }: KindRow, errorRate: number): void {
  if (errorRate >= leastRate) return;
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const advice = rarer === undefined ? '' : `: take ${rarer}`;
  throw new Refusal(`${name} filters go down to ${rareRate(leastRate)}${advice}.`, 'errorRate');
}

export function requireRoom({ buildBits }: KindRow, bits: number, cells = 0): void {
  const bytes = (bits + cells * buildBits) / 8;
  if (bytes <= MOST_BYTES) return;
  const takes = cells * buildBits > 0 ? 'Building it takes' : 'It takes';
  throw new Refusal(`${takes} ${byteSize(bytes)}: at most ${byteSize(MOST_BYTES)} fit. Divide the keys.`);
}

/**
 * The shape of a filter, if there can be one.
 *
 * @throws Refusal for an impossible size, and for more keys than the library's formulas allow
 */
export function checked(row: KindRow, makeShape: () => Shape): Shape {
  let shape: Shape;
  try {
    shape = makeShape();
  } catch {
    throw new Refusal(`Too many keys for one ${row.kind} filter: divide them.`);
  }
  requireRoom(row, bitsOf(shape), shape.cells);
  return shape;
}

/**
 * The smallest filter that holds `capacity` keys at `errorRate`.
 *
 * @throws Refusal if this kind has none
 */
export function shapeFor(row: KindRow, capacity: number, errorRate: number, hashes?: number): Shape {
  requireRate(row, errorRate);
  return checked(row, () => row.shapeFor(capacity, errorRate, hashes));
}

// Capacity, error rate, bits and hashes: what is given, and what follows from it.

import { bitsOf, capacityIn, type KindRow, kindNamed, kinds, type Shape } from './kinds.ts';

/** Two of these are given, and the third follows. */
export const quantities = ['capacity', 'errorRate', 'bits'] as const;
export type Quantity = (typeof quantities)[number];

export interface Question {
  readonly kind: string;
  /** The two that are given, the one that was changed last at the end. */
  readonly given: readonly [Quantity, Quantity];
  readonly values: Readonly<Partial<Record<Quantity, number>>>;
  /** The number of hashes, if it is not to follow. */
  readonly hashes?: number | undefined;
}

export interface Answer {
  readonly row: KindRow;
  readonly capacity: number;
  /** The error rate when the filter holds `capacity` keys. */
  readonly errorRate: number;
  readonly shape: Shape;
}

export const first: Question = {
  kind: 'classic',
  given: ['capacity', 'errorRate'],
  values: { capacity: 1_000_000, errorRate: 0.01 },
};

/** The quantity that follows from the others. */
export function following({ given }: Question): Quantity {
  return quantities.find((each) => !given.includes(each)) as Quantity;
}

/** The question after one of the quantities was changed: of the other two, the one that was changed last stays. */
export function changed(question: Question, answer: Answer, quantity: Quantity, value: number): Question {
  const { given } = question;
  const kept = given[1] === quantity ? given[0] : given[1];
  const values = { capacity: answer.capacity, errorRate: answer.errorRate, bits: bitsOf(answer.shape) };
  const keptValue = question.values[kept] ?? values[kept];
  return { ...question, given: [kept, quantity], values: { [kept]: keptValue, [quantity]: value } };
}

/**
 * Solves a question.
 *
 * @throws RangeError if the kind has no such filter
 */
export function solve({ kind, given, values, hashes: wanted }: Question): Answer {
  const row = kindNamed(kind) ?? (kinds[0] as KindRow);
  const hashes = row.choosesHashes ? wanted : undefined;
  const { capacity = 1, errorRate = 0.01, bits = 1 } = values;
  if (!given.includes('bits')) {
    const shape = row.shapeFor(capacity, errorRate, hashes);
    return { row, capacity, errorRate, shape };
  }
  const held = given.includes('capacity') ? capacity : capacityIn(row, bits, errorRate, hashes);
  if (held < 1) throw new RangeError('Not even one key fits: more bits or a higher error rate are needed.');
  const shape = row.shapeOf(bits, held, hashes);
  return { row, capacity: held, errorRate: row.rateAt(held, shape), shape };
}

// Computes the missing one of capacity, error rate and bits from the other two.

import { integer } from '../format.ts';
import { TOLERANCE } from './families.ts';
import { bitsOf, type KindRow, type Shape, shapeIfPossible } from './kind-row.ts';
import { rowNamed } from './kinds.ts';
import { checked, type Field, Refusal, requireRate, requireRoom, shapeFor, wanted } from './limits.ts';
import { atMost, smallest } from './search.ts';

/** Two of these are given, and the third follows. */
export const quantities = ['capacity', 'errorRate', 'bits'] as const;
export type Quantity = (typeof quantities)[number];

export interface Question {
  readonly kind: string;
  /** The two given quantities. The last is the one that the user changed last. */
  readonly given: readonly [Quantity, Quantity];
  /** The values of the given quantities; NaN for one that cannot be read. */
  readonly values: Readonly<Partial<Record<Quantity, number>>>;
  /** The number of hashes, if the user has chosen it. */
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

/** The question after the user has changed a quantity. Of the other two, the one that was changed last stays. */
export function changed(question: Question, quantity: Quantity, value: number): Question {
  const { given, values } = question;
  const kept = given[1] === quantity ? given[0] : given[1];
  return { ...question, given: [kept, quantity], values: { [kept]: values[kept], [quantity]: value } };
}

export function rowOf({ kind }: Question): KindRow {
  return rowNamed(kind);
}

/** The field that cannot be read, if there is one. */
export function unread(question: Question): Field | undefined {
  const { given, values, hashes } = question;
  const quantity = given.find((each) => Number.isNaN(values[each]));
  return quantity ?? (rowOf(question).choosesHashes && Number.isNaN(hashes) ? 'hashes' : undefined);
}

/**
 * Solves a question for its kind, or for another one.
 *
 * @throws Refusal if a field cannot be read, or the kind has no such filter
 */
export function solve(question: Question, row: KindRow = rowOf(question)): Answer {
  const field = unread(question);
  if (field !== undefined) throw new Refusal(wanted[field], field);
  const answer = solveFor(row, question);
  // The code shows the error rate in three digits.
  if (Number(answer.errorRate.toPrecision(3)) >= 1) throw new Refusal('Every absent key would look present.');
  return answer;
}

/** The answer of a kind, or why it has none. */
export function answerOf(question: Question, row: KindRow): Answer | Refusal {
  try {
    return solve(question, row);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Whether a filter can be made, and takes at most `bits` bits. */
function fits(row: KindRow, capacity: number, errorRate: number, bits: number): boolean {
  const shape = shapeIfPossible(row, capacity, errorRate);
  return shape !== undefined && bitsOf(shape) <= bits;
}

/** The most keys that a filter of a kind holds at `errorRate` in at most `bits` bits; 0 if not even one. */
function capacityIn(row: KindRow, bits: number, errorRate: number, hashes?: number): number {
  const { sizing, rateAt } = row;
  return atMost(Math.min(bits, row.mostKeys), (capacity) => {
    if (sizing === undefined || rateAt === undefined) return fits(row, capacity, errorRate, bits);
    const shape = sizing.shapeOf(bits, capacity, hashes);
    return bitsOf(shape) <= bits && rateAt(capacity, shape) <= TOLERANCE * errorRate;
  });
}

/** Error rates of three digits, in ascending order, from 10^-76 on. So many steps of a decade leave none out. */
const STEPS_OF_DECADE = 2500;
const rateOfStep = (step: number): number => Number((10 ** (step / STEPS_OF_DECADE - 76)).toPrecision(3));
const LAST_STEP = STEPS_OF_DECADE * 76 - 1;

/**
 * The least error rate of three digits that a filter for `capacity` keys keeps in at most `bits` bits, for a kind that is
 * made of a capacity and an error rate.
 *
 * @throws Refusal if there is none
 */
function leastRateIn(row: KindRow, bits: number, capacity: number): number {
  const step = smallest(
    1,
    (each) => each > LAST_STEP || (rateOfStep(each) >= row.leastRate && fits(row, capacity, rateOfStep(each), bits)),
  );
  if (step > LAST_STEP) throw new Refusal(`No ${row.kind} filter of so few bits holds so many keys.`);
  return rateOfStep(step);
}

function solveFor(row: KindRow, { given, values, hashes: chosen }: Question): Answer {
  const hashes = row.choosesHashes ? chosen : undefined;
  const { capacity = 1, errorRate = 0.01, bits = 1 } = values;
  if (!given.includes('bits')) return { row, capacity, errorRate, shape: shapeFor(row, capacity, errorRate, hashes) };
  requireRoom(row, bits);
  const keepsRate = given.includes('errorRate');
  if (keepsRate) requireRate(row, errorRate);
  const held = given.includes('capacity') ? capacity : capacityIn(row, bits, errorRate, hashes);
  if (held < 1) throw new Refusal('Not even one key fits: more bits or a higher error rate are needed.');
  const { sizing, rateAt } = row;
  if (sizing === undefined || rateAt === undefined) {
    const rate = keepsRate ? errorRate : leastRateIn(row, bits, held);
    return { row, capacity: held, errorRate: rate, shape: shapeFor(row, held, rate) };
  }
  const shape = checked(row, () => sizing.shapeOf(bits, held, hashes));
  if (bitsOf(shape) > bits) throw new Refusal(`It takes at least ${integer(bitsOf(shape))} bits.`);
  return { row, capacity: held, errorRate: rateAt(held, shape), shape };
}

/** Whether the filter of an answer is made from a size, not from a capacity and an error rate. */
export function isSized({ given, hashes }: Question, { row }: Answer): boolean {
  if (row.sizing === undefined) return false;
  return given.includes('bits') || (hashes !== undefined && row.choosesHashes);
}

/** The bits of an answer for each key. */
export function bitsPerKey({ shape, capacity }: Answer): number {
  return bitsOf(shape) / capacity;
}

/** The values of an answer, as they can be asked for again: a filter may err more rarely than one can be asked to. */
function valuesOf({ row, capacity, errorRate, shape }: Answer): Readonly<Record<Quantity, number>> {
  return { capacity, errorRate: Math.max(row.leastRate, Number(errorRate.toPrecision(3))), bits: bitsOf(shape) };
}

/** The question after the user asks for another quantity. The other two keep the values that the answer has. */
export function seeking(question: Question, quantity: Quantity): Question {
  const found = answerOf(question, rowOf(question));
  const values =
    found instanceof Refusal
      ? { capacity: 1_000_000, errorRate: 0.01, bits: 10_000_000, ...question.values }
      : valuesOf(found);
  const [one, other] = quantities.filter((each) => each !== quantity) as [Quantity, Quantity];
  return { ...question, given: [one, other], values: { [one]: values[one], [other]: values[other] } };
}

// The same question to all kinds: the rows of the table, and the facts of a few kinds side by side.

import { byteSize, integer, rareRate, short } from '../format.ts';
import { bitsOf, bytesOf, type KindRow, type Past } from './kind-row.ts';
import { kinds } from './kinds.ts';
import { Refusal } from './limits.ts';
import { type Answer, answerOf, bitsPerKey, following, type Quantity, type Question } from './solve.ts';
import { transferOf } from './transfer.ts';

const twoDigits = (rate: number): string => rareRate(Number(rate.toPrecision(2)));

interface Sought {
  /** The name of its column. */
  readonly name: string;
  in(answer: Answer): string;
}

/** What follows from a question, by the quantity. */
export const sought: Readonly<Record<Quantity, Sought>> = {
  bits: { name: 'size', in: ({ shape }) => byteSize(bytesOf(shape)) },
  capacity: { name: 'keys that fit', in: ({ capacity }) => integer(capacity) },
  errorRate: { name: 'error rate', in: ({ errorRate }) => twoDigits(errorRate) },
};

/** More bits per key than anybody needs. Their exact number would not fit into a narrow table. */
const MOST_PER_KEY = 10_000;

/**
 * What a kind says in the table: what follows from the question, the bits per key and the hashes, and what it is best
 * for; or, without figures, why there is no such filter.
 */
export function tableRow(question: Question, row: KindRow): { figures: readonly string[]; text: string } {
  const answer = answerOf(question, row);
  if (answer instanceof Refusal) return { figures: [], text: answer.message };
  const perKey = bitsPerKey(answer);
  const figures = [
    sought[following(question)].in(answer),
    perKey > MOST_PER_KEY ? `> ${integer(MOST_PER_KEY)}` : short(perKey),
    String(answer.shape.hashes),
  ];
  return { figures, text: row.bestFor };
}

const pasts: Readonly<Record<Past, string>> = {
  errs: 'it errs more often',
  refuses: 'it refuses them',
  grows: 'it grows',
  forgets: 'it forgets old ones',
  complete: 'it takes none',
};

function factsOf(answer: Answer, question: Question, megabits: number): readonly (readonly [string, string])[] {
  const { row, shape, capacity, errorRate } = answer;
  const { memory, file, download, building } = transferOf(answer, megabits);
  return [
    ['memory', memory],
    ['more, while it is built', building === '' ? '–' : building],
    ['file', file],
    ['download', download],
    ...(question.given.includes('capacity') ? [] : [['keys', integer(capacity)] as const]),
    ['bits per key', short(bitsPerKey(answer))],
    ['error rate', twoDigits(errorRate)],
    ['cache lines a lookup', row.lines(shape.hashes)],
    ['removes keys', row.removes ? 'yes' : 'no'],
    ['with more keys', pasts[row.past]],
  ];
}

/** Facts of a few kinds, the values of each in the order of the kinds. A kind without an answer has only the reason. */
export function sideBySide(question: Question, rows: readonly KindRow[], megabits: number) {
  const answers = rows.map((row) => answerOf(question, row));
  const facts = answers.map((answer) => (answer instanceof Refusal ? undefined : factsOf(answer, question, megabits)));
  const names = facts.find((each) => each !== undefined)?.map(([name]) => name) ?? [];
  const reasons = answers.map((answer) => (answer instanceof Refusal ? answer.message : ''));
  const refusals = reasons.some((reason) => reason !== '') ? [{ name: 'why not', values: reasons }] : [];
  return [...names.map((name, i) => ({ name, values: facts.map((each) => each?.[i]?.[1] ?? '–') })), ...refusals];
}

/** When to take the chosen kind, and which kind is the smallest that takes new keys and keeps them. */
export function adviceOn(chosen: KindRow, question: Question): string {
  if (following(question) !== 'bits' || !keeps(chosen)) return chosen.why;
  const [smallest] = kinds
    .filter(keeps)
    .flatMap((row) => {
      const answer = answerOf({ ...question, hashes: undefined }, row);
      return answer instanceof Refusal ? [] : [{ row, bits: bitsOf(answer.shape) }];
    })
    .sort((one, other) => one.bits - other.bits);
  if (smallest === undefined) return chosen.why;
  const subject = smallest.row === chosen ? 'It' : `A ${smallest.row.kind} filter`;
  return `${chosen.why} ${subject} is the smallest here to which keys can be added.`;
}

/** Whether keys can be added, and none is forgotten. */
function keeps({ past }: KindRow): boolean {
  return past === 'errs' || past === 'refuses';
}

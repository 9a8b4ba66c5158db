// Which kind to take: one table. The answers lead to the first row that fits, and to what else does.

import { builtInSet, type ExactSet, fingerprintSet } from '../calculator/exact.ts';
import type { KindRow } from '../calculator/kind-row.ts';
import { rowNamed } from '../calculator/kinds.ts';

/** The answers to the questions. */
export interface Answers {
  /** Whether an answer may be wrong now and then. */
  readonly errs: boolean;
  /** Whether the list of keys is complete when the filter is made. */
  readonly complete: boolean;
  /** Whether it is known, within a factor of two, how many keys come in all. */
  readonly known: boolean;
  /** Whether single keys are removed again. */
  readonly deletes: boolean;
  /** Whether errors must be rarer than one in 100,000. */
  readonly rare: boolean;
}

export const firstAnswers: Answers = { errs: true, complete: false, known: true, deletes: false, rare: false };

export const questions = Object.keys(firstAnswers) as readonly (keyof Answers)[];

/** The error rate that a filter is shown for. */
export function rateFor({ rare }: Answers): number {
  return rare ? 1e-6 : 0.01;
}

interface Row {
  readonly kind: string;
  fits(answers: Answers): boolean;
  /** Why to take it, in rows that may be the first that fits. */
  because?(answers: Answers): string;
  /** When to take it in place of the first that fits. */
  readonly instead: string;
}

/** Every kind, in the order in which they are to be tried. A new kind is a new row. */
const rows: readonly Row[] = [
  {
    kind: 'fuse',
    fits: ({ complete, deletes }) => complete && !deletes,
    because: () =>
      'No other filter of a complete list is as small. It takes no more keys: for a new list, make a new filter.',
    instead: 'if the list is complete when the filter is made, and nothing comes later',
  },
  {
    kind: 'cuckoo',
    fits: ({ known, deletes, rare }) => known && (deletes || rare),
    because: ({ deletes }) =>
      deletes
        ? 'It removes keys, in a quarter of the memory of a CountingBloomFilter. When it is full, it refuses keys.'
        : 'With errors rarer than 0.08 %, it is smaller than a BloomFilter. When it is full, it refuses keys.',
    instead: 'if keys may come after it was made: it is the next smallest, and refuses keys when it is full',
  },
  {
    kind: 'counting',
    fits: ({ deletes }) => deletes,
    because: () => 'It removes keys, and never refuses one: with more keys than you thought, it errs more often.',
    instead: 'if it must never refuse a key, for four times the memory',
  },
  {
    kind: 'scalable',
    fits: ({ known, deletes }) => !known && !deletes,
    because: () => 'It takes more memory as keys come, and keeps its error rate, however many there are.',
    instead: 'if nobody knows how many keys will come',
  },
  {
    kind: 'classic',
    fits: ({ known, deletes }) => known && !deletes,
    because: () => 'The default: it is small, takes any error rate, and is never full.',
    instead: 'if keys may come after it was made: it is never full',
  },
  {
    kind: 'blocked',
    fits: ({ known, deletes, rare }) => known && !deletes && !rare,
    instead: 'if the filter is larger than some megabytes, and lookups must be fast',
  },
  {
    kind: 'wide',
    fits: ({ known, deletes }) => known && !deletes,
    instead: 'if lookups must be fast and errors rarer than 0.1 %',
  },
  {
    kind: 'tombstone',
    fits: ({ deletes }) => deletes,
    instead: 'if only a few keys are removed: it stands around a filter of any other kind',
  },
  {
    kind: 'dleft',
    fits: ({ known, deletes }) => known && deletes,
    instead: 'if each key comes many times, and must be removed as often',
  },
  {
    kind: 'rotating',
    fits: ({ known, deletes, rare }) => !known && !deletes && !rare,
    instead: 'if old keys may be forgotten: its memory is constant',
  },
  {
    kind: 'stable',
    fits: ({ known, deletes }) => !known && !deletes,
    instead: 'if keys may be forgotten at random; a RotatingBloomFilter is better in most cases',
  },
  {
    kind: 'spatial',
    fits: ({ known, deletes }) => known && !deletes,
    instead: 'if you must know in which of several sets a key is',
  },
];

export interface Chosen<R = KindRow> {
  readonly row: R;
  readonly because: string;
  readonly others: readonly { readonly row: R; readonly instead: string }[];
}

/** From so many keys on, the memory of a `Set` is worth a package. */
const MANY = 10_000;

/** What follows if no answer may be wrong. */
export function chooseSet(keys: number): Chosen<ExactSet> {
  const [row, other] = keys <= MANY ? [builtInSet, fingerprintSet] : [fingerprintSet, builtInSet];
  const others = keys <= other.mostKeys ? [{ row: other, instead: `for ${other.bestFor}` }] : [];
  return { row, because: row.why, others };
}

/** What follows from the other answers, if an answer may be wrong. The number of keys of a complete list is known. */
export function choose(answers: Answers): Chosen {
  const asked = { ...answers, known: answers.known || answers.complete };
  const [first, ...others] = rows.filter(({ fits }) => fits(asked)) as [Row, ...Row[]];
  return {
    row: rowNamed(first.kind),
    because: first.because?.(asked) ?? '',
    others: others.map(({ kind, instead }) => ({ row: rowNamed(kind), instead })),
  };
}

const FIRST_KEYS = 1_000_000;

/** What the page shows. */
export interface View {
  readonly answers: Answers;
  readonly keys: number;
}

export function toQuery({ answers, keys }: View): string {
  const query = new URLSearchParams(questions.map((question) => [question, answers[question] ? 'yes' : 'no']));
  query.set('keys', String(keys));
  return query.toString();
}

/** The view in a query. Missing or wrong parameters get their defaults. */
export function fromQuery(text: string): View {
  const query = new URLSearchParams(text);
  const answers = { ...firstAnswers };
  for (const question of questions) {
    const value = query.get(question);
    if (value === 'yes' || value === 'no') answers[question] = value === 'yes';
  }
  const keys = Number(query.get('keys'));
  return { answers, keys: Number.isSafeInteger(keys) && keys >= 1 ? keys : FIRST_KEYS };
}

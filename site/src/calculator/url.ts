// The state of the calculator in the query of its URL.

import { kindNamed } from './kinds.ts';
import { first, type Quantity, type Question, quantities } from './solve.ts';
import { FIRST_SPEED, speeds } from './transfer.ts';

/** Everything that the page shows. */
export interface View {
  readonly question: Question;
  /** The kinds beside the chosen one. */
  readonly others: readonly string[];
  /** Of the download, in megabits a second. */
  readonly speed: number;
  /** The parts of the page that are unfolded. */
  readonly open: readonly string[];
}

/** The parts of the page that can be folded. */
export const folds = ['kinds', 'beside', 'plots', 'code'] as const;

/** As many kinds stand beside the chosen one. */
export const MOST_OTHERS = 2;
const firstOthers = ['blocked', 'fuse'];

export const firstView: View = { question: first, others: firstOthers, speed: FIRST_SPEED, open: [] };

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

const valid: Readonly<Record<Quantity | 'hashes', (value: number) => boolean>> = {
  capacity: isWhole,
  errorRate: (value) => value > 0 && value < 1,
  bits: isWhole,
  hashes: (value) => isWhole(value) && value <= 255,
};

function numberIn(query: URLSearchParams, name: Quantity | 'hashes'): number | undefined {
  const value = Number(query.get(name) ?? Number.NaN);
  return valid[name](value) ? value : undefined;
}

/** The query of a view. What is as at first is left out, except for the question. */
export function toQuery({ question, others, speed, open }: View): string {
  const { kind, given, values, hashes } = question;
  const query = new URLSearchParams({ kind });
  for (const quantity of given) query.set(quantity, String(values[quantity]));
  if (hashes) query.set('hashes', String(hashes));
  if (others.join() !== firstOthers.join()) query.set('with', others.join('.'));
  if (speed !== FIRST_SPEED) query.set('speed', String(speed));
  if (open.length > 0) query.set('open', open.join('.'));
  return query.toString();
}

function questionIn(query: URLSearchParams): Question {
  const isGiven = (key: string): key is Quantity => quantities.some((each) => each === key && numberIn(query, each));
  const [one, other] = [...new Set(query.keys())].filter(isGiven);
  const kind = kindNamed(query.get('kind'))?.kind ?? first.kind;
  const hashes = numberIn(query, 'hashes');
  if (one === undefined || other === undefined) return { ...first, kind, hashes };
  const values = { [one]: numberIn(query, one), [other]: numberIn(query, other) };
  return { kind, given: [one, other], values: values as Question['values'], hashes };
}

function othersIn(query: URLSearchParams): readonly string[] {
  const text = query.get('with');
  if (text === null) return firstOthers;
  return text
    .split('.')
    .filter((name) => kindNamed(name) !== undefined)
    .slice(0, MOST_OTHERS);
}

/** The view in a query. Missing or wrong parameters get their defaults. */
export function fromQuery(text: string): View {
  const query = new URLSearchParams(text);
  const speed = Number(query.get('speed'));
  return {
    question: questionIn(query),
    others: othersIn(query),
    speed: speeds.some(({ megabits }) => megabits === speed) ? speed : FIRST_SPEED,
    open: folds.filter((name) => (query.get('open') ?? '').split('.').includes(name)),
  };
}

// The state of the calculator in the query of its URL.

import { kindNamed } from './kinds.ts';
import { first, type Quantity, type Question, quantities } from './solve.ts';

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

export function toQuery({ kind, given, values, hashes }: Question): string {
  const query = new URLSearchParams({ kind });
  for (const quantity of given) query.set(quantity, String(values[quantity]));
  if (hashes) query.set('hashes', String(hashes));
  return query.toString();
}

/** The question in a query. Missing or wrong parameters get their defaults. */
export function fromQuery(text: string): Question {
  const query = new URLSearchParams(text);
  const found = [...query.keys()].filter((key): key is Quantity => (quantities as readonly string[]).includes(key));
  const [one, other] = [...new Set(found)].filter((quantity) => numberIn(query, quantity) !== undefined);
  const kind = kindNamed(query.get('kind'))?.kind ?? first.kind;
  const hashes = numberIn(query, 'hashes');
  if (one === undefined || other === undefined) return { ...first, kind, hashes };
  const values = { [one]: numberIn(query, one), [other]: numberIn(query, other) };
  return { kind, given: [one, other], values: values as Question['values'], hashes };
}

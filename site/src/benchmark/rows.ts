// A run as rows. The bars, their order, and the cases where bloomery is slower all come from these, so that none of them
// contradicts another.

import { figuresOf, type Spread } from '../../../bench/shared/figures.ts';
import {
  type ByCase,
  byCase,
  type ContenderName,
  contenderNames,
  isOurs,
  type Operation,
  operations,
  type Result,
  temperatures,
} from './run.ts';

/** A contender, and the nanoseconds per key that it takes in each case. */
export interface Row {
  readonly name: ContenderName;
  readonly figures: ByCase<Spread>;
}

export function rowsOf({ times }: Result): Row[] {
  const figures = byCase((temperature, operation) => figuresOf(times[temperature][operation]));
  return contenderNames.map((name, i) => ({
    name,
    figures: byCase((temperature, operation) => figures[temperature][operation][i] as Spread),
  }));
}

/** The rows by their time with warm strings, the fastest first. */
export function fastestFirst(rows: readonly Row[], operation: Operation): Row[] {
  const timeOf = ({ figures }: Row): number => figures.warm[operation].median;
  return [...rows].sort((one, other) => timeOf(one) - timeOf(other));
}

export type Loss = ReturnType<typeof lossesOf>[number];

/** The cases where bloomery takes longer than another contender, and how many times as long. */
export function lossesOf(rows: readonly Row[]) {
  const rivals = rows.filter(({ name }) => !isOurs(name));
  const pairs = rows.filter(({ name }) => isOurs(name)).flatMap((own) => rivals.map((rival) => [own, rival] as const));
  return pairs.flatMap(([own, rival]) =>
    operations.flatMap((operation) =>
      temperatures.flatMap((temperature) => {
        const timeOf = ({ figures }: Row): number => figures[temperature][operation].median;
        const ratio = timeOf(own) / timeOf(rival);
        return ratio > 1 ? [{ own: own.name, rival: rival.name, operation, temperature, ratio }] : [];
      }),
    ),
  );
}

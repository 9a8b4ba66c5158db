// Where bloomery takes longer than what it is compared with.

import { ratioOf, type Spread } from '../../../bench/statistics.ts';
import {
  type ContenderName,
  contenderNames,
  isOurs,
  type Operation,
  operations,
  type Result,
  type Temperature,
  temperatures,
} from './run.ts';

export interface Loss {
  readonly own: ContenderName;
  readonly rival: ContenderName;
  readonly operation: Operation;
  readonly temperature: Temperature;
  /** How many times as long it takes, in the median of the rounds; and the lowest and the highest. */
  readonly ratio: Spread;
}

export function lossesOf({ times }: Result): Loss[] {
  const own = contenderNames.filter(isOurs);
  const rivals = contenderNames.filter((name) => !isOurs(name));
  const timesOf = (name: ContenderName, temperature: Temperature, operation: Operation): readonly number[] =>
    times[temperature][operation][contenderNames.indexOf(name)] ?? [];
  const all = own.flatMap((name) =>
    rivals.flatMap((rival) =>
      operations.flatMap((operation) =>
        temperatures.map((temperature): Loss => {
          const [ownTimes, rivalTimes] = [name, rival].map((each) => timesOf(each, temperature, operation));
          return { own: name, rival, operation, temperature, ratio: ratioOf(rivalTimes ?? [], ownTimes ?? []) };
        }),
      ),
    ),
  );
  return all.filter(({ ratio }) => ratio.median > 1);
}

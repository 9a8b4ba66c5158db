// The cases where bloomery takes longer than another contender.

import { ratioOf, type Spread } from '../../../bench/shared/figures.ts';
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
  /** How many times as long bloomery takes: the median, the lowest and the highest of the rounds. */
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

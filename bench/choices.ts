// What a user picks between: the part of the results of `npm run bench:peers` that the chart and the README show.

import { groupBy, integer } from './report.ts';
import type { Operation, Report, Result } from './results.ts';

/** The sets of keys that are shown, in order. */
export const temperatures = [
  { set: 'names', name: 'warm', meaning: 'new strings, in the order in which they lie in memory' },
  { set: 'cold', name: 'cold', meaning: 'strings scattered over memory, and not in the cache' },
] as const;
type ShownSet = (typeof temperatures)[number]['set'];

/** Something that a user can pick. */
export interface Choice {
  readonly label: string;
  readonly ours: boolean;
  /** Undefined if it was not measured. */
  result(set: ShownSet, operation: Operation): Result | undefined;
}

export function mostKeys(results: readonly Result[]): number {
  return Math.max(...results.map(({ keys }) => keys));
}

/** All choices, the fastest first. One too slow for the largest number of keys says how many it got. */
export function choicesOf({ results }: Report): Choice[] {
  const subjects = groupBy(results, ({ subject, mode }) => `${subject} ${mode}`);
  const choices = [...subjects.values()].map((ofSubject): Choice => {
    const { subject, mode, ours } = ofSubject[0] as Result;
    const keys = mostKeys(ofSubject);
    const name = ours ? `bloomery ${subject}, ${mode}` : subject;
    return {
      label: keys < mostKeys(results) ? `${name}, ${integer.format(keys)} keys` : name,
      ours,
      result: (set, operation) =>
        ofSubject.find((result) => result.keys === keys && result.set === set && result.operation === operation),
    };
  });
  const timeOf = (choice: Choice): number => choice.result('names', 'hit')?.nanoseconds.median ?? Infinity;
  return choices.sort((a, b) => timeOf(a) - timeOf(b));
}

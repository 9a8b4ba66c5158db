// Compares bloomery with plain JavaScript and Set, and all kinds with one another.

import { type Comparison, compareAll } from './kinds/comparison.ts';
import { kindsText } from './kinds/main.ts';
import { temperatures, warmAndCold } from './peers/choices.ts';
import { benchmark, choice, counts, flag, type Run, rounds, status, type Values } from './shared/cli.ts';
import { integer } from './shared/figures.ts';
import { aboutSets, makeSet, setNames } from './shared/keys.ts';
import { describeMachine, thisMachine } from './shared/machine.ts';
import { markdownOf, saveResults } from './shared/report.ts';
import { compare, type Report, type Result } from './shared/results.ts';
import { ERROR_RATE, plain, subjectsFor } from './shared/subjects.ts';

/** The name of the comparison of all kinds in `--sets`. */
const KINDS = 'kinds';
/** The numbers of keys for the comparison of kinds: few, in the cache, and larger than the cache. */
const KINDS_KEYS = [1e4, 1e5, 1e7];

const options = {
  keys: counts('how many keys to add, and to look up', 1e8, '1e6'),
  sets: choice(`which keys: ${setNames.join(', ')}; or\n${KINDS}: all kinds, with ${KINDS_KEYS.join(', ')} integers`, [
    ...setNames,
    KINDS,
  ]),
  rounds: rounds(5),
  save: flag('write the results to bench/results/main-nodeN.json, for version N of Node'),
};

/** Groups the sets: warm and cold strings are measured in the same rounds, each other set alone. */
function groupsOf(sets: readonly string[]): string[][] {
  const strings: readonly string[] = temperatures.map(({ set }) => set);
  const together = sets.filter((name) => strings.includes(name));
  const others = sets.filter((name) => !strings.includes(name)).map((name) => [name]);
  return together.length > 0 ? [together, ...others] : others;
}

interface FullReport extends Report {
  readonly kinds: readonly Comparison[];
}

function measureAll({ keys, sets, rounds }: Values<typeof options>): FullReport {
  const results: Result[] = [];
  const notes: string[] = [];
  const keySets = sets.filter((name) => name !== KINDS);
  for (const count of keys) {
    for (const names of groupsOf(keySets)) {
      status(`${names.join(' and ')}: making the keys …`);
      const made = names.flatMap((name) => makeSet(name, count) ?? []);
      // The sets of a group have the same limit, so either all can have `count` keys, or none.
      if (made[0]) results.push(...compare(subjectsFor(made[0].name), made, rounds, plain.name));
      else notes.push(`${names.join(', ')} at ${integer.format(count)}: more keys than there are names, or than fit`);
    }
  }
  return {
    machine: thisMachine(),
    errorRate: ERROR_RATE,
    roundCount: rounds,
    baseline: plain.name,
    results,
    notes,
    kinds: sets.includes(KINDS) ? KINDS_KEYS.map((count) => compareAll(count, ERROR_RATE, rounds)) : [],
  };
}

function textOf(report: FullReport): string {
  const { results, notes, machine, kinds, roundCount } = report;
  const hasKeySets = results.length > 0 || notes.length > 0;
  const first = hasKeySets ? markdownOf(report, aboutSets, warmAndCold(report)) : describeMachine(machine);
  const last = kinds.length > 0 ? ['# bloomery: all kinds', ...kindsText(kinds, roundCount)] : [];
  return [first, ...last].join('\n\n');
}

const run: Run = benchmark(options, (values) => {
  const report = measureAll(values);
  if (values.save) saveResults('main', report);
  return textOf(report);
});
export default run;

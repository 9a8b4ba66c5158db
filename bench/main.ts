// Compares bloomery with plain JavaScript and Set, and all kinds with one another: `npm run bench -- --help`.

import { temperatures } from './choices.ts';
import { runCommand } from './command.ts';
import { aboutSets, makeSet, setNames } from './keys.ts';
import { kindsText } from './kinds-report.ts';
import { type Comparison, compareAll } from './kinds-results.ts';
import { describeMachine, thisMachine } from './machine.ts';
import type { Options } from './options.ts';
import { integer, markdownOf } from './report.ts';
import { compare, type Report, type Result } from './results.ts';
import { saveResults } from './save.ts';
import { status } from './status.ts';
import { ERROR_RATE, plain, subjectsFor } from './subjects.ts';
import { warmAndCold } from './warm-cold.ts';

/** What `--sets` calls the comparison of all kinds. */
const KINDS = 'kinds';
/** How many keys the kinds are compared with: as many as all other packages take, in the cache, and past it. */
const KINDS_KEYS = [1e4, 1e5, 1e7];

const DEFAULTS: Options = { keys: [1_000_000], sets: [...setNames, KINDS], rounds: 5, json: false, save: false };

const USAGE = `Usage: npm run bench -- [options]

  --keys 1e5,1e6    how many keys to add, and to look up (default: ${DEFAULTS.keys.join(',')})
  --sets a,b        which keys: ${setNames.join(', ')}; or
                    ${KINDS}: all kinds of filters, with ${KINDS_KEYS.join(', ')} integers (default: all)
  --rounds 5        how many rounds to take the median of (default: ${DEFAULTS.rounds})
  --json            print the results as JSON
  --save            write them to bench/results-nodeN.json, for version N of Node
  --help            show this text`;

/** Warm and cold strings, which are measured in the same rounds, and each other set alone. */
function roundsOf(sets: readonly string[]): string[][] {
  const strings: readonly string[] = temperatures.map(({ set }) => set);
  const together = sets.filter((name) => strings.includes(name));
  const others = sets.filter((name) => !strings.includes(name)).map((name) => [name]);
  return together.length > 0 ? [together, ...others] : others;
}

interface FullReport extends Report {
  readonly kinds: readonly Comparison[];
}

function measureAll({ keys, sets, rounds, save }: Options): FullReport {
  const results: Result[] = [];
  const notes: string[] = [];
  const keySets = sets.filter((name) => name !== KINDS);
  for (const count of keys) {
    for (const names of roundsOf(keySets)) {
      status(`${names.join(' and ')}: making the keys …`);
      const made = names.flatMap((name) => makeSet(name, count) ?? []);
      // The sets of a group can have equally many keys.
      if (made[0]) results.push(...compare(subjectsFor(made[0].name), made, rounds, plain.name));
      else notes.push(`${names.join(', ')} at ${integer.format(count)}: more keys than there are names, or than fit`);
    }
  }
  const report = {
    machine: thisMachine(),
    errorRate: ERROR_RATE,
    roundCount: rounds,
    baseline: plain.name,
    results,
    notes,
    kinds: sets.includes(KINDS) ? KINDS_KEYS.map((count) => compareAll(count, ERROR_RATE, rounds)) : [],
  };
  if (save) saveResults('results', report);
  return report;
}

function textOf(report: FullReport): string {
  const { results, notes, machine, kinds, roundCount } = report;
  const hasKeySets = results.length > 0 || notes.length > 0;
  const first = hasKeySets ? markdownOf(report, aboutSets, warmAndCold(report)) : describeMachine(machine);
  const last = kinds.length > 0 ? ['# bloomery: all kinds', ...kindsText(kinds, roundCount)] : [];
  return [first, ...last].join('\n\n');
}

await runCommand(USAGE, DEFAULTS, measureAll, textOf);

// Compares bloomery with plain JavaScript and Set: `npm run bench -- --help`.

import { temperatures } from './choices.ts';
import { runCommand } from './command.ts';
import { aboutSets, makeSet, setNames } from './keys.ts';
import { thisMachine } from './machine.ts';
import type { Options } from './options.ts';
import { integer, markdownOf } from './report.ts';
import { compare, type Report, type Result } from './results.ts';
import { saveResults } from './save.ts';
import { status } from './status.ts';
import { ERROR_RATE, plain, subjectsFor } from './subjects.ts';
import { warmAndCold } from './warm-cold.ts';

const DEFAULTS: Options = { keys: [1_000_000], sets: setNames, rounds: 5, json: false, save: false };

const USAGE = `Usage: npm run bench -- [options]

  --keys 1e5,1e6    how many keys to add, and to look up (default: ${DEFAULTS.keys.join(',')})
  --sets a,b        which keys: ${setNames.join(', ')} (default: all)
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

function measureAll({ keys, sets, rounds, save }: Options): Report {
  const results: Result[] = [];
  const notes: string[] = [];
  for (const count of keys) {
    for (const names of roundsOf(sets)) {
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
  };
  if (save) saveResults('results', report);
  return report;
}

await runCommand(USAGE, DEFAULTS, measureAll, (report) => markdownOf(report, aboutSets, warmAndCold(report)));

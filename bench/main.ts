// Compares bloomery with plain JavaScript and Set: `npm run bench -- --help`.

import { runCommand } from './command.ts';
import { aboutSets, makeSet, setNames } from './keys.ts';
import { thisMachine } from './machine.ts';
import type { Options } from './options.ts';
import { integer, markdownOf } from './report.ts';
import { compare, type Report, type Result } from './results.ts';
import { saveResults } from './save.ts';
import { status } from './status.ts';
import { ERROR_RATE, plain, subjectsFor } from './subjects.ts';

const DEFAULTS: Options = { keys: [1_000_000], sets: setNames, rounds: 5, json: false, save: false };

const USAGE = `Usage: npm run bench -- [options]

  --keys 1e5,1e6    how many keys to add, and to look up (default: ${DEFAULTS.keys.join(',')})
  --sets a,b        which keys: ${setNames.join(', ')} (default: all)
  --rounds 5        how many rounds to take the median of (default: ${DEFAULTS.rounds})
  --json            print the results as JSON
  --save            write them to bench/results.json
  --help            show this text`;

function measureAll({ keys, sets, rounds, save }: Options): Report {
  const results: Result[] = [];
  const notes: string[] = [];
  for (const count of keys) {
    for (const name of sets) {
      status(`${name}: making the keys …`);
      const set = makeSet(name, count);
      if (set) results.push(...compare(subjectsFor(name), [set], rounds, plain.name));
      else notes.push(`${name} at ${integer.format(count)}: more keys than there are names, or than fit`);
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
  if (save) saveResults('results.json', report);
  return report;
}

await runCommand(USAGE, DEFAULTS, measureAll, (report) => markdownOf(report, aboutSets));

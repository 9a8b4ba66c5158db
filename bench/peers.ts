// Compares bloomery with what else a user could pick: other packages of the registry, a filter in plain JavaScript, and
// Set: `npm run bench:peers -- --help`.

import { runCommand } from './command.ts';
import { aboutSets, type KeySet, makeSet } from './keys.ts';
import { thisMachine } from './machine.ts';
import type { Options } from './options.ts';
import { peers } from './peer-filters.ts';
import { publish } from './publish.ts';
import { integer, markdownOf, nanoseconds } from './report.ts';
import { compare, type Report, type Result } from './results.ts';
import { saveResults } from './save.ts';
import { status } from './status.ts';
import { blockedBatch, bloomBatch, bloomSingle, ERROR_RATE, nativeSet, plain, type Subject } from './subjects.ts';

const DEFAULTS: Options = { keys: [10_000, 1_000_000], sets: ['names', 'cold'], rounds: 5, json: false, save: false };
/** Peers that take longer than this per key are measured only up to FEW_KEYS. */
const SLOW_NANOSECONDS = 5000;
const FEW_KEYS = 10_000;
const BASELINE = 'bloomfilter';
const own = [blockedBatch, bloomBatch, bloomSingle];

const USAGE = `Usage: npm run bench:peers -- [options]

  --keys 1e4,1e6      how many names to add, and to look up; slow peers get only small numbers
                      (default: ${DEFAULTS.keys.join(',')})
  --sets names,cold   warm strings, cold strings (default: both)
  --rounds 5          how many rounds to take the median of (default: ${DEFAULTS.rounds})
  --json              print the results as JSON
  --save              write them to bench/peers.json, and from there to docs/benchmark.svg and README.md
  --help              show this text`;

/** The peers that run here. The others are added to `notes`, with the reason. */
async function loadPeers(notes: string[]): Promise<Subject[]> {
  const loaded: Subject[] = [];
  for (const [name, load] of Object.entries(peers)) {
    try {
      loaded.push(await load());
    } catch (error) {
      notes.push(`${name} does not run on Node ${process.version}: ${(error as Error).message}`);
    }
  }
  return loaded;
}

/** Nanoseconds per key of the fastest of several builds: the first one includes compilation. */
function pilot(subject: Subject, { present }: KeySet): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    subject.build(present).dispose();
    return performance.now() - start;
  });
  return (1e6 * Math.min(...times)) / present.count;
}

async function measureAll({ keys, sets, rounds, save }: Options): Promise<Report> {
  const notes: string[] = [];
  const results: Result[] = [];
  status('loading the packages …');
  const loaded = await loadPeers(notes);
  const baseline = loaded.find(({ name }) => name.startsWith(`${BASELINE} `))?.name ?? bloomBatch.name;
  const trial = makeSet('names', FEW_KEYS) as KeySet;
  const pilots = new Map(loaded.map((subject) => [subject, pilot(subject, trial)]));
  for (const count of keys) {
    const isSlow = (subject: Subject): boolean => count > FEW_KEYS && (pilots.get(subject) ?? 0) > SLOW_NANOSECONDS;
    for (const subject of loaded.filter(isSlow)) {
      const time = nanoseconds(pilots.get(subject) ?? Number.NaN);
      notes.push(`${subject.name} at ${integer.format(count)} keys: it takes ${time} ns per key`);
    }
    const rivals = loaded.filter((subject) => !isSlow(subject));
    status(`${count} keys: making them …`);
    const made = sets.flatMap((name) => makeSet(name, count) ?? []);
    results.push(...compare([...own, ...rivals, plain, nativeSet], made, rounds, baseline));
    if (made.length < sets.length) notes.push(`${integer.format(count)} keys: there are not that many names`);
  }
  const report = { machine: thisMachine(), errorRate: ERROR_RATE, roundCount: rounds, baseline, results, notes };
  if (save) {
    saveResults('peers.json', report);
    publish();
  }
  return report;
}

await runCommand(USAGE, DEFAULTS, measureAll, (report) => markdownOf(report, aboutSets));

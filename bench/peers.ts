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

const DEFAULTS: Options = { keys: [100_000, 1_000_000], sets: ['names', 'cold'], rounds: 5, json: false, save: false };
/** Peers that take longer than this per key are measured only up to FEW_KEYS. */
const SLOW_NANOSECONDS = 5000;
const FEW_KEYS = 100_000;
const PILOT_KEYS = 10_000;
const BASELINE = 'bloomfilter';
const own = [blockedBatch, bloomBatch, bloomSingle];

const USAGE = `Usage: npm run bench:peers -- [options]

  --keys 1e5,1e6      how many names to add, and to look up; slow peers get only small numbers
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

/** Nanoseconds per key of a second build: the first one includes compilation. */
function pilot(subject: Subject, { present }: KeySet): number {
  subject.build(present).dispose();
  const start = performance.now();
  subject.build(present).dispose();
  return (1e6 * (performance.now() - start)) / present.count;
}

async function measureAll({ keys, sets, rounds, save }: Options): Promise<Report> {
  const notes: string[] = [];
  const results: Result[] = [];
  status('loading the packages …');
  const loaded = await loadPeers(notes);
  const baseline = loaded.find(({ name }) => name.startsWith(`${BASELINE} `))?.name ?? bloomBatch.name;
  const trial = makeSet('names', PILOT_KEYS) as KeySet;
  const pilots = new Map(loaded.map((subject) => [subject, pilot(subject, trial)]));
  for (const count of keys) {
    const isSlow = (subject: Subject): boolean => count > FEW_KEYS && (pilots.get(subject) ?? 0) > SLOW_NANOSECONDS;
    for (const subject of loaded.filter(isSlow)) {
      const time = nanoseconds(pilots.get(subject) ?? Number.NaN);
      notes.push(`${subject.name} at ${integer.format(count)} keys: it takes ${time} ns per key`);
    }
    const rivals = loaded.filter((subject) => !isSlow(subject));
    for (const name of sets) {
      status(`${name}: making the keys …`);
      const set = makeSet(name, count);
      if (set) results.push(...compare([...own, ...rivals, plain, nativeSet], set, rounds, baseline));
      else notes.push(`${name} at ${integer.format(count)}: there are not that many names`);
    }
  }
  const report = { machine: thisMachine(), errorRate: ERROR_RATE, roundCount: rounds, baseline, results, notes };
  if (save) {
    saveResults('peers.json', report);
    publish();
  }
  return report;
}

await runCommand(USAGE, DEFAULTS, measureAll, (report) => markdownOf(report, aboutSets));

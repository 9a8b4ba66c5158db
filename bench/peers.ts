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
import { warmAndCold } from './warm-cold.ts';

const DEFAULTS: Options = { keys: [1_000_000], sets: ['names', 'cold'], rounds: 5, json: false, save: false };
/** Peers that take longer than this per key are measured with FEW_KEYS only. */
const SLOW_NANOSECONDS = 5000;
const FEW_KEYS = 10_000;
const BASELINE = 'bloomfilter';
const own = [blockedBatch, bloomBatch, bloomSingle];

const USAGE = `Usage: npm run bench:peers -- [options]

  --keys 1e5,1e6      how many names to add, and to look up (default: ${DEFAULTS.keys.join(',')});
                      slow peers always get ${FEW_KEYS}
  --sets names,cold   warm strings, cold strings (default: both)
  --rounds 5          how many rounds to take the median of (default: ${DEFAULTS.rounds})
  --json              print the results as JSON
  --save              write them to bench/peers-nodeN.json, for version N of Node, and from there to the documents:
                      those of the newest version to README.md and docs/benchmark.svg, others to bench/README.md
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
  const baseline = loaded.find(({ name }) => name.startsWith(`${BASELINE} `)) ?? bloomBatch;
  const trial = makeSet('names', FEW_KEYS) as KeySet;
  const pilots = loaded.map((subject) => ({ subject, time: pilot(subject, trial) }));
  const slow = pilots.filter(({ time }) => time > SLOW_NANOSECONDS);
  const fast = pilots.filter(({ time }) => time <= SLOW_NANOSECONDS);
  const measure = (subjects: readonly Subject[], count: number): void => {
    status(`${count} keys: making them …`);
    const made = sets.flatMap((name) => makeSet(name, count) ?? []);
    if (made.length < sets.length) notes.push(`${integer.format(count)} keys: there are not that many names`);
    results.push(...compare(subjects, made, rounds, baseline.name));
  };
  for (const count of keys) measure([...own, ...fast.map(({ subject }) => subject), plain, nativeSet], count);
  // Comes last: with the many small filters built here, V8 compiles some packages' code to be slower from then on.
  if (slow.length > 0) measure([...new Set([...own, baseline, ...slow.map(({ subject }) => subject)])], FEW_KEYS);
  for (const { subject, time } of slow) {
    notes.push(`${subject.name}, but for ${integer.format(FEW_KEYS)} keys: it takes ${nanoseconds(time)} ns per key`);
  }
  const report = {
    machine: thisMachine(),
    errorRate: ERROR_RATE,
    roundCount: rounds,
    baseline: baseline.name,
    results,
    notes,
  };
  if (save) {
    saveResults('peers', report);
    publish();
  }
  return report;
}

await runCommand(USAGE, DEFAULTS, measureAll, (report) => markdownOf(report, aboutSets, warmAndCold(report)));

// Compares bloomery with the alternatives: other packages of the registry, a filter in plain JavaScript, and Set.

import { benchmark, choice, counts, flag, type Run, rounds, status, type Values } from '../shared/cli.ts';
import { integer, nanoseconds } from '../shared/figures.ts';
import { aboutSets, type KeySet, makeSet, requireSet } from '../shared/keys.ts';
import { thisMachine } from '../shared/machine.ts';
import { markdownOf, saveResults } from '../shared/report.ts';
import { compare, type Report, type Result } from '../shared/results.ts';
import { blocked, bloom, ERROR_RATE, exactSet, nativeSet, plain, type Subject } from '../shared/subjects.ts';
import { temperatures, warmAndCold } from './choices.ts';
import { peers } from './filters.ts';
import { saveHistory } from './history.ts';
import { publish } from './publish.ts';

/** Peers that take longer than this per key are measured with FEW_KEYS only. */
const SLOW_NANOSECONDS = 5000;
const FEW_KEYS = 10_000;
const BASELINE = 'bloomfilter';
const own = [blocked.batch, bloom.batch, bloom.single, exactSet.batch, exactSet.single];

const options = {
  keys: counts(`how many names to add, and to look up; slow peers always get ${FEW_KEYS}`, 1e8, '1e6'),
  sets: choice(
    'warm strings, cold strings',
    temperatures.map(({ set }) => set),
  ),
  rounds: rounds(5),
  save: flag(
    'write the results to bench/results/peers-nodeN.json, for version N of Node, and from there to the\n' +
      'documents: those of the newest version to README.md and docs/benchmark.svg, others to\nbench/README.md',
  ),
};

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

async function measureAll({ keys, sets, rounds }: Values<typeof options>): Promise<Report> {
  const notes: string[] = [];
  const results: Result[] = [];
  status('loading the packages …');
  const loaded = await loadPeers(notes);
  const baseline = loaded.find(({ name }) => name.startsWith(`${BASELINE} `)) ?? bloom.batch;
  const trial = requireSet('names', FEW_KEYS);
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
  // Measured last, because after the many small filters of this part, V8 runs the code of some packages more slowly.
  if (slow.length > 0) measure([...new Set([...own, baseline, ...slow.map(({ subject }) => subject)])], FEW_KEYS);
  for (const { subject, time } of slow) {
    notes.push(`${subject.name}, but for ${integer.format(FEW_KEYS)} keys: it takes ${nanoseconds(time)} ns per key`);
  }
  return {
    machine: thisMachine(),
    errorRate: ERROR_RATE,
    roundCount: rounds,
    baseline: baseline.name,
    results,
    notes,
  };
}

const run: Run = benchmark(options, async (values) => {
  const report = await measureAll(values);
  if (values.save) {
    saveResults('peers', report);
    saveHistory(report);
    publish();
  }
  return markdownOf(report, aboutSets, warmAndCold(report));
});
export default run;

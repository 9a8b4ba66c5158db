// Is this name taken? The names of all npm packages in a Bloom filter: how small it is, how fast, and how often wrong.
//
//   npm start               measures, and prints a report
//   npm start -- NAME...    says whether packages with these names may exist

import { BloomFilter, type KeyLines } from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { heapOf } from '../bench/heap.ts';
import { status } from '../bench/status.ts';
import { type Corpus, choose, corpusOf, loadNames, seededRandom, sourceOfNames } from './names.ts';

const ERROR_RATE = 0.01;
/** The share of the names kept out of the filter, so that absent names are as real as present ones. */
const HELD_OUT = 0.1;
/** How many names the engines are compared on: plain JavaScript would take too long for all of them. */
const SAMPLE = 500_000;
const SEED = 1970;
/** Each time in the report is the median of this many runs, after a warm-up run. */
const RUNS = 5;

const USAGE = `Usage: npm start               how a Bloom filter of all npm package names performs
       npm start -- NAME...    whether packages with these names may exist
       npm start -- --help     this text`;

type FilterClass = typeof BloomFilter;

/** A task to be timed. */
interface Task {
  readonly group: 'build' | 'present' | 'absent';
  readonly label: string;
  /** The number of names that it handles. */
  readonly names: number;
  /** Runs the task. Returns how many of the names were added or found. */
  run(): number;
}

interface Timing extends Task {
  /** The median of the runs. */
  readonly seconds: number;
  readonly found: number;
}

function build(Filter: FilterClass, names: readonly string[] | KeyLines, capacity: number): BloomFilter {
  return new Filter({ capacity, errorRate: ERROR_RATE }).addMany(names);
}

/** Looks up all names with one call, which returns a flag for each. */
function findMany(filter: BloomFilter, names: readonly string[] | KeyLines): number {
  const flags = filter.hasMany(names);
  let found = 0;
  // Several times faster than for…of, which would take a good part of the measured time.
  for (let i = 0; i < flags.length; i++) found += flags[i] ?? 0;
  return found;
}

/** Looks up the names one at a time. */
function findEach(filter: BloomFilter, names: readonly string[]): number {
  let found = 0;
  for (const name of names) if (filter.has(name)) found++;
  return found;
}

/** The tasks for one engine: building a filter, and looking up names that are in it and names that are not. */
function tasksOf(Filter: FilterClass, { present, absent, presentLines, absentLines }: Corpus): Task[] {
  const filter = build(Filter, present, present.length);
  const buildFrom = (names: readonly string[] | KeyLines) => (): number => {
    build(Filter, names, present.length).dispose();
    return present.length;
  };
  const built = { group: 'build', names: present.length } as const;
  const inside = { group: 'present', names: present.length } as const;
  const outside = { group: 'absent', names: absent.length } as const;
  return [
    { ...built, label: 'addMany(strings)', run: buildFrom(present) },
    { ...built, label: 'addMany(lines)', run: buildFrom(presentLines) },
    { ...inside, label: 'hasMany(strings)', run: () => findMany(filter, present) },
    { ...inside, label: 'hasMany(lines)', run: () => findMany(filter, presentLines) },
    { ...inside, label: 'has(string)', run: () => findEach(filter, present) },
    { ...outside, label: 'hasMany(strings)', run: () => findMany(filter, absent) },
    { ...outside, label: 'hasMany(lines)', run: () => findMany(filter, absentLines) },
    { ...outside, label: 'has(string)', run: () => findEach(filter, absent) },
  ];
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Times the tasks in turns, so that a slow spell of the machine does not hit only one of them. */
function measure(tasks: readonly Task[], what: string): Timing[] {
  const timed = tasks.map((task) => ({ task, seconds: [] as number[], found: 0 }));
  for (let run = 0; run <= RUNS; run++) {
    status(`${what}: ${run === 0 ? 'warming up' : `run ${run} of ${RUNS}`} …`);
    for (const each of timed) {
      const start = performance.now();
      each.found = each.task.run();
      const seconds = (performance.now() - start) / 1000;
      if (run > 0) each.seconds.push(seconds);
    }
  }
  return timed.map(({ task, seconds, found }) => ({ ...task, seconds: median(seconds), found }));
}

const inColour = process.stdout.isTTY && !process.env['NO_COLOR'];

function bold(text: string): string {
  return inColour ? `\x1b[1m${text}\x1b[22m` : text;
}

function green(text: string): string {
  return inColour ? `\x1b[32m${text}\x1b[39m` : text;
}

const integer = new Intl.NumberFormat('en');
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

function percent(share: number): string {
  return `${threeDigits.format(100 * share)} %`;
}

function times(ratio: number): string {
  return `${ratio.toFixed(1)} ×`;
}

function speed({ names, seconds }: Timing): string {
  return `${threeDigits.format(names / seconds)}/s`;
}

function heading(text: string): void {
  console.log(`\n${bold(text)}`);
}

/** Prints a row of the report: a label, then right-aligned cells. */
function row(label: string, ...cells: string[]): void {
  console.log(`  ${label.padEnd(29)}${cells.map((cell) => cell.padStart(15)).join('')}`);
}

interface Size {
  readonly label: string;
  readonly bytes: number;
}

/** Prints the size of the filter and the sizes to compare it with, with bars. */
function printSizes(filter: Size, others: readonly Size[]): void {
  const sizes = [filter, ...others];
  const largest = Math.max(...sizes.map(({ bytes }) => bytes));
  for (const { label, bytes } of sizes) {
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    const bar = '█'.repeat(Math.max(1, Math.round((20 * bytes) / largest)));
    console.log(`  ${label.padEnd(35)}${size.padStart(9)}${times(bytes / filter.bytes).padStart(9)}  ${green(bar)}`);
  }
}

function printTimings(timings: readonly Timing[], group: Task['group'], title: string): void {
  heading(title);
  for (const timing of timings) {
    if (timing.group === group) row(timing.label, `${(1000 * timing.seconds).toFixed(0)} ms`, speed(timing));
  }
}

/** How many present names were not found, in the worst of the tasks. */
function missedBy(timings: readonly Timing[]): number {
  return Math.max(...timings.map(({ group, names, found }) => (group === 'present' ? names - found : 0)));
}

/** How many absent names were found, in the worst of the tasks. */
function falsePositivesOf(timings: readonly Timing[]): number {
  return Math.max(...timings.map(({ group, found }) => (group === 'absent' ? found : 0)));
}

function printErrors(timings: readonly Timing[], { present, absent }: Corpus): void {
  const missed = missedBy(timings);
  const falsePositives = falsePositivesOf(timings);
  // 19 of 20 samples of this many names lie within 1.96 standard deviations.
  const chance = 1.96 * Math.sqrt((ERROR_RATE * (1 - ERROR_RATE)) / absent.length);
  heading('Wrong answers');
  row('present, but not found', integer.format(missed), percent(missed / present.length), 'promised 0 %');
  row(
    'absent, but found',
    integer.format(falsePositives),
    percent(falsePositives / absent.length),
    `promised ${percent(ERROR_RATE)}`,
  );
  console.log(`  (With this many names, chance alone moves that share by about ${(100 * chance).toFixed(2)} %.)`);
}

/** Prints the timings of the same tasks on both engines, side by side. */
function printEngines(wasm: readonly Timing[], js: readonly Timing[]): void {
  heading(`Without WebAssembly (bloomery/js): a sample of ${integer.format(SAMPLE)} names`);
  row('', 'WebAssembly', 'JavaScript', 'ratio');
  wasm.forEach((fast, i) => {
    const slow = js[i];
    if (slow === undefined) return;
    row(`${fast.group.padEnd(9)}${fast.label}`, speed(fast), speed(slow), times(slow.seconds / fast.seconds));
  });
}

/** Measures the filter and prints the report. Returns false if a name was missed, which must never happen. */
function report(): boolean {
  status('loading the names …');
  const names = loadNames();
  const random = seededRandom(SEED);
  const { chosen: absent, others: present } = choose(names, Math.round(HELD_OUT * names.length), random);
  const corpus = corpusOf(present, absent);
  const sample = corpusOf(choose(present, SAMPLE, random).chosen, absent);
  status('measuring a Set of the names …');
  const setBytes = heapOf(() => new Set(present));
  const filter = build(BloomFilter, present, present.length);
  const timings = measure(tasksOf(BloomFilter, corpus), 'all names');
  const wasmTasks = tasksOf(BloomFilter, sample);
  const compared = measure([...wasmTasks, ...tasksOf(JsBloomFilter, sample)], 'both engines');
  const missed = missedBy([...timings, ...compared]);
  status('');

  const [all, inside, outside] = [names, present, absent].map(({ length }) => integer.format(length));
  console.log(bold(`Is this name taken? ${all} npm packages and a Bloom filter`));
  console.log(`\n${inside} of the names are in the filter. The other ${outside} were chosen at
random and held out, so that the absent names are real ones too.`);
  heading('Size');
  printSizes({ label: `the filter, at ${percent(ERROR_RATE)} errors`, bytes: filter.byteLength }, [
    { label: 'the names as a text, one per line', bytes: corpus.presentLines.bytes.length },
    { label: 'new Set(names), without the strings', bytes: setBytes },
  ]);
  printTimings(timings, 'build', `Build a filter of ${inside} names`);
  printTimings(timings, 'present', `Look up ${inside} names that are in it`);
  printTimings(timings, 'absent', `Look up ${outside} names that are not`);
  printErrors(timings, corpus);
  printEngines(compared.slice(0, wasmTasks.length), compared.slice(wasmTasks.length));
  console.log(`\nNames: ${sourceOfNames()}. Times: the median of ${RUNS} runs.`);
  if (missed > 0) console.error(`\n${integer.format(missed)} names that are in the filter were not found.`);
  return missed === 0;
}

/** Says for each name whether a package with it may exist. */
function answer(candidates: readonly string[]): void {
  status('loading the names …');
  const names = loadNames();
  const filter = BloomFilter.from(names, { errorRate: ERROR_RATE });
  status('');
  const oneIn = integer.format(Math.round(1 / ERROR_RATE));
  const width = Math.max(...candidates.map((name) => name.length));
  for (const name of candidates) {
    const verdict = filter.has(name)
      ? `taken  most likely: 1 free name in ${oneIn} looks taken too`
      : 'free   certainly: the list does not have it';
    console.log(`${name.padEnd(width)}  ${verdict}`);
  }
  console.log(`\nThe list: ${integer.format(names.length)} names, ${sourceOfNames()}`);
}

const args = process.argv.slice(2);
if (args.some((arg) => arg.startsWith('-') || arg === '')) {
  const isHelp = args.includes('--help') || args.includes('-h');
  (isHelp ? console.log : console.error)(USAGE);
  if (!isHelp) process.exitCode = 2;
} else if (args.length > 0) answer(args);
else if (!report()) process.exitCode = 1;

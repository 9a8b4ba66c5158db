// Compares filters in the formats of other systems with other packages that read and write these formats.

import { BenchmarkError, benchmark, count, type Run, rounds, status } from '../shared/cli.ts';
import { cellsOf, integer, nanoseconds, ratioOf, spreadOf, tableOf, times } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { type Calls, type Timing, timeCalls } from '../shared/measure.ts';
import { integers, type KeySet, strings } from './keys.ts';
import { type Comparison, comparisonsFor, ERROR_RATE, type Made, type Subject } from './subjects.ts';

const OPERATIONS = ['add', 'has, present', 'has, absent'] as const;

/** An operation of a subject. */
interface Entry {
  readonly subject: Subject;
  readonly operation: (typeof OPERATIONS)[number];
  readonly task: Calls;
}

/** What was measured of an operation. */
interface Result extends Omit<Entry, 'task'> {
  readonly timing: Timing;
}

const labelOf = ({ name, mode, isOurs }: Subject): string => (isOurs ? `${name}, ${mode}` : name);

/** A filter of a subject with all present keys. */
function filled(subject: Subject, { present }: KeySet): Made {
  const filter = subject.make(present.count);
  filter.add(present);
  return filter;
}

/** Throws a BenchmarkError unless filters with the same keys have the same bits. */
function requireEqualBits(subjects: readonly Subject[], filters: readonly Made[]): void {
  const [first, ...others] = filters.flatMap(({ bits }, i) => {
    return bits ? [{ label: labelOf(subjects[i] as Subject), bits: bits() }] : [];
  });
  for (const other of others) {
    if (Buffer.compare(first?.bits ?? new Uint8Array(), other.bits) === 0) continue;
    throw new BenchmarkError(`the bits of ${other.label} are not those of ${first?.label}`);
  }
}

function entriesOf(subject: Subject, full: Made, { name, present, again, absent }: KeySet): Entry[] {
  const keys = present.count;
  const entry = (operation: Entry['operation'], run: Calls['run'], least = 0, prepare = () => {}): Entry => {
    return {
      subject,
      operation,
      task: { label: `${labelOf(subject)}, ${name}, ${operation}`, keys, least, prepare, run },
    };
  };
  let empty: Made | undefined;
  const renew = (): void => {
    empty?.dispose?.();
    empty = subject.make(keys);
  };
  const { has } = full;
  return [
    entry('add', () => empty?.add(present) ?? 0, 0, renew),
    ...(has ? [entry('has, present', () => has(again), keys), entry('has, absent', () => has(absent))] : []),
  ];
}

/** Throws a BenchmarkError unless subjects with equal bits find as many absent keys. */
function requireEqualAnswers(results: readonly Result[], hasBits: (subject: Subject) => boolean): void {
  const found = results.filter(({ subject, operation }) => operation === 'has, absent' && hasBits(subject));
  const counts = new Set(found.map(({ timing }) => timing.counted));
  if (counts.size > 1)
    throw new BenchmarkError(`subjects with equal bits found ${[...counts].join(' and ')} absent keys`);
}

function measureComparison({ title, subjects }: Comparison, set: KeySet, roundCount: number): Result[] {
  status(`${title}, ${set.name}: filling the filters …`);
  const filters = subjects.map((subject) => filled(subject, set));
  requireEqualBits(subjects, filters);
  const entries = subjects.flatMap((subject, i) => entriesOf(subject, filters[i] as Made, set));
  const timings = timeCalls(
    entries.map(({ task }) => task),
    roundCount,
    `${title}, ${integer.format(set.present.count)} ${set.name}`,
  );
  const results = entries.map(({ subject, operation }, i) => ({ subject, operation, timing: timings[i] as Timing }));
  requireEqualAnswers(results, (subject) => filters[subjects.indexOf(subject)]?.bits !== undefined);
  for (const filter of filters) filter.dispose?.();
  return results;
}

/** How many times as fast the first subject is at the same operation. */
function timesFirst(result: Result, results: readonly Result[]): ReturnType<typeof ratioOf> {
  const first = results.find(({ operation }) => operation === result.operation) as Result;
  return ratioOf(first.timing.rounds, result.timing.rounds);
}

/** Lists where a subject of ours is slower than another package. */
function lossesOf(results: readonly Result[]): string[] {
  return results.flatMap((result) =>
    results
      .filter(({ subject, operation }) => result.subject.isOurs && !subject.isOurs && operation === result.operation)
      .map((other) => ({ other, ratio: ratioOf(other.timing.rounds, result.timing.rounds) }))
      .filter(({ ratio }) => ratio.median > 1)
      .map(({ other, ratio }) => {
        const [median, extent] = cellsOf(ratio, times);
        return `- ${labelOf(result.subject)}, ${result.operation}: ${median} times as long as ${labelOf(other.subject)} (${extent}).`;
      }),
  );
}

function sectionFor(comparison: Comparison, set: KeySet, roundCount: number): string {
  const { count: keys } = set.present;
  const results = measureComparison(comparison, set, roundCount);
  const rows = OPERATIONS.flatMap((operation) =>
    results
      .filter((result) => result.operation === operation)
      .map((result) => [
        operation,
        labelOf(result.subject),
        ...cellsOf(spreadOf(result.timing.rounds), nanoseconds),
        ...cellsOf(timesFirst(result, results), times),
        operation === 'add' ? '' : integer.format(result.timing.counted),
      ]),
  );
  const first = labelOf(comparison.subjects[0] as Subject);
  const losses = lossesOf(results);
  return [
    `## ${comparison.title}: ${integer.format(keys)} ${set.name}`,
    `Keys: ${set.about}. The last columns: how many times as fast ${first} is, its spread, and the keys found.`,
    tableOf(['operation', 'filter', 'ns per key', 'spread', 'times', 'spread', 'found'], rows, ['operation', 'filter']),
    losses.length > 0 ? `Losses:\n\n${losses.join('\n')}` : 'No other package is faster at any of these.',
  ].join('\n\n');
}

const options = {
  strings: count('how many strings to add, and to look up', 2_200_000, '1e5'),
  integers: count('how many 64-bit integers', 1e7, '1e6'),
  rounds: rounds(5),
};

const run: Run = benchmark(options, ({ strings: stringCount, integers: integerCount, rounds: roundCount }) => {
  const sets = [() => strings(stringCount), () => integers(integerCount)];
  const sections = sets.flatMap((make) => {
    const set = make();
    return comparisonsFor(set.name).map((comparison) => sectionFor(comparison, set, roundCount));
  });
  return [
    '# bloomery: filters of other systems',
    describeMachine(),
    `Error rate ${100 * ERROR_RATE} %, medians of ${roundCount} rounds; the spread is the lowest and the highest. Before ` +
      'the rounds, filters of one format with the same keys were found to have the same bytes.',
    ...sections,
  ].join('\n\n');
});
export default run;

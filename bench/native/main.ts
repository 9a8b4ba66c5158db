// Measures how close bloomery comes to native code. Both do the same work on the same keys, in turns, and must set the
// same bits and give the same answers.

import { BenchmarkError, benchmark, flag, optionalCount, type Run, rounds, status } from '../shared/cli.ts';
import { integer, median, percent, ratioOf, type Spread, tableOf } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { compare, type Result, type Times } from './rounds.ts';
import { BLOCK_BITS, compile } from './sides.ts';
import { integers, madeLines, names, type Workload } from './workloads.ts';

const LABELS = { add: 'add', addFlags: 'add, with flags', hit: 'has, present keys', miss: 'has, absent keys' };

/** bloomery's speed as a share of native code's. */
function shareOf({ native, bloomery }: Times): Spread {
  return ratioOf(bloomery, native);
}

function nanoseconds(times: readonly number[]): string {
  return median(times).toFixed(1);
}

function wholePercent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function rowOf(label: string, timing: Times): string[] {
  const share = shareOf(timing);
  const spread = `${Math.round(100 * share.lowest)}–${wholePercent(share.highest)}`;
  return [label, nanoseconds(timing.native), nanoseconds(timing.bloomery), wholePercent(share.median), spread];
}

/** The false positives, which are the same on both sides. */
function errorsOf({ timings }: Result): string {
  return timings
    .filter(({ operation }) => operation === 'miss')
    .map(({ kind, flagged, keys }) => `${kind} ${integer.format(flagged)} (${percent(flagged / keys)} %)`)
    .join(', ');
}

function section(result: Result): string {
  const { title, present, absent, sizes, hashings, timings } = result;
  const megabytes = (bits: number): string => `${(bits / 8e6).toFixed(1)} MB`;
  const rows = [
    ...timings.map((timing) => rowOf(`${timing.kind} ${LABELS[timing.operation]}`, timing)),
    rowOf('reading and hashing alone', hashings.hash),
    rowOf('the same under a secret', hashings.hashKeyed),
  ];
  const head = ['ns per key', 'native', 'bloomery', 'bloomery’s speed', 'lowest–highest'];
  return `## ${integer.format(present)} ${title}

Plus ${integer.format(absent)} absent keys. Classic: ${megabytes(sizes.bits)}, ${sizes.hashes} hashes; blocked: ${megabytes(BLOCK_BITS * sizes.blocks)}.

${tableOf(head, rows)}

Both sides set the same bits and gave the same answers. Hashing alone, bloomery also stores the hashes; the filters are
without a secret. False positives: ${errorsOf(result)}.`;
}

function markdownOf(results: readonly Result[], rounds: number): string {
  const [first] = results;
  const native = first ? `${first.program.compiler} -O3 -march=native, ${first.program.simd}` : '';
  return `# bloomery and native code

${describeMachine()}; ${native}.

Medians over ${rounds} round${rounds === 1 ? '' : 's'}, one thread. 100 % is native speed; below is slower. Ratios are taken within a round:
median, lowest and highest.

${results.map(section).join('\n\n')}`;
}

async function resultsOf(workloads: readonly (() => Workload)[], rounds: number): Promise<Result[]> {
  const results: Result[] = [];
  for (const prepare of workloads) {
    status('preparing the keys …');
    const workload = prepare();
    try {
      results.push(await compare(workload, rounds));
    } finally {
      workload.remove();
    }
  }
  return results;
}

const DEFAULT_LINES = 10_000_000;

const options = {
  names: flag('the names of all npm packages as lines, a tenth of them held out as absent keys'),
  lines: optionalCount('N made-up addresses as lines, and N / 10 absent ones', 1e8),
  integers: optionalCount('N integers, and N absent ones', 1e9),
  rounds: rounds(5),
};

const run: Run = benchmark(
  options,
  async ({ names: withNames, lines, integers: count, rounds }) => {
    status('compiling …');
    if (!compile()) throw new BenchmarkError('no C++ compiler: install g++ or clang++');
    const workloads: (() => Workload)[] = [];
    if (withNames) workloads.push(names);
    if (lines !== undefined) workloads.push(() => madeLines(lines));
    if (count !== undefined) workloads.push(() => integers(count));
    if (workloads.length === 0) workloads.push(names, () => madeLines(DEFAULT_LINES));
    const results = await resultsOf(workloads, rounds);
    return markdownOf(results, rounds);
  },
  `Without a workload: --names --lines ${DEFAULT_LINES}`,
);
export default run;

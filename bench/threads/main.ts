// Compares commands in several threads with the same commands in one, and `buildParallel` with `addLines`. Both must give
// the same bytes.

import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchmarkError, benchmark, count, type Run, rounds, status } from '../shared/cli.ts';
import { cellsOf, integer, ratioOf, spreadOf, tableOf, times } from '../shared/figures.ts';
import { describeMachine } from '../shared/machine.ts';
import { type Measured, measure, writeUrls } from '../shared/processes.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');
const LIBRARY = ['--import', 'tsx', join(import.meta.dirname, 'program.ts')];
const MEGABYTE = 1e6;
/** Bytes of URLs for each of the other lines. */
const URL_BYTES = 10;

interface Work {
  readonly name: string;
  /** The arguments of Node, before the number of threads. */
  readonly args: readonly string[];
}

interface Pair {
  readonly one: Measured;
  readonly many: Measured;
}

/** Writes `lines` different lines of 7 to 15 bytes, in no order. */
function writeLines(path: string, lines: number): void {
  status('writing lines …');
  const file = openSync(path, 'w');
  for (let from = 0; from < lines; ) {
    let part = '';
    for (const to = Math.min(lines, from + 100_000); from < to; from++) {
      part += `${(Math.imul(from, 0x9e3779b1) >>> 0).toString(36)}-${(from % 7919).toString(36)}\n`;
    }
    writeSync(file, part);
  }
  closeSync(file);
}

/** A command of the command line. */
function command(name: string, args: readonly string[]): Work {
  return { name, args: [PROGRAM, ...args, '--threads'] };
}

/** @throws BenchmarkError if two files differ */
function requireSame(name: string, one: string, other: string): void {
  try {
    execFileSync('cmp', ['--silent', one, other]);
  } catch {
    throw new BenchmarkError(`${name} gives something else in several threads`);
  }
}

async function measureBoth(work: Work, threads: number, folder: string, isOdd: boolean): Promise<Pair> {
  const [first, second] = [join(folder, 'one'), join(folder, 'many')];
  const run = (count: number, path: string): Promise<Measured> =>
    measure(`${work.name}, threads: ${count}`, [...work.args, String(count)], path);
  // In turns, because the one that comes first may find other things in the system's cache.
  const early = isOdd ? await run(threads, second) : undefined;
  const one = await run(1, first);
  const many = early ?? (await run(threads, second));
  requireSame(work.name, first, second);
  return { one, many };
}

function rowOf({ name }: Work, pairs: readonly Pair[]): string[] {
  const [one, many] = [pairs.map((pair) => pair.one), pairs.map((pair) => pair.many)];
  const seconds = (runs: readonly Measured[]): number[] => runs.map((run) => run.seconds);
  const decimal = (value: number): string => value.toFixed(1);
  const peak = (runs: readonly Measured[]): string =>
    `${(Math.max(...runs.map((run) => run.peak)) / MEGABYTE).toFixed(0)} MB`;
  return [
    name,
    ...cellsOf(spreadOf(seconds(one)), decimal),
    ...cellsOf(spreadOf(seconds(many)), decimal),
    ...cellsOf(ratioOf(seconds(many), seconds(one)), times),
    peak(one),
    peak(many),
  ];
}

const options = {
  threads: count('how many threads to compare with one', 64, String(availableParallelism())),
  lines: count('how many lines to build filters of, and to look up', 2 ** 32, '1e8'),
  rounds: rounds(3),
};

const run: Run = benchmark(options, async ({ threads, lines, rounds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-threads-'));
  try {
    const [text, filter] = [join(folder, 'lines'), join(folder, 'filter')];
    writeLines(text, lines);
    const half = join(folder, 'half');
    writeLines(half, Math.ceil(lines / 2));
    execFileSync(process.execPath, [PROGRAM, 'build', '-n', String(lines), '-o', filter, half]);
    rmSync(half);
    const urls = writeUrls(join(folder, 'urls'), URL_BYTES * lines);
    const size = ['-n', String(lines), '-o', '-'];
    const works: readonly Work[] = [
      command('`build`', ['build', ...size, text]),
      command('`build --kind blocked`', ['build', '-k', 'blocked', ...size, text]),
      command('`build --kind wide`', ['build', '-k', 'wide', '-p', '1e-6', ...size, text]),
      command('`pick`, half of the lines', ['pick', filter, text]),
      command('`omit --field 2`', ['omit', '--field', '2', '--delimiter', '-', filter, text]),
      command('`dedupe`', ['dedupe', urls.path]),
      command('`dedupe --error-rate 1e-6`', ['dedupe', '-p', '1e-6', urls.path]),
      command('`dedupe --error-rate 1e-6 --capacity N`', [
        'dedupe',
        '-p',
        '1e-6',
        '-n',
        String(urls.distinct),
        urls.path,
      ]),
      ...['classic', 'blocked', 'wide'].map((kind) => ({
        name: `\`buildParallel\`, ${kind}`,
        args: [...LIBRARY, text, kind, String(lines)],
      })),
    ];
    const measured = works.map((): Pair[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, work] of works.entries()) {
        measured[i]?.push(await measureBoth(work, threads, folder, round % 2 === 1));
      }
    }
    const heading = ['', '1 thread, s', 'spread', `${threads} threads, s`, 'spread', 'times as fast', 'spread'];
    const last = ['peak, 1', `peak, ${threads}`];
    return [
      `${integer.format(lines)} lines in ${integer.format(statSync(text).size)} bytes, and for \`dedupe\` ` +
        `${integer.format(urls.lines)} URLs in ${integer.format(urls.bytes)} bytes, of which ` +
        `${integer.format(urls.distinct)} are distinct. Medians of ${rounds} rounds, and the lowest ` +
        'and highest; ratios are taken within a round.',
      '',
      tableOf(
        [...heading, ...last],
        works.map((work, i) => rowOf(work, measured[i] ?? [])),
      ),
      '',
      describeMachine(),
    ].join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
export default run;

// Compares `bloomery dedupe` with `sort -u` and awk, or with another build of itself. Half of the lines of the text,
// URLs, are repeated.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchmark, count, optionalCheckout, type Run, rounds } from './shared/cli.ts';
import { cellsOf, integer, ratioOf, spreadOf, tableOf, threeDigits, times } from './shared/figures.ts';
import { describeMachine } from './shared/machine.ts';
import { countLines, type Measured, measure, type Program, type Text, writeUrls } from './shared/programs.ts';

const HERE = join(import.meta.dirname, '..');

interface Compared extends Program {
  /** The index of the program that this one is compared with. */
  readonly base: number;
}

interface Row extends Measured {
  readonly program: Compared;
  readonly lines: number;
}

/** A row for the runs of a program. `all` is the runs of each program, round by round. */
function rowOf(text: Text, runs: readonly Row[], all: readonly (readonly Row[])[]): string[] {
  const [{ program, lines }] = runs as [Row];
  const secondsOf = (some: readonly Row[]): number[] => some.map((run) => run.seconds);
  const seconds = spreadOf(secondsOf(runs));
  const decimal = (value: number): string => value.toFixed(1);
  const speed = ratioOf(secondsOf(runs), secondsOf(all[program.base] ?? []));
  const peak = Math.max(...runs.map((run) => run.peak));
  return [
    `\`${program.name}\``,
    ...cellsOf(seconds, decimal),
    threeDigits.format(text.lines / seconds.median),
    ...cellsOf(speed, times),
    `${(peak / 1e6).toFixed(0)} MB`,
    integer.format(lines),
    integer.format(text.distinct - lines),
  ];
}

function markdownOf(text: Text, rounds: readonly (readonly Row[])[]): string {
  const all = (rounds[0] ?? []).map((_, program) => rounds.flatMap((runs) => runs[program] ?? []));
  const rows = all.map((runs) => rowOf(text, runs, all));
  const heading = ['', 'seconds', 'spread', 'lines/s', 'times as fast', 'spread', 'peak memory', 'lines out', 'lost'];
  return [
    `${integer.format(text.bytes)} bytes of URLs, ${integer.format(text.lines)} lines, ` +
      `${integer.format(text.distinct)} of them distinct. Medians of ${rounds.length} rounds, and the lowest and highest. ` +
      'Times as fast: as the first row, or as the old build with the same options; ratios are taken within a round. ' +
      'Lost: new lines that are missing.',
    '',
    tableOf(heading, rows),
    '',
    describeMachine(),
  ].join('\n');
}

/**
 * The programs to compare: `dedupe` with and without the number of distinct lines; an old build, or `sort -u` and awk.
 */
function programsFor({ path, distinct }: Text, old: string | undefined): Compared[] {
  const dedupe = (label: string, folder: string, options: readonly string[], base: number): Compared => ({
    name: `${label}bloomery dedupe${options.length > 0 ? ' --capacity N' : ''}`,
    command: process.execPath,
    args: [join(folder, 'dist/cli/main.js'), 'dedupe', ...options, path],
    base,
  });
  const capacity = ['--capacity', String(distinct)];
  if (old !== undefined) {
    return [[], capacity].flatMap((options, i) => [
      dedupe('old: ', old, options, 2 * i),
      dedupe('new: ', HERE, options, 2 * i),
    ]);
  }
  return [
    dedupe('', HERE, [], 0),
    dedupe('', HERE, capacity, 0),
    { name: 'sort -u', command: 'sort', args: ['-u', path], base: 0 },
    { name: "awk '!seen[$0]++'", command: 'awk', args: ['!seen[$0]++', path], base: 0 },
  ];
}

const options = {
  DIR: optionalCheckout('another checkout, to compare with its build instead of sort -u and awk'),
  bytes: count('bytes of URLs', 1e12, '1e9'),
  rounds: rounds(3),
};

const run: Run = benchmark(options, async ({ DIR, bytes, rounds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-dedupe-'));
  try {
    const text = writeUrls(join(folder, 'urls'), bytes);
    // Reads the text once, so that all programs alike find it in the system's cache, as far as it fits.
    countLines(text.path);
    const runs: Row[][] = [];
    for (let round = 0; round < rounds; round++) {
      const done: Row[] = [];
      for (const program of programsFor(text, DIR)) {
        const output = join(folder, 'out');
        const measured = await measure(program, output);
        done.push({ program, ...measured, lines: countLines(output) });
        rmSync(output);
      }
      runs.push(done);
    }
    return markdownOf(text, runs);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
export default run;

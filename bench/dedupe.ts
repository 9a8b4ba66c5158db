// Compares `bloomery dedupe` with `sort -u` and awk, or with another build of itself, on a text of URLs, half of which
// are repeated. Prints Markdown.

import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../examples/names.ts';
import { builtFolder } from './built-folder.ts';
import { describeMachine, thisMachine } from './machine.ts';
import { readCount } from './options.ts';
import { planOf } from './plan.ts';
import { type Align, integer, tableOf, times } from './report.ts';
import { ratioOf, spreadOf } from './statistics.ts';
import { status } from './status.ts';

const USAGE = `Usage: npm run bench:dedupe -- [DIR] [option]...

Compares this build with sort -u and awk, or, given the DIR of another checkout, with the build there.

  --bytes N    bytes of URLs (default: 1e9)
  --rounds N   how often each program runs, in turns (default: 3)`;
const SEED = 1970;
const HERE = join(import.meta.dirname, '..');

interface Plan {
  /** The folder of another checkout, whose build to compare with. */
  readonly old: string | undefined;
  readonly bytes: number;
  readonly rounds: number;
}

interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The index of the program to compare it with. */
  readonly base: number;
}

interface Text {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  readonly distinct: number;
}

interface Run {
  readonly program: Program;
  readonly seconds: number;
  /** Peak resident memory in bytes. */
  readonly peak: number;
  readonly lines: number;
}

/** Each number has its own URL, the same in every run. */
function urlOf(number: number): string {
  const mixed = Math.imul(number, 0x9e3779b1) >>> 0;
  return `https://www.site-${mixed % 50_021}.example/${mixed.toString(36)}/articles/${number}?page=${mixed % 97}\n`;
}

/** About half of the lines repeat an earlier one, chosen with equal probability. */
function writeText(path: string, bytes: number): Text {
  status('writing URLs …');
  const random = seededRandom(SEED);
  const file = openSync(path, 'w');
  let [written, lines, distinct] = [0, 0, 0];
  while (written < bytes) {
    let piece = '';
    for (; piece.length < 1e6 && written + piece.length < bytes; lines++) {
      piece += urlOf(distinct > 0 && random() < 0.5 ? Math.floor(random() * distinct) : distinct++);
    }
    written += writeSync(file, piece);
  }
  closeSync(file);
  return { path, bytes: written, lines, distinct };
}

/** The peak resident memory of a running process, in bytes. */
function peakOf(id: number): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return 1024 * Number(kilobytes ?? 0);
  } catch {
    // The process has ended.
    return 0;
  }
}

function countLines(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('wc', ['-l', path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', () => resolve(Number.parseInt(text, 10)));
  });
}

async function measure(program: Program, folder: string): Promise<Run> {
  const { name, command, args } = program;
  status(`${name} …`);
  const path = join(folder, 'out');
  const output = openSync(path, 'w');
  const begun = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', output, 'inherit'], env: { ...process.env, LC_ALL: 'C' } });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 20);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const seconds = (performance.now() - begun) / 1000;
  clearInterval(watch);
  closeSync(output);
  if (code !== 0) throw new Error(`${name} exited with ${code}`);
  const lines = await countLines(path);
  rmSync(path);
  return { program, seconds, peak, lines };
}

const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** A row for the runs of a program. `all` is the runs of each program, round by round. */
function rowOf(text: Text, runs: readonly Run[], all: readonly (readonly Run[])[]): string[] {
  const [{ program, lines }] = runs as [Run];
  const secondsOf = (some: readonly Run[]): number[] => some.map((run) => run.seconds);
  const seconds = spreadOf(secondsOf(runs));
  const speed = ratioOf(secondsOf(runs), secondsOf(all[program.base] ?? []));
  const peak = Math.max(...runs.map((run) => run.peak));
  return [
    `\`${program.name}\``,
    seconds.median.toFixed(1),
    `${seconds.lowest.toFixed(1)}–${seconds.highest.toFixed(1)}`,
    threeDigits.format(text.lines / seconds.median),
    times(speed.median),
    `${times(speed.lowest)}–${times(speed.highest)}`,
    `${(peak / 1e6).toFixed(0)} MB`,
    integer.format(lines),
    integer.format(text.distinct - lines),
  ];
}

function print(text: Text, rounds: readonly (readonly Run[])[]): string {
  const all = (rounds[0] ?? []).map((_, program) => rounds.flatMap((runs) => runs[program] ?? []));
  const rows = all.map((runs) => rowOf(text, runs, all));
  const heading = ['', 'seconds', 'spread', 'lines/s', 'times as fast', 'spread', 'peak memory', 'lines out', 'lost'];
  const align = heading.map((_, i): Align => (i === 0 ? 'left' : 'right'));
  return [
    `${integer.format(text.bytes)} bytes of URLs, ${integer.format(text.lines)} lines, ` +
      `${integer.format(text.distinct)} of them distinct. Medians of ${rounds.length} rounds, and the lowest and highest. ` +
      'Times as fast: as the first row, or as the old build with the same options; ratios are taken within a round. ' +
      'Lost: new lines that are missing.',
    '',
    tableOf(heading, rows, align),
    '',
    describeMachine(thisMachine()),
  ].join('\n');
}

/** The programs to compare: `dedupe` with and without the number of distinct lines, and others. */
function programsFor({ path, distinct }: Text, old: string | undefined): Program[] {
  const dedupe = (label: string, folder: string, options: readonly string[], base: number): Program => ({
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

async function main({ old, bytes, rounds }: Plan): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-dedupe-'));
  try {
    const text = writeText(join(folder, 'urls'), bytes);
    // Reads the text once, so that all programs alike find it in the system's cache, as far as it fits.
    await countLines(text.path);
    const runs: Run[][] = [];
    for (let round = 0; round < rounds; round++) {
      const done: Run[] = [];
      for (const program of programsFor(text, old)) done.push(await measure(program, folder));
      runs.push(done);
    }
    status('');
    console.log(print(text, runs));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const plan = planOf(USAGE, (args): Plan | undefined => {
  const options = {
    bytes: { type: 'string', default: '1e9' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help) return undefined;
  const [old, ...more] = positionals;
  if (more.length > 0) throw new RangeError(`one DIR at most can be compared, got ${positionals.length}`);
  return {
    old: old === undefined ? undefined : builtFolder(old),
    bytes: readCount('bytes', values.bytes, 1e12),
    rounds: readCount('rounds', values.rounds, 1000),
  };
});
if (plan !== undefined) await main(plan);

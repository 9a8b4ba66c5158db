// Keys from records, and lines that were seen before: the command line beside Miller, jq and awk, each with one text.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../examples/names.ts';
import { benchmark, count, type Run, rounds, status } from './shared/cli.ts';
import { cellsOf, integer, median, quantile, ratioOf, spreadOf, tableOf, times } from './shared/figures.ts';
import { describeMachine } from './shared/machine.ts';
import { countLines, type Measured, measure, type Program, writeUrls } from './shared/programs.ts';

const SEED = 1970;
const CLI = join(import.meta.dirname, '../dist/cli/main.js');
/** So many lines are sent to the program that reads a pipe, one after the other. */
const PIPED_LINES = 300;

/** Of each line the key and the line itself, which gawk selects by the key. */
const JQ_GAWK = `jq -r '"\\(.user.id)\\t\\(tojson)"' "$1" | gawk -F '\\t' '!seen[$1]++ { print substr($0, length($1) + 2) }'`;

interface Case {
  readonly title: string;
  readonly bytes: number;
  readonly programs: readonly Program[];
  /** Runs before each program. */
  prepare?(): void;
}

/** Writes records until there are so many bytes. Every other user has come before. */
function writeRecords(
  path: string,
  bytes: number,
  header: string,
  recordOf: (user: number, i: number) => string,
): number {
  status(`writing ${path} …`);
  const random = seededRandom(SEED);
  const file = openSync(path, 'w');
  let written = writeSync(file, header);
  for (let [users, i] = [0, 0]; written < bytes; ) {
    let piece = '';
    for (; piece.length < 1e6; i++) {
      const user = users > 0 && random() < 0.5 ? Math.floor(random() * users) : users++;
      piece += recordOf(user, i);
    }
    written += writeSync(file, piece);
  }
  closeSync(file);
  return written;
}

const noteOf = (i: number): string => `said "no. ${i}", and\nwent on`;

function csvRecord(user: number, i: number): string {
  const note = i % 3 === 0 ? `"${noteOf(i).replaceAll('"', '""')}"` : `went on with ${i}`;
  return `${i},user-${user},${note},2026-11-24T13:00:00Z\n`;
}

function jsonRecord(user: number, i: number): string {
  const tags = ['a', `b${i % 7}`];
  return `${JSON.stringify({ i, time: '2026-11-24T13:00:00Z', user: { name: `user-${user}`, id: user }, tags, note: noteOf(i) })}\n`;
}

function bloomery(...args: string[]): Program {
  const shown = args.filter((arg) => !arg.startsWith('/'));
  return { name: `bloomery ${shown.join(' ')}`, command: process.execPath, args: [CLI, ...args] };
}

function casesIn(folder: string, bytes: number): Case[] {
  const path = (name: string): string => join(folder, name);
  const [csv, json, before, today] = ['csv', 'json', 'before', 'today'].map(path) as [string, string, string, string];
  const csvBytes = writeRecords(csv, bytes, 'i,user,note,time\n', csvRecord);
  const jsonBytes = writeRecords(json, bytes, '', jsonRecord);
  const urls = writeUrls(path('urls'), bytes / 2);
  const lines = Math.floor(0.8 * urls.lines);
  execFileSync('sh', [
    '-c',
    'head -n "$1" "$2" > "$3"; tail -n "+$(($1 + 1))" "$2" > "$4"',
    'sh',
    `${lines}`,
    urls.path,
    before,
    today,
  ]);
  const [saved, seen] = [path('saved.bloom'), path('seen.bloom')];
  const capacity = String(2 * urls.distinct);
  execFileSync(process.execPath, [
    CLI,
    'dedupe',
    '--seen',
    saved,
    '--capacity',
    capacity,
    '--output',
    path('out'),
    before,
  ]);
  const awk = (name: string, ...args: string[]): Program => ({ name, command: 'gawk', args });
  const nightly = 'NR == FNR { seen[$0]; next } !($0 in seen) { print; seen[$0] }';
  const pattern = 'match($0, /"id":([0-9]+)/, found) && !seen[found[1]]++';
  return [
    {
      title: 'the first record of each user, CSV, a third of the records with a newline in quotes',
      bytes: csvBytes,
      programs: [
        bloomery('dedupe', '--csv', '--header', '--field', '2', csv),
        bloomery('dedupe', '--csv', '--header', '--field', '2', '--threads', '1', csv),
        { name: 'mlr --csv head -n 1 -g user', command: 'mlr', args: ['--csv', 'head', '-n', '1', '-g', 'user', csv] },
      ],
    },
    {
      title: 'the first line of each user, JSON lines',
      bytes: jsonBytes,
      programs: [
        bloomery('dedupe', '--json-field', 'user.id', json),
        bloomery('dedupe', '--json-field', 'user.id', '--threads', '1', json),
        {
          name: 'mlr --ijsonl --ojsonl flatten then head -n 1 -g user.id',
          command: 'mlr',
          args: [
            '--ijsonl',
            '--ojsonl',
            'flatten',
            'then',
            'head',
            '-n',
            '1',
            '-g',
            'user.id',
            'then',
            'unflatten',
            json,
          ],
        },
        { name: 'jq -r \'"\\(.user.id)\\t\\(tojson)"\' | gawk …', command: 'sh', args: ['-c', JQ_GAWK, 'sh', json] },
        awk('gawk \'match($0, /"id":([0-9]+)/, found) && !seen[found[1]]++\'', pattern, json),
      ],
    },
    {
      title: `a nightly job: the new lines of today's file, after ${integer.format(lines)} lines of the days before`,
      bytes: Math.round(0.2 * urls.bytes),
      programs: [
        bloomery('dedupe', '--seen', seen, today),
        awk("gawk 'NR == FNR { seen[$0]; next } …' BEFORE", nightly, before, today),
      ],
      prepare: () => copyFileSync(saved, seen),
    },
  ];
}

interface Measurement extends Measured {
  readonly lines: number;
}

function markdownOf({ title, bytes, programs }: Case, runs: readonly (readonly Measurement[])[]): string {
  const decimal = (value: number): string => value.toFixed(1);
  const secondsOf = (program: number): number[] => runs.map((round) => round[program]?.seconds ?? Number.NaN);
  const rows = programs.map(({ name, command }, i) => [
    `\`${name}\``,
    ...cellsOf(spreadOf(secondsOf(i)), decimal),
    ...cellsOf(ratioOf(secondsOf(i), secondsOf(0)), times),
    // That of a shell says nothing of the programs that it runs.
    command === 'sh' ? '–' : `${(Math.max(...runs.map((round) => round[i]?.peak ?? 0)) / 1e6).toFixed(0)} MB`,
    integer.format(runs[0]?.[i]?.lines ?? 0),
  ]);
  const heading = ['', 'seconds', 'spread', 'times as fast', 'spread', 'peak memory', 'lines out'];
  return `${integer.format(bytes)} bytes: ${title}\n\n${tableOf(heading, rows)}`;
}

/** How long a new line takes through a pipe, in milliseconds: each is sent when the one before has been printed. */
async function delays(folder: string): Promise<number[]> {
  status('tail -f …');
  const args = [CLI, 'dedupe', '--seen', join(folder, 'piped.bloom'), '--capacity', '1M'];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const found: number[] = [];
  for (let i = 0; i < PIPED_LINES; i++) {
    const begun = performance.now();
    child.stdin?.write(`line ${i}\n`);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    found.push(performance.now() - begun);
  }
  child.stdin?.end();
  await new Promise((resolve) => child.once('close', resolve));
  // The first one waits for the program to start.
  return found.slice(1);
}

const options = { bytes: count('bytes of CSV and of JSON, and twice those of URLs', 1e11, '1e9'), rounds: rounds(3) };

const run: Run = benchmark(options, async ({ bytes, rounds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-records-'));
  try {
    const parts: string[] = [];
    for (const each of casesIn(folder, bytes)) {
      const runs: Measurement[][] = [];
      for (let round = 0; round < rounds; round++) {
        const done: Measurement[] = [];
        for (const program of each.programs) {
          each.prepare?.();
          const output = join(folder, 'out');
          const measured = await measure(program, output);
          done.push({ ...measured, lines: countLines(output) });
        }
        runs.push(done);
      }
      parts.push(markdownOf(each, runs));
    }
    const waited = await delays(folder);
    parts.push(
      `A new line through the pipe of \`tail -f | bloomery dedupe --seen\`: ${median(waited).toFixed(2)} ms in the median of ` +
        `${waited.length}, ${quantile(waited, 0.99).toFixed(2)} ms at most for 99 % of them.`,
      describeMachine(),
    );
    return parts.join('\n\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
export default run;

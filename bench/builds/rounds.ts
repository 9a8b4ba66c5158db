// Runs program.ts for two builds, in turns of a few milliseconds. Other work on the machine can slow down everything by
// 1.6 for seconds, and must hit both alike.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { buildSync } from 'esbuild';
import { BenchmarkError, status } from '../shared/cli.ts';
import { type Random, seeded, shuffle } from '../shared/random.ts';
import type { Job, Step } from './program.ts';

/** How often a process runs each operation after its warm-up. */
export const PASSES = 100;

/** A value for each build. */
export interface Both<T> {
  readonly old: T;
  readonly new: T;
}

interface Plan {
  /** The folders of the checkouts. */
  readonly folders: Both<string>;
  /** The jobs of the processes. Their entries are names in `exports` of package.json. */
  readonly jobs: readonly Job[];
  readonly rounds: number;
  /** The Node that runs the processes. */
  readonly node: string;
}

/** An operation in a job. */
export interface Result {
  readonly job: Job;
  readonly name: string;
  readonly operation: string;
  /** Nanoseconds per key in each pass of each round. */
  readonly rounds: Both<number[]>[];
}

/** A process with one build. */
class Program {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  constructor(node: string, text: string, job: Job) {
    const args = ['--input-type=module', '--eval', text, JSON.stringify(job)];
    this.#process = spawn(node, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async run(name: string): Promise<Step[]> {
    this.#process.stdin.write(`${name}\n`);
    const { done, value } = await this.#answers.next();
    if (done) throw new Error('the process of a build has ended');
    return JSON.parse(value);
  }

  /** Closes the program's input, which ends it. */
  end(): void {
    this.#process.stdin.end();
  }
}

/** The program as JavaScript, for a Node without TypeScript. */
function programText(): string {
  const entryPoints = [join(import.meta.dirname, 'program.ts')];
  const { outputFiles } = buildSync({ entryPoints, bundle: true, format: 'esm', platform: 'node', write: false });
  return outputFiles[0]?.text ?? '';
}

/** The module of an entry. Builds differ in where it is, so their package.json tells: by its name, or by a pattern. */
function entryIn(folder: string, entry: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, { readonly default: string }>>;
  };
  const found = exports[entry]?.default ?? exports['./*']?.default.replace('*', entry.slice('./'.length));
  if (found === undefined) throw new BenchmarkError(`'${folder}' has no entry ${entry}`);
  return join(folder, found);
}

/** Lets both programs run a class once, in random order. Throws BenchmarkError if they do not agree. */
async function runBoth(programs: Both<Program>, name: string, oldFirst: boolean): Promise<Both<Step>[]> {
  const early = oldFirst ? await programs.old.run(name) : undefined;
  const news = await programs.new.run(name);
  const olds = early ?? (await programs.old.run(name));
  return olds.map((old, index) => {
    const step = news[index] as Step;
    if (old.answer === step.answer && old.missed + step.missed === 0) return { old, new: step };
    // If the builds set different bits, one misses keys in a filter that the other saved.
    throw new BenchmarkError(`${name}, ${step.operation}: the old build has ${old.answer}, the new one ${step.answer}`);
  });
}

/** Measures a class. Returns the times in each pass, operation by operation. */
async function measure(
  programs: Both<Program>,
  name: string,
  random: Random,
): Promise<{ operation: string; times: Both<number[]> }[]> {
  // Not measured, because the other program may still be warming up.
  const first = await runBoth(programs, name, true);
  const measured = first.map(({ old: { operation } }) => ({
    operation,
    times: { old: [], new: [] } as Both<number[]>,
  }));
  for (let pass = 0; pass < PASSES; pass++) {
    const steps = await runBoth(programs, name, random(2) === 0);
    for (const [index, { times }] of measured.entries()) {
      times.old.push(steps[index]?.old.nanosecondsPerKey ?? Number.NaN);
      times.new.push(steps[index]?.new.nanosecondsPerKey ?? Number.NaN);
    }
  }
  return measured;
}

/** @throws BenchmarkError if a present key is not found, or the builds do not agree */
export async function compare({ folders, jobs, rounds, node }: Plan): Promise<Result[]> {
  const random = seeded();
  const text = programText();
  const results = new Map<string, Result>();
  for (let round = 1; round <= rounds; round++) {
    status(`round ${round} of ${rounds} …`);
    for (const job of shuffle([...jobs], random)) {
      const start = (folder: string): Program => {
        const entries = job.entries.map((entry) => entryIn(folder, entry));
        return new Program(node, text, { ...job, entries });
      };
      // In random order, like their turns.
      const early = random(2) === 0 ? start(folders.old) : undefined;
      const changed = start(folders.new);
      const programs = { old: early ?? start(folders.old), new: changed };
      try {
        for (const name of job.classes) {
          for (const { operation, times } of await measure(programs, name, random)) {
            const key = [jobs.indexOf(job), name, operation].join();
            const result = results.get(key) ?? { job, name, operation, rounds: [] };
            result.rounds.push(times);
            results.set(key, result);
          }
        }
      } finally {
        programs.old.end();
        programs.new.end();
      }
    }
  }
  return [...results.values()].sort((a, b) => jobs.indexOf(a.job) - jobs.indexOf(b.job));
}

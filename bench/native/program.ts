// The program in bench/native/cpp/: compiled when it is missing or older than its sources, and run beside this process.

import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isStale } from '../../tools/stale.ts';

const PROGRAM = 'build/native';
const SOURCES = 'bench/native/cpp';
const FLAGS = ['-O3', '-march=native', '-std=c++17'];

/** The program's description of itself. */
export interface Description {
  readonly compiler: string;
  readonly simd: string;
  readonly present: number;
  readonly absent: number;
}

/** The time and the result of an operation. */
export interface Answer {
  readonly nanoseconds: number;
  /** How many keys were new, or were found. */
  readonly flagged: number;
  /** How many bits are set; only after an operation that sets bits. */
  readonly popcount?: number;
  /** The 64-bit FNV-1a of all bits in hexadecimal; only after an operation that sets bits. */
  readonly fnv1a?: string;
}

/** Compiles the program if it is missing or stale. Returns false if there is no compiler. */
export function compile(): boolean {
  if (!isStale([PROGRAM], [SOURCES])) return true;
  const { CXX } = process.env;
  const commands = CXX ? [CXX] : ['c++', 'g++', 'clang++'];
  const compiler = commands.find((command) => spawnSync(command, ['--version']).error === undefined);
  if (compiler === undefined) return false;
  mkdirSync('build', { recursive: true });
  // The compiler's messages go to stderr: stdout is for the results.
  execFileSync(compiler, [...FLAGS, `${SOURCES}/main.cpp`, '-o', PROGRAM], { stdio: ['ignore', 2, 2] });
  return true;
}

export class NativeProgram {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  constructor(args: readonly string[]) {
    this.#process = spawn(PROGRAM, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** The program's first line, which it prints once it has read its keys. */
  async describe(): Promise<Description> {
    return JSON.parse(await this.#line());
  }

  async run(command: string): Promise<Answer> {
    this.#process.stdin.write(`${command}\n`);
    return JSON.parse(await this.#line());
  }

  /** Closes the program's input, which ends it. */
  end(): void {
    this.#process.stdin.end();
  }

  async #line(): Promise<string> {
    const { done, value } = await this.#answers.next();
    if (done) throw new Error('the native program has ended');
    return value;
  }
}

// The program in bench/native/: compiled when it is missing or older than its sources, and run beside this process.

import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isStale } from '../tools/stale.ts';

const PROGRAM = 'build/native';
const SOURCES = 'bench/native';
const FLAGS = ['-O3', '-march=native', '-std=c++17'];

/** What the program says of itself. */
export interface Description {
  readonly compiler: string;
  readonly simd: string;
  readonly present: number;
  readonly absent: number;
}

/** What an operation took and did. */
export interface Answer {
  readonly nanoseconds: number;
  /** How many keys were new, or were found. */
  readonly flagged: number;
  /** How many bits are set; after an operation that sets some. */
  readonly popcount?: number;
  /** A hash of all the bits, FNV-1a of 64 bits in hexadecimal; likewise. */
  readonly fnv1a?: string;
}

/** Compiles the program, unless that has been done. False where there is no compiler. */
export function compile(): boolean {
  if (!isStale([PROGRAM], [SOURCES])) return true;
  const { CXX } = process.env;
  const commands = CXX ? [CXX] : ['c++', 'g++', 'clang++'];
  const compiler = commands.find((command) => spawnSync(command, ['--version']).error === undefined);
  if (compiler === undefined) return false;
  mkdirSync('build', { recursive: true });
  // Its messages are no part of what this process prints.
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

  /** What it says first, once it has read its keys. */
  async describe(): Promise<Description> {
    return JSON.parse(await this.#line());
  }

  async run(command: string): Promise<Answer> {
    this.#process.stdin.write(`${command}\n`);
    return JSON.parse(await this.#line());
  }

  /** It ends when there are no more commands. */
  end(): void {
    this.#process.stdin.end();
  }

  async #line(): Promise<string> {
    const { done, value } = await this.#answers.next();
    if (done) throw new Error('the native program has ended');
    return value;
  }
}

// The two sides of the comparison: the program in bench/native/cpp/, compiled when it is missing or older than its sources,
// and run beside this process; and bloomery, in this process.

import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { hashKeys } from 'bloomery/hash';
import { keyedHashKeys } from 'bloomery/keyed';
import { isStale } from '../../tools/stale.ts';
import { sumOf } from '../shared/figures.ts';
import type { Batch, KeySet, Workload } from './workloads.ts';

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

/** `addFlags` also reports which keys were new. In this order, each operation finds the filter that it needs. */
export const OPERATIONS = ['add', 'addFlags', 'hit', 'miss'] as const;
export const KINDS = ['classic', 'blocked'] as const;
/** Hashing alone, without a secret and with one. */
export const HASHINGS = ['hash', 'hashKeyed'] as const;
export type Hashing = (typeof HASHINGS)[number];
export type Operation = (typeof OPERATIONS)[number];
export type Kind = (typeof KINDS)[number];

/** Sizes of the filters, the same on both sides. */
export interface Sizes {
  /** The bits of the classic filter. */
  readonly bits: number;
  readonly hashes: number;
  /** The blocks of the blocked filter. */
  readonly blocks: number;
}

export const BLOCK_BITS = 256;
/** The size of the header before the bits of a saved filter. */
const HEADER_BYTES = 64;

/** The secret of the native program. */
const SECRET = Uint8Array.from({ length: 16 }, (_, i) => i);

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** The number of bits set, and their 64-bit FNV-1a in hexadecimal: equal for equal bits, almost never for others. */
function digest(bytes: Uint8Array): { popcount: number; fnv1a: string } {
  let popcount = 0;
  // Computed in 32-bit halves, because bigints would take a hundred times as long. The prime is 2^40 + 0x1b3.
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    popcount += ONES[byte] as number;
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  const hexadecimal = (half: number): string => half.toString(16).padStart(8, '0');
  return { popcount, fnv1a: hexadecimal(high) + hexadecimal(low) };
}

export class Subject {
  readonly #filters: Record<Kind, BloomFilter | BlockedBloomFilter>;
  readonly #present: KeySet;
  readonly #absent: KeySet;
  readonly #flags: Uint8Array<ArrayBuffer>;
  readonly #hashKeyed = keyedHashKeys(SECRET);

  constructor({ present, absent }: Workload, { bits, hashes, blocks }: Sizes) {
    this.#filters = {
      classic: new BloomFilter({ bits, hashes }),
      blocked: new BlockedBloomFilter({ bits: blocks * BLOCK_BITS }),
    };
    this.#present = present;
    this.#absent = absent;
    this.#flags = new Uint8Array(Math.max(present.largestBatch, absent.largestBatch));
  }

  run(kind: Kind, operation: Operation): Answer {
    const filter = this.#filters[kind];
    const flags = this.#flags;
    if (operation === 'hit' || operation === 'miss') {
      const keys = operation === 'hit' ? this.#present : this.#absent;
      return this.#timed(keys, (batch) => filter.hasMany(batch.keys, flags), true);
    }
    filter.clear();
    const timed =
      operation === 'add'
        ? this.#timed(this.#present, (batch) => filter.addMany(batch.keys), false)
        : this.#timed(this.#present, (batch) => filter.addMany(batch.keys, flags), true);
    return { ...timed, ...digest(filter.toBytes().subarray(HEADER_BYTES)) };
  }

  /** The flags are the lowest bits of the second halves of all hashes. */
  hash(hashing: Hashing): Answer {
    const hashAll = hashing === 'hash' ? hashKeys : this.#hashKeyed;
    let milliseconds = 0;
    let flagged = 0;
    for (const { keys } of this.#present.batches()) {
      const start = performance.now();
      const { bytes } = hashAll(keys);
      milliseconds += performance.now() - start;
      for (let at = 8; at < bytes.length; at += 16) flagged += (bytes[at] as number) & 1;
    }
    return { nanoseconds: 1e6 * milliseconds, flagged };
  }

  dispose(): void {
    for (const kind of KINDS) this.#filters[kind].dispose();
  }

  /** Times only the calls, without making batches and counting flags. */
  #timed(keys: KeySet, work: (batch: Batch) => void, flagging: boolean): Answer {
    let milliseconds = 0;
    let flagged = 0;
    for (const batch of keys.batches()) {
      const start = performance.now();
      work(batch);
      milliseconds += performance.now() - start;
      if (flagging) flagged += sumOf(this.#flags.subarray(0, batch.count));
    }
    return { nanoseconds: 1e6 * milliseconds, flagged };
  }
}

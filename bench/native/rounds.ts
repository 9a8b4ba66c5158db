// Times bloomery and the native program in turns, and compares their answers.

import { optimalBits } from 'bloomery';
import { BenchmarkError, inRounds } from '../shared/cli.ts';
import { seeded, shuffle } from '../shared/random.ts';
import {
  type Answer,
  BLOCK_BITS,
  type Description,
  HASHINGS,
  type Hashing,
  KINDS,
  type Kind,
  NativeProgram,
  OPERATIONS,
  type Operation,
  type Sizes,
  Subject,
} from './sides.ts';
import type { Workload } from './workloads.ts';

const ERROR_RATE = 0.01;
const HASHES = 7;
/** With this many times the classic filter's bits, the blocked filter has about the same error rate. */
const BLOCKED_SHARE = 1.12;

/** The times of both sides. */
export interface Times {
  /** Nanoseconds per key, round by round. */
  readonly native: number[];
  /** Nanoseconds per key, round by round. */
  readonly bloomery: number[];
}

/** The times of one operation in all rounds. */
export interface Timing extends Times {
  readonly kind: Kind;
  readonly operation: Operation;
  readonly keys: number;
  /** The number of keys that were new, or found. */
  flagged: number;
}

export interface Result {
  readonly title: string;
  readonly present: number;
  readonly absent: number;
  readonly sizes: Sizes;
  readonly program: Description;
  /** Reading and hashing alone: part of all native times. bloomery also stores the hashes. */
  readonly hashings: Readonly<Record<Hashing, Times>>;
  readonly timings: readonly Timing[];
}

function sizesFor(count: number): Sizes {
  const bits = optimalBits(count, ERROR_RATE);
  return { bits, hashes: HASHES, blocks: Math.ceil((BLOCKED_SHARE * bits) / BLOCK_BITS) };
}

function told({ flagged, popcount, fnv1a }: Answer): string {
  return `${flagged} flags${fnv1a === undefined ? '' : `, ${popcount} bits set, FNV-1a ${fnv1a}`}`;
}

/** Runs an operation on both sides, in random order, and checks that they agree. */
async function runBoth(
  work: Timing | Hashing,
  program: NativeProgram,
  subject: Subject,
  nativeFirst: boolean,
): Promise<{ native: Answer; bloomery: Answer }> {
  const command = typeof work === 'string' ? work : `${work.kind} ${work.operation}`;
  const early = nativeFirst ? await program.run(command) : undefined;
  const bloomery = typeof work === 'string' ? subject.hash(work) : subject.run(work.kind, work.operation);
  const native = early ?? (await program.run(command));
  if (told(native) !== told(bloomery)) {
    throw new BenchmarkError(`${command}: native code has ${told(native)}; bloomery has ${told(bloomery)}`);
  }
  if (typeof work !== 'string' && work.operation === 'hit' && bloomery.flagged !== work.keys) {
    throw new BenchmarkError(`${command}: ${work.keys - bloomery.flagged} keys were not found`);
  }
  return { native, bloomery };
}

/**
 * Runs all operations in `rounds` rounds, after a warm-up round.
 *
 * @throws BenchmarkError if the two sides do not agree
 */
export async function compare(workload: Workload, rounds: number): Promise<Result> {
  const { title, present, absent, args } = workload;
  const sizes = sizesFor(present.count);
  const { bits, hashes, blocks } = sizes;
  const timings = KINDS.flatMap((kind) =>
    OPERATIONS.map((operation): Timing => {
      const keys = operation === 'miss' ? absent.count : present.count;
      return { kind, operation, keys, flagged: 0, native: [], bloomery: [] };
    }),
  );
  const hashings: Result['hashings'] = { hash: { native: [], bloomery: [] }, hashKeyed: { native: [], bloomery: [] } };
  const random = seeded();
  const native = new NativeProgram([...args, `${bits}`, `${hashes}`, `${blocks}`]);
  const subject = new Subject(workload, sizes);
  try {
    const program = await native.describe();
    if (program.present !== present.count || program.absent !== absent.count) {
      throw new BenchmarkError(`native code has read ${program.present} and ${program.absent} keys`);
    }
    for (const round of inRounds(title, rounds)) {
      for (const hashing of HASHINGS) {
        const answers = await runBoth(hashing, native, subject, random(2) === 0);
        if (round === 0) continue;
        hashings[hashing].native.push(answers.native.nanoseconds / present.count);
        hashings[hashing].bloomery.push(answers.bloomery.nanoseconds / present.count);
      }
      // The warm-up keeps the order of `timings`, so that the filters are filled before lookups.
      for (const timing of round === 0 ? timings : shuffle([...timings], random)) {
        const answers = await runBoth(timing, native, subject, random(2) === 0);
        timing.flagged = answers.bloomery.flagged;
        if (round === 0) continue;
        timing.native.push(answers.native.nanoseconds / timing.keys);
        timing.bloomery.push(answers.bloomery.nanoseconds / timing.keys);
      }
    }
    return { title, present: present.count, absent: absent.count, sizes, program, hashings, timings };
  } finally {
    native.end();
    subject.dispose();
  }
}

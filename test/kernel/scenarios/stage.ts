// Shared by all scenarios: the layout of memory, and random arguments.

import type { KernelExports } from '../../../src/kernel/instance.ts';
import { BASE } from '../builds.ts';

export const PAGES = 4;
export const KEYS = BASE + 64;
export const KEY_BYTES = 32_768;
export const ENDS = KEYS + KEY_BYTES + 64;
export const MAX_KEYS = 1024;
export const FLAGS = ENDS + 4 * MAX_KEYS;
export const HASHES = FLAGS + MAX_KEYS;
export const BODY = HASHES + 16 * MAX_KEYS;
export const OTHER = BODY + 65_536;
export const SEEDS = 2 ** 32;
export const ROUNDS = 50;

/** What a scenario works with. `Linked` is the type of a linked module's functions. */
export interface Stage<Linked = unknown> {
  readonly kernel: KernelExports & Linked;
  readonly bytes: Uint8Array;
  /** Random integers in 0 … limit − 1. */
  readonly random: (limit: number) => number;
}

/** Calls a function with random valid arguments. For invalid ones, builds may differ. */
export type Scenario<Linked = unknown> = (stage: Stage<Linked>) => void;

/** Writes random ends below `length`, in bytes or units, and returns their number. */
export function putEnds({ bytes, random }: Stage, length: number): number {
  const count = random(100);
  const ends = Uint32Array.from({ length: count }, () => random(length)).sort();
  new Uint32Array(bytes.buffer, ENDS, count).set(ends);
  return count;
}

/** Random arguments for the functions of single keys: a string that the kernel reads, or bytes in memory. */
export function oneKey(random: Stage['random']): [text: string | null, key: number, length: number] {
  const length = random(100);
  if (random(2)) return [null, KEYS + random(1000), length];
  const most = random(2) ? 0x80 : 0x10000;
  return [String.fromCharCode(...Array.from({ length }, () => random(most))), 0, length];
}

export const multiple = ({ random }: Stage, of: number, below: number): number => of * random(below / of);

/** Where a random chunk of hashes begins, its number of keys, and where its flags go. */
export const chunk = (random: Stage['random']): [hashes: number, count: number, flags: number] => [
  HASHES + 16 * random(500),
  random(500),
  FLAGS,
];

/** Repeats calls, each with other random arguments. */
export function repeat<Linked>(
  call: (stage: Stage<Linked>, i: number) => unknown,
  times: number = ROUNDS,
): Scenario<Linked> {
  return (stage) => {
    for (let i = 0; i < times; i++) call(stage, i);
  };
}

/** Repeats calls in a body that is empty at first. */
export function inZeros<Linked>(
  call: (stage: Stage<Linked>, i: number) => unknown,
  times: number = ROUNDS,
): Scenario<Linked> {
  return (stage) => {
    stage.bytes.fill(0, BODY, OTHER);
    repeat(call, times)(stage);
  };
}

/**
 * Repeats calls in a body of random bits of which 1 in 2^`halvings` is 0, so that some keys find all their bits set.
 */
export function inOnes<Linked>(
  halvings: number,
  call: (stage: Stage<Linked>, i: number) => unknown,
  times: number = ROUNDS,
): Scenario<Linked> {
  return (stage) => {
    const { bytes, random } = stage;
    for (let at = BODY; at < OTHER; at++) {
      let byte = 0;
      for (let i = 0; i < halvings; i++) byte |= random(256);
      bytes[at] = byte;
    }
    repeat(call, times)(stage);
  };
}

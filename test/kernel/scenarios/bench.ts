// What the scenarios have in common: where things lie in memory, and how they are made at random.

import type { KernelExports } from '../../../src/kernel/kernel.ts';
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

/** Where a scenario plays. `Linked` are the functions of a linked module. */
export interface Bench<Linked = unknown> {
  readonly kernel: KernelExports & Linked;
  readonly bytes: Uint8Array;
  /** Random integers in 0 … limit − 1. */
  readonly random: (limit: number) => number;
}

/** Calls functions at random, within what each of them asks for: outside of that builds may differ. */
export type Scenario<Linked = unknown> = (bench: Bench<Linked>) => void;

/** Writes random ends, within `length` bytes or units, and returns how many. */
export function putEnds({ bytes, random }: Bench, length: number): number {
  const count = random(100);
  const ends = Uint32Array.from({ length: count }, () => random(length)).sort();
  new Uint32Array(bytes.buffer, ENDS, count).set(ends);
  return count;
}

/** A string that the kernel reads, or bytes in memory: as the functions of single keys take them. */
export function oneKey(random: Bench['random']): [text: string | null, key: number, length: number] {
  const length = random(100);
  if (random(2)) return [null, KEYS + random(1000), length];
  const most = random(2) ? 0x80 : 0x10000;
  return [String.fromCharCode(...Array.from({ length }, () => random(most))), 0, length];
}

export const multiple = ({ random }: Bench, of: number, below: number): number => of * random(below / of);

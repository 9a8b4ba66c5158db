// How keys are looked up where the cells are not in memory, but are read as they are needed. Each kind says in
// probe.ts which cells a key has; docs/format.md specifies that, and assembly/ does the same in memory.

import type { ReadHead } from '../format/header.ts';

/** The two halves of a key's hash. */
export type Hash = readonly [h1: bigint, h2: bigint];

/** What follows from a head in which the capacity and the error rate are 0, as in those of maps and sets. */
interface Rates {
  readonly capacity?: number;
  readonly errorRate?: number;
}

/** How the keys of one filter are looked up. */
export interface Probe extends Rates {
  /** The number of cells that are read for each key. */
  readonly cells: number;
  /** The number of bits of each of them, at most 32. */
  readonly width: number;
  /** The cells lie in runs of this number, each in ascending order and so close that one read gets it. */
  readonly run: number;
  /**
   * Writes where the cells of a key begin, in bits from the beginning of the body. Returns the fingerprint that `holds`
   * compares with, or 0 if there is none.
   */
  place(hash: Hash, bits: Float64Array): number;
  /** The number of shards, if the filter consists of shards. */
  readonly shards?: number;
  /** Whether a key with these cells may be present. */
  holds(cells: Uint32Array, fingerprint: number): boolean;
  /** Only in a map: the value of a key with these cells; undefined if it is absent. */
  toValue?(cells: Uint32Array, fingerprint: number): number | undefined;
}

/** How the keys of a filter are looked up whose cells are in order: what was read tells what to read next. */
export interface Search extends Rates {
  /** The number of reads that most keys take. */
  readonly reads: number;
  find(hash: Hash): Finding;
}

/** The search for one key. */
export interface Finding {
  /** Whether the key is present; undefined as long as something must be read to know it. */
  readonly isPresent: boolean | undefined;
  /** Where the next read begins and ends, in bytes from the beginning of the body. */
  readonly start: number;
  readonly end: number;
  /** Takes what was read: these bytes, or more before and after them. `start` is the offset where they begin. */
  look(bytes: Uint8Array, start: number): void;
}

/** Makes the probe of a filter of one kind. `Own` is the type of the kind's own parameters. */
export type ProbeOf<Own = unknown> = (head: ReadHead<Own>) => Probe;

/** Makes the search in a filter of one kind. `worth` is the number of bytes that are as cheap as another read. */
export type SearchOf = (head: ReadHead, worth: number) => Search;

/** The mask of the low 32 bits. */
export const LOW = 0xffffffffn;

/** The low 32 bits. */
export function lowOf(half: bigint): number {
  return Number(half & LOW);
}

/** The high 32 bits. */
export function highOf(half: bigint): number {
  return Number(half >> 32n);
}

/** Scales 32 bits to 0 … n − 1. */
export function scale32(bits: number, n: number): number {
  return Number((BigInt(bits) * BigInt(n)) >> 32n);
}

/** Scales 64 bits to 0 … n − 1. */
export function scale64(bits: bigint, n: number): number {
  return Number((bits * BigInt(n)) >> 64n);
}

/** Whether MurmurHash3 gave h1 = 2 x and h2 = 3 x, as it does for keys of 1 to 8 bytes whose length is the seed. */
export function areMultiples([h1, h2]: Hash): boolean {
  return BigInt.asUintN(64, 3n * h1 - 2n * h2) === 0n;
}

/** The part of h2 that is independent of h1, for the kinds that put fingerprints into buckets. */
export function halfOf(hash: Hash): number {
  return areMultiples(hash) ? lowOf(hash[1]) : highOf(hash[1]);
}

/** MurmurHash3's finalizer of 32 bits. */
export function mix32(x: number): number {
  const once = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

export function areAllSet(cells: Uint32Array): boolean {
  return cells.every(Boolean);
}

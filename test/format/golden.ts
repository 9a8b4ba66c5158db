// Files that earlier versions wrote.

import { readFileSync } from 'node:fs';
import { keysOf } from './saved.ts';

/** How a file was made. */
export interface Golden {
  readonly file: string;
  readonly kind: string;
  readonly keys: 'strings' | 'integers';
  readonly count: number;
  readonly cells: number;
  readonly hashes: number;
  readonly seed: number;
  readonly promise: { capacity: number; errorRate: number } | null;
  /** The number of bits per cell, for kinds that have cells of several widths. */
  readonly bits?: number;
  /** The number of cells that each key decrements, of stable filters. */
  readonly decrements?: number;
  /** The number of shards, of sharded fuse filters. */
  readonly shards?: number;
  /** How many of the keys, the first ones, were removed. */
  readonly removed?: number;
}

const folder = new URL('../golden/', import.meta.url);

export const goldenFiles = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as readonly Golden[];

export function readGolden({ file }: Golden): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(file, folder)));
}

/** The keys that were added. */
export function goldenKeys({ keys, count }: Golden): (string | number)[] {
  return keys === 'strings' ? keysOf(count) : Array.from({ length: count }, (_, i) => i);
}

// What a map of an example is measured beside: a `Map` that a program reads from JSON.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { heading, row, size } from './report.ts';

const ROUNDS = 5;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** A way to look up the value of a key. */
export interface Way {
  readonly label: string;
  readonly file: Uint8Array;
  /** Whether it works in the bytes of the file. The memory of WebAssembly, where they may be, cannot be measured here. */
  readonly isFile?: true;
  /** Reads the file. */
  load(file: Uint8Array): (key: string) => unknown;
}

/** The bytes that the result of `load` takes on the heap and outside of it, with the file if it keeps that. */
function memoryOf({ file, load }: Way): number {
  const used = (): number => {
    // Twice, because the first time leaves the buffers of what it has collected.
    collectGarbage();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const kept = [load(file.slice())];
  // Reading `kept` last keeps it from being collected before.
  return (used() - before) * kept.length;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1] as number;
}

/** Prints the file, the memory, the start and a lookup of each way. In each round, each way comes once. */
export function printBeside(ways: readonly Way[], keys: readonly string[]): void {
  const memory = ways.map((way) => (way.isFile ? way.file.length : memoryOf(way)));
  const loading = ways.map((): number[] => []);
  const lookups = ways.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { file, load }] of ways.entries()) {
      const start = performance.now();
      const get = load(file);
      const loaded = performance.now();
      for (const key of keys) get(key);
      loading[i]?.push(loaded - start);
      lookups[i]?.push((1e6 * (performance.now() - loaded)) / keys.length);
    }
  }
  for (const [i, way] of ways.entries()) {
    heading(way.label);
    row('the file', size(way.file.length));
    row('in memory', size(memory[i] as number));
    row('milliseconds to load it', median(loading[i] as number[]).toFixed(2));
    row('nanoseconds to look up a key', median(lookups[i] as number[]).toFixed(0));
  }
}

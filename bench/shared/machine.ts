// The machine that something is measured on, its memory and its caches.

import { readFileSync } from 'node:fs';
import { cpus, totalmem, type } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Where and when something was measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** In GiB. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
  readonly bloomery: string;
  /** YYYY-MM-DD */
  readonly date: string;
}

export function thisMachine(): Machine {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
    cores: cpus().length,
    memory: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${process.arch}`,
    node: process.version,
    bloomery: version,
    date: new Date().toISOString().slice(0, 10),
  };
}

export function describeMachine({ cpu, cores, memory, system, node, bloomery, date }: Machine = thisMachine()): string {
  return `${cpu}, ${cores} cores, ${memory} GiB, ${system}, Node ${node}, bloomery ${bloomery}, ${date}`;
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Collects all garbage. */
export const collectGarbage: () => void = collector();

/** By how much `used` grows while `make` runs, with all garbage collected before and after. */
function growthOf(used: () => number, make: () => object): number {
  // Twice, because the first time leaves the buffers of what it has collected.
  collectGarbage();
  collectGarbage();
  const before = used();
  const made = [make()];
  collectGarbage();
  const after = used();
  // Reading `made` last keeps it from being collected while it is measured.
  return made.length * (after - before);
}

/** How many bytes of the heap the result of `make` takes. */
export function heapOf(make: () => object): number {
  return growthOf(() => process.memoryUsage().heapUsed, make);
}

/** How many bytes the result of `make` takes on the heap and in array buffers. */
export function memoryOf(make: () => object): number {
  return growthOf(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  }, make);
}

/** More than the last cache of a processor has for one core. */
const CACHE_BYTES = 2 ** 28;
const LINE_BYTES = 64;

let memory: Uint8Array | undefined;

/** Displaces everything else from the processor's caches. */
export function emptyCaches(): void {
  memory ??= new Uint8Array(CACHE_BYTES);
  for (let at = 0; at < CACHE_BYTES; at += LINE_BYTES) memory[at] = (memory[at] as number) + 1;
}

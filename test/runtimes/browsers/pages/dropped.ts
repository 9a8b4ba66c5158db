// Filters that are dropped by a loop that never returns to the event loop, so that no finalizer runs.

import * as wasm from 'bloomery';
import * as js from 'bloomery/js';
import { holds } from '../../checks/assert.ts';
import { type Check, runChecks } from '../../checks/check.ts';
import { ask, report } from './runner.ts';

/** By how much the memory of all processes may grow, in MiB. */
const LIMIT = 300;
/** How often a loop is tried: on a busy machine, browsers return memory late. */
const TRIES = 3;
/** Filters in plain JavaScript may exceed the limit, but leave at most this many times the garbage of plain buffers. */
const SLACK = 1.5;
/** How much each loop makes, in MiB. */
const MADE = 1024;
/** The sizes of filters in MiB. In plain JavaScript, their memory is the runtime's own, whatever its size. */
const sizes = { wasm: [1 / 64, 0.1, 1, 4, 16, 20], js: [1 / 64, 1, 20] };

const bytesOf = (mib: number): number => Math.ceil(mib * 2 ** 20);
const countOf = (mib: number): number => Math.ceil(MADE / mib);

/** Enough keys to use each page of the largest filter's memory. */
const keys = Uint32Array.from({ length: 8000 }, (_, i) => Math.imul(i, 0x9e3779b1));

/** The growth of the memory while `make` is called in a loop, in MiB, compared with that before the first loop. */
async function growthOf(mib: number, make: () => void): Promise<number> {
  // Time in which what was dropped before goes; its peak is not counted again.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await ask('memory/peak');
  for (let i = countOf(mib); i > 0; i--) make();
  return ask<number>('memory/peak');
}

/** Waits until browsers have returned what was dropped before, for ten seconds at most. */
async function waitForMemory(): Promise<void> {
  for (let left = 20; left > 0; left--) {
    try {
      // Makes browsers collect garbage, as the library does. It is refused then.
      new ArrayBuffer(2 ** 33);
    } catch {}
    await ask('memory/peak');
    await new Promise((resolve) => setTimeout(resolve, 500));
    if ((await ask<number>('memory/peak')) < LIMIT / 3) return;
  }
}

/** What plain buffers leave. WebKit collects filters in plain JavaScript no earlier. */
async function growthOfBuffers(): Promise<number> {
  const growths: number[] = [];
  for (const mib of [1, 20]) growths.push(await growthOf(mib, () => new Uint8Array(bytesOf(mib)).fill(1)));
  return Math.max(...growths);
}

/** @param excused the limit where the usual one is exceeded */
function loops(
  engine: 'wasm' | 'js',
  { BloomFilter }: Pick<typeof wasm, 'BloomFilter'>,
  excused: () => Promise<number>,
): Check[] {
  return sizes[engine].map((mib) => [
    `dropped filters, ${engine}: ${countOf(mib)} of ${1024 * mib} KiB in a synchronous loop`,
    async () => {
      const bits = 8 * bytesOf(mib);
      const some = keys.subarray(0, Math.ceil(400 * mib));
      const growths: number[] = [];
      while (growths.length < TRIES && !growths.some((growth) => growth < LIMIT)) {
        if (growths.length > 0) await waitForMemory();
        growths.push(await growthOf(mib, () => new BloomFilter({ bits, hashes: 7 }).addMany(some)));
      }
      const least = Math.min(...growths);
      const limit = least < LIMIT ? LIMIT : await excused();
      const shown = growths.map((growth) => `+${growth.toFixed(0)}`).join(', then ');
      const detail = `memory of all processes: ${shown} MiB at most, of +${limit.toFixed(0)} allowed`;
      holds(least < limit, detail);
      return detail;
    },
  ]);
}

await ask('memory/start');
await report(
  'page',
  await runChecks([
    ...loops('wasm', wasm, async () => LIMIT),
    ...loops('js', js, async () => SLACK * (await growthOfBuffers())),
  ]),
);

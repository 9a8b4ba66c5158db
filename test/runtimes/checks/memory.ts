// A synchronous loop of temporary filters, in which no finalizer runs, must not fill the memory.

import { holds } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const MIB = 2 ** 20;
const LIMIT = 300 * MIB;
/** The size of all filters of a loop together, in MiB, where its memory can be measured. */
const TOTAL = 700;
/** The same where it cannot: there, the loop only has to end. */
const TOTAL_UNMEASURED = 200;
/** The size of plain buffers to compare with, in MiB: about that of an arena. */
const BUFFER = 32;
/** So many keys that they use each page of a filter. */
const keys = Uint32Array.from({ length: 1000 }, (_, i) => i);

/** The memory of the process in bytes; undefined where a program cannot measure it. */
function residentBytes(): number | undefined {
  try {
    return (globalThis as { process?: { memoryUsage?(): { readonly rss: number } } }).process?.memoryUsage?.().rss;
  } catch {
    // Next's edge has a function that throws.
    return undefined;
  }
}

/** By how many bytes the memory grows at most while `make` is called, each time for `size` MiB, `total` in all. */
function growthOf(size: number, total: number, make: () => void): number {
  const before = residentBytes() ?? 0;
  let peak = before;
  for (let made = 0; made < total; made += size) {
    make();
    peak = Math.max(peak, residentBytes() ?? 0);
  }
  return peak - before;
}

let ofBuffers: number | undefined;

/** Some runtimes collect garbage late, whatever it is: they get twice what plain buffers take there. */
function checkTemporaries({ Filter }: KindOnEngine): string {
  const isMeasured = residentBytes() !== undefined;
  // Measured once, before any filter: where garbage was left, some runtimes let more follow.
  if (isMeasured) ofBuffers ??= growthOf(BUFFER, TOTAL, () => new Uint8Array(BUFFER * MIB).fill(1));
  const growth = growthOf(1, isMeasured ? TOTAL : TOTAL_UNMEASURED, () => {
    const filter = new Filter({ bits: 8 * MIB, hashes: 3 });
    filter.addMany(keys);
    holds(filter.has(keys[0] as number), 'a key is absent');
  });
  const peaks = `+${Math.round(growth / MIB)} MiB, with plain buffers +${Math.round((ofBuffers ?? 0) / MIB)} MiB`;
  holds(growth < Math.max(LIMIT, 2 * (ofBuffers ?? 0)), peaks);
  return peaks;
}

export const memory: readonly Check[] = ofKind('classic', 'a loop of temporary filters', checkTemporaries);

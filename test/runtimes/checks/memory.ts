// A synchronous loop of temporary filters, in which no finalizer runs, must not fill the memory.

import { holds } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const MEGABYTE = 1e6;
const LIMIT = 300 * MEGABYTE;
/** The size of each filter. */
const FILTER_BYTES = 2 ** 20;
/** The size of all filters of a loop together, where its memory can be measured. */
const TOTAL = 1200 * MEGABYTE;
/** The same where it cannot: there, the loop only has to end. */
const TOTAL_UNMEASURED = 200 * MEGABYTE;
/** The size of plain buffers to compare with: about that of an arena. */
const BUFFER_BYTES = 2 ** 25;
/** So many keys that they use each page of a filter. */
const keys = Uint32Array.from({ length: 1000 }, (_, i) => i);

interface Measured {
  memoryUsage?(): { readonly rss: number };
}

/** The memory of the process in bytes; undefined where a program cannot measure it. */
function residentBytes(): number | undefined {
  try {
    return (globalThis as { process?: Measured }).process?.memoryUsage?.().rss;
  } catch {
    // Next's edge has a function that throws.
    return undefined;
  }
}

/** By how many bytes the memory grows at most while `make` is called, each time for `size` bytes, `total` in all. */
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

/** What plain buffers take. Measured once, before any filter: where garbage was left, some runtimes let more follow. */
function growthOfBuffers(): number {
  ofBuffers ??= growthOf(BUFFER_BYTES, TOTAL, () => new Uint8Array(new ArrayBuffer(BUFFER_BYTES)).fill(1));
  return ofBuffers;
}

/** Some runtimes collect garbage late, whatever it is: they get twice what plain buffers take there. */
function checkTemporaries({ Filter }: KindOnEngine): string {
  const isMeasured = residentBytes() !== undefined;
  const plain = isMeasured ? growthOfBuffers() : 0;
  const growth = growthOf(FILTER_BYTES, isMeasured ? TOTAL : TOTAL_UNMEASURED, () => {
    const filter = new Filter({ bits: 8 * FILTER_BYTES, hashes: 3 });
    filter.addMany(keys);
    holds(filter.has(keys[0] as number), 'a key is absent');
  });
  if (!isMeasured) return 'not measured from within';
  const shown = [growth, plain].map((bytes) => `+${Math.round(bytes / MEGABYTE)} MB`);
  const peaks = `peak ${shown[0]}, with plain buffers ${shown[1]}`;
  holds(growth < Math.max(LIMIT, 2 * plain), `${peaks}, of ${TOTAL / MEGABYTE} MB in all`);
  return peaks;
}

export const memory: readonly Check[] = ofKind('classic', 'a loop of temporary filters', checkTemporaries);

// Filters begin, are many at once, and end.

import { errorOf, holds, same, sameList } from './assert.ts';
import { type Check, only } from './check.ts';
import { type KindOnEngine, ofEachKind, ofKind } from './kinds.ts';

async function checkPrepare({ Filter, of, optionsFor }: KindOnEngine): Promise<void> {
  const prepared = Filter.prepare();
  holds(prepared instanceof Promise, 'prepare gives a promise');
  holds((await prepared) === undefined, 'it resolves to nothing');
  await Filter.prepare();
  same(of(['a'], optionsFor(1)).has('a'), true, 'a filter works');
}

const MIB = 2 ** 20;
/** By how much the memory may grow in a loop. */
const LIMIT = 300 * MIB;
/** The size of all filters of a loop together, in MiB; where its memory cannot be measured, the loop only has to end. */
const TOTAL = { measured: 700, unmeasured: 200 };
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

/** In a synchronous loop, no finalizer runs. Some runtimes collect late: they get twice what plain buffers take there. */
function checkTemporaries({ Filter }: KindOnEngine): string {
  const isMeasured = residentBytes() !== undefined;
  // Measured once, before any filter: where garbage was left, some runtimes let more follow.
  if (isMeasured) ofBuffers ??= growthOf(BUFFER, TOTAL.measured, () => new Uint8Array(BUFFER * MIB).fill(1));
  const growth = growthOf(1, isMeasured ? TOTAL.measured : TOTAL.unmeasured, () => {
    const filter = new Filter({ bits: 8 * MIB, hashes: 3 });
    filter.addMany(keys);
    holds(filter.has(keys[0] as number), 'a key is absent');
  });
  const peaks = `+${Math.round(growth / MIB)} MiB, with plain buffers +${Math.round((ofBuffers ?? 0) / MIB)} MiB`;
  holds(growth < Math.max(LIMIT, 2 * (ofBuffers ?? 0)), peaks);
  return peaks;
}

/** More than the 125 memories that Chromium allows a page and its workers together. */
const LIVE = 130;

function checkLive({ Filter }: KindOnEngine): void {
  const bits = 12 * 2 ** 20;
  const live = Array.from({ length: LIVE }, (_, i) => new Filter({ bits, hashes: 3 }).addMany([i, `filter ${i}`]));
  try {
    live.forEach((filter, i) => {
      const wanted = [1, 1, 0, 0];
      sameList(filter.hasMany([i, `filter ${i}`, i + 1, `filter ${i + 1}`]), wanted, `filter ${i}`);
    });
  } finally {
    for (const filter of live) filter.dispose();
  }
}

/** Also by the symbol of `using`, which a polyfill may define late. */
async function checkDisposal({ Filter }: KindOnEngine): Promise<string> {
  const isMissing = Symbol.dispose === undefined;
  const early: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  if (isMissing) Object.defineProperty(Symbol, 'dispose', { value: Symbol('Symbol.dispose'), configurable: true });
  try {
    for (const dispose of ['dispose', early, Symbol.dispose] as const) {
      const filter = Filter.from(['a']);
      filter[dispose]();
      filter[dispose]();
      for (const use of [() => filter.has('a'), () => filter.addMany(['a']), () => filter.clone()]) {
        holds((await errorOf(use, String(use))) instanceof TypeError, `${use} throws a TypeError`);
      }
    }
  } finally {
    if (isMissing) Reflect.deleteProperty(Symbol, 'dispose');
  }
  return `Symbol.dispose ${isMissing ? 'does not exist' : 'exists'} here`;
}

// `prepare` is first: on a page, Chrome before 115 makes no filter that has not been prepared. The loop follows, while
// there is little garbage of other checks.
export const lifetime: readonly Check[] = [
  ...ofEachKind('prepare()', checkPrepare),
  ...only({ once: true }, ofKind('classic', 'a loop of temporary filters', checkTemporaries)),
  ...ofKind('classic', `${LIVE} live filters of 1.5 MiB`, checkLive),
  ...ofKind('classic', 'dispose', checkDisposal),
];

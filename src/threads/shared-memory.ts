// A memory that threads share: its layout, and the places in it that threads claim.
//
//   0            words of 32 bits: a mark, then one for each place, 1 if a thread has it
//   16 KiB       static data of the kernel, which every instance writes, all the same
//   HEAP_BASE    the places: a work area and a scratch each
//   then         the body of the filter, from a cache line on
//
// Its declared maximum is its size: it never grows, so no view of it is ever out of date.

import { EmbeddedModule } from '../kernel/embedded-module.ts';
import { HEAP_BASE, type SharedExports } from '../kernel/generated/shared/exports.ts';
import { code } from '../kernel/generated/shared/wasm.js';
import { instanceOf, type KernelExports } from '../kernel/instance.ts';
import { align, PAGE, Region } from '../kernel/region.ts';
import { type Memory, PADDING, SCRATCH_BYTES } from '../kernel/scratch.ts';
import { FilterMemoryError } from '../util/checks/errors.ts';
import { requireInteger, showBytes } from '../util/checks/validate.ts';

/** The mark at the beginning of a memory: another layout gets another one. */
const MARK = 0x424c4d31;
const MAX_PAGES = 65535;
const WORK_BYTES: number = 16 * 1024;
const PLACES_AT: number = align(HEAP_BASE);
const PLACE_BYTES: number = WORK_BYTES + align(SCRATCH_BYTES);
const MAX_ATTACHMENTS = 1024;

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);

function bodyAt(attachments: number): number {
  return align(PLACES_AT + attachments * PLACE_BYTES);
}

/** The size of the memory for a body, in pages. */
function pagesFor(byteLength: number, attachments: number): number {
  return Math.ceil((bodyAt(attachments) + align(byteLength) + PADDING) / PAGE);
}

function requireIsolated(): void {
  if (globalThis.crossOriginIsolated !== false) return;
  throw new Error(
    'threads share memory only in a cross-origin isolated page: serve it with the headers ' +
      'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp',
  );
}

/** Compiles the kernel in the background. */
export async function prepare(): Promise<void> {
  await embedded.prepare();
}

/**
 * Makes a zeroed memory for a body of `byteLength` bytes.
 *
 * @throws FilterMemoryError if it is too large, or if the system has no more memory; Error on a page that is not isolated
 */
export function makeMemory(byteLength: number, attachments: number): WebAssembly.Memory {
  requireInteger('attachments', attachments, 1, MAX_ATTACHMENTS);
  requireIsolated();
  const pages = pagesFor(byteLength, attachments);
  if (pages > MAX_PAGES) {
    const most = showBytes(MAX_PAGES * PAGE - bodyAt(attachments));
    throw new FilterMemoryError(`a filter of ${showBytes(byteLength)} is too large: at most ${most} fit`, byteLength);
  }
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch (cause) {
    throw new FilterMemoryError(`no shared memory for a filter of ${showBytes(byteLength)}`, byteLength, { cause });
  }
  Atomics.store(wordsOf(memory), 0, MARK);
  return memory;
}

function wordsOf(memory: object): Int32Array {
  return new Int32Array((memory as WebAssembly.Memory).buffer, 0, 1 + MAX_ATTACHMENTS);
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);

/** Whether it is a memory that `makeMemory` made for such a body. */
export function isMemoryFor(memory: unknown, byteLength: number, attachments: unknown): boolean {
  if (!(memory instanceof WebAssembly.Memory) || !isInteger(attachments)) return false;
  const { buffer } = memory;
  return (
    Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]' &&
    buffer.byteLength === PAGE * pagesFor(byteLength, attachments) &&
    Atomics.load(wordsOf(memory), 0) === MARK
  );
}

/** Claims a free place, and returns its number. */
function claim(memory: object, attachments: number): number {
  const words = wordsOf(memory);
  for (let place = 0; place < attachments; place++) {
    if (Atomics.compareExchange(words, 1 + place, 0, 1) === 0) return place;
  }
  throw new RangeError(
    `all ${attachments} attachments of the filter are in use: dispose of one, or make the filter with more`,
  );
}

/** Gives a place back. */
export function releasePlace(memory: object, place: number): void {
  Atomics.store(wordsOf(memory), 1 + place, 0);
}

/** Whether a place is claimed. */
export function isClaimed(memory: object, place: number): boolean {
  return Atomics.load(wordsOf(memory), 1 + place) === 1;
}

/** A thread's own place in a shared memory, and the body as its kernel sees it. */
export interface Attached {
  readonly place: number;
  readonly region: Region;
}

/**
 * Claims a place in a memory, and makes an instance of the kernel that works there.
 *
 * @throws RangeError if all places are claimed
 */
export function attach(memory: object, byteLength: number, attachments: number): Attached {
  requireIsolated();
  const place = claim(memory, attachments);
  try {
    const at = PLACES_AT + place * PLACE_BYTES;
    const exports = new WebAssembly.Instance(embedded.compiled, { env: { memory: memory as WebAssembly.Memory } })
      .exports as object as SharedExports;
    exports.use_work(at);
    // It has those functions that the cells of the two kinds call with hashes in the scratch; they never grow memory.
    const kernel = exports as object as KernelExports;
    const bare = { kernel, memory: memory as Memory, readableUnits: 0, hashStrings: undefined };
    const instance = instanceOf(bare, at + WORK_BYTES);
    return { place, region: new Region(instance, bodyAt(attachments), byteLength) };
  } catch (error) {
    releasePlace(memory, place);
    throw error;
  }
}

/** The number of a place, of a thread that has ended. Throws a RangeError unless it is one. */
export function requirePlace(place: number, attachments: number): number {
  return requireInteger('attachment', place, 0, attachments - 1);
}

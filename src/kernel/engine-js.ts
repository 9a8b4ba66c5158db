import { createEngine } from './engine.ts';
import { instantiate as instantiateScalar } from './generated/kernel/scalar.js';
import { type Bare, type KernelExports, linked, type StringHash } from './instance.ts';
import { type Engine, PAGE, type Sharing } from './region.ts';
import { countMemory, STRINGS, stringFunctions, unitByUnit } from './runtime.ts';
import { CHUNK_UNITS, HASH_BYTES, type Memory } from './scratch.ts';
import { encoder } from './utf8.ts';

/** Pages of 64 KiB: one less than 2 GiB, because larger offsets into typed arrays overflow a signed integer. */
const MAX_PAGES = 32767;
/**
 * Most filters have a buffer of their own, because an ArrayBuffer is cheap, and becomes garbage with the filter. Small
 * filters share a buffer, which gets its final size at once, because growth would copy it.
 */
const SHARING: Sharing = { most: 2 ** 20, bytes: 2 ** 22 - 2 ** 18, pages: 2 ** 22 / PAGE };

/** The kernel itself reads strings of up to this many units. */
const READABLE: number = /* @__PURE__ */ unitByUnit(96);
/** Above this many units in the first string of a run, joining and encoding the run is faster. */
const READ_EACH: number = /* @__PURE__ */ unitByUnit(48);

/**
 * Reads the last unit of each string of a run. While the kernel hashes a string, the processor does not look ahead to
 * the next one; this loop lets it wait for many uncached strings at once. The sum that it returns keeps V8 from
 * dropping the loads.
 */
function touch(keys: readonly unknown[], from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) {
    const key = keys[i];
    if (typeof key !== 'string') break;
    sum += key.charCodeAt(key.length - 1) | 0;
  }
  return sum;
}

// Reads short strings one by one, which is faster than joining them, because V8 would have to flatten the result. If
// the first string is not ASCII, leaves the run to `packStrings`: the kernel would read each such string twice.
function stringHashOf(kernel: KernelExports): StringHash {
  return (keys, from, to, scratch, seed) => {
    const first = keys[from];
    if (typeof first !== 'string' || first.length > READ_EACH || first.charCodeAt(0) > 0x7f) return 0;
    scratch.endValues[0] = touch(keys, from, to);
    let out = scratch.hashes;
    let i = from;
    for (; i < to; i++, out += HASH_BYTES) {
      const key = keys[i];
      if (typeof key !== 'string' || key.length > CHUNK_UNITS) break;
      const text = key.length <= READABLE ? key : null;
      const length = text === null ? encoder.encodeInto(key, scratch.keyBytes).written : text.length;
      kernel.hash_key(text, scratch.keys, length, seed, out);
    }
    return i - from;
  };
}

function instantiate(pages: number, maximum: number): Bare & { memory: ScalarMemory } {
  countMemory(pages * PAGE);
  const memory = scalarMemory(pages, maximum);
  const kernel = instantiateScalar({ env: { memory }, [STRINGS]: stringFunctions });
  return { kernel, memory, readableUnits: READABLE, hashStrings: stringHashOf(kernel) };
}

/** The kernel in plain JavaScript, for runtimes that refuse WebAssembly. */
export const js: Engine = /* @__PURE__ */ createEngine('js', MAX_PAGES, SHARING, instantiate);

/** Instantiates a module in plain JavaScript. */
export type ScalarModule = (imports: ScalarImports) => object;

/**
 * Makes an engine that links modules to the kernel, each over those before it. It shares no memory with other engines.
 *
 * @param complete called with each kernel when all modules are linked to it
 */
export function linkedEngine(modules: readonly ScalarModule[], complete: (bare: Bare) => void = () => {}): Engine {
  return createEngine('js', MAX_PAGES, SHARING, (pages, maximum) => {
    const alone = instantiate(pages, maximum);
    const { memory } = alone;
    let bare: Bare = alone;
    for (const module of modules) {
      bare = linked(bare, module({ env: { memory }, [STRINGS]: stringFunctions, kernel: bare.kernel }));
    }
    complete(bare);
    const { kernel } = bare;
    return { kernel, memory, readableUnits: READABLE, hashStrings: stringHashOf(kernel) };
  });
}

/** Makes an engine with one module linked to the kernel. */
export function jsWith(module: ScalarModule): Engine {
  return { ...linkedEngine([module]), linkedModule: module };
}

/** The memory of modules in plain JavaScript. */
interface ScalarMemory extends Memory {
  /** The largest size it may grow to, in pages of 64 KiB. */
  readonly maximum: number;
  /** Functions to call after growth. Each module over this memory adds one that renews the module's views. */
  readonly renewals: (() => void)[];
}

/** What a module in plain JavaScript imports. The kernel replaces the memory's `grow` with its own. */
export interface ScalarImports {
  readonly env: { readonly memory: ScalarMemory };
  readonly [STRINGS]?: { charCodeAt(text: string, index: number): number };
  readonly kernel?: object;
}

/** Makes a memory of `pages` pages. Once a kernel is instantiated over it, it can grow to `maximum` pages. */
export function scalarMemory(pages: number, maximum: number): ScalarMemory {
  return { buffer: new ArrayBuffer(pages * 65536), maximum, renewals: [], grow: () => -1 };
}

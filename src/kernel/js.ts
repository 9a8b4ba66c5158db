import { createEngine } from './engine.ts';
import { instantiate as instantiateScalar } from './generated/kernel/scalar.js';
import type { Bare, KernelExports, StringHash } from './kernel.ts';
import { linked } from './linked.ts';
import { countMemory } from './pressure.ts';
import { type Engine, PAGE, type Sharing } from './region.ts';
import { type ScalarImports, type ScalarMemory, scalarMemory } from './scalar.ts';
import { CHUNK_UNITS } from './scratch.ts';
import { encoder, STRINGS, stringFunctions, unitByUnit } from './strings.ts';

/** Pages of 64 KiB: one less than 2 GiB, beyond which signed offsets into typed arrays overflow. */
const MAX_PAGES = 32767;
/**
 * Most filters have buffers of their own, because an ArrayBuffer is cheap, and becomes garbage with the filter. Small
 * ones share a buffer, which is allocated at once in its final size: to grow it is to copy it.
 */
const SHARING: Sharing = { most: 2 ** 20, bytes: 2 ** 22 - 2 ** 18, pages: 2 ** 22 / PAGE };

/** The kernel itself reads strings of up to this many units. */
const READABLE: number = /* @__PURE__ */ unitByUnit(96);
/** If the first string of a run has more units than this, joining and encoding the run is faster. */
const READ_EACH: number = /* @__PURE__ */ unitByUnit(48);

/**
 * Reads the last unit of each string of a run. Hashing takes so many instructions that the processor does not get to
 * the next string; here it waits for many strings at once if they are in no cache. Returns a sum, without which V8
 * would drop the loads.
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

// V8 would have to flatten joined strings, which takes longer than to read short ones one by one. But the kernel reads
// a string that is not ASCII twice. If the first one is not, `packStrings` writes all to memory, which is faster.
function stringHashOf(kernel: KernelExports, memory: ScalarMemory): StringHash {
  return (keys, from, to, scratch, seed) => {
    const first = keys[from];
    if (typeof first !== 'string' || first.length > READ_EACH || first.charCodeAt(0) > 0x7f) return 0;
    // Made for each run, because growth replaces the buffer.
    const words = new Int32Array(memory.buffer);
    let out = scratch.hashes >> 2;
    words[out] = touch(keys, from, to);
    let i = from;
    for (; i < to; i++, out += 4) {
      const key = keys[i];
      if (typeof key !== 'string' || key.length > CHUNK_UNITS) break;
      const text = key.length <= READABLE ? key : null;
      const length = text === null ? encoder.encodeInto(key, scratch.keyBytes).written : text.length;
      const hash = kernel.hash_key(text, scratch.keys, length, seed) >> 2;
      for (let word = 0; word < 4; word++) words[out + word] = words[hash + word] as number;
    }
    return i - from;
  };
}

function instantiate(pages: number, maximum: number): Bare & { memory: ScalarMemory } {
  countMemory(pages * PAGE);
  const memory = scalarMemory(pages, maximum);
  const kernel = instantiateScalar({ env: { memory }, [STRINGS]: stringFunctions });
  return { kernel, memory, readableUnits: READABLE, hashStrings: stringHashOf(kernel, memory) };
}

/** The kernel as plain JavaScript, for runtimes that refuse WebAssembly. */
export const js: Engine = /* @__PURE__ */ createEngine('js', MAX_PAGES, SHARING, instantiate);

/**
 * Makes an engine that links a module to the kernel. It shares no memory with other engines.
 *
 * @typeParam Linked what the module exports
 */
export function jsWith<Linked extends object>(module: (imports: ScalarImports) => Linked): Engine<Linked> {
  return createEngine('js', MAX_PAGES, SHARING, (pages, maximum) => {
    const bare = instantiate(pages, maximum);
    const { kernel, memory } = bare;
    return linked(bare, module({ env: { memory }, kernel }));
  });
}

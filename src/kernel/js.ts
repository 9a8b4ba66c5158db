import { inBrowser } from './browsers.ts';
import { createEngine } from './engine.ts';
import { instantiate as instantiateScalar } from './generated/kernel/scalar.js';
import type { Bare, KernelExports, StringHash } from './kernel.ts';
import { linked } from './linked.ts';
import { countMemory } from './pressure.ts';
import { type Engine, PAGE, type Sharing } from './region.ts';
import { type ScalarImports, type ScalarMemory, scalarMemory } from './scalar.ts';
import { CHUNK_UNITS } from './scratch.ts';
import { encoder, STRINGS, stringFunctions } from './strings.ts';

/** Pages of 64 KiB: one less than 2 GiB, beyond which signed offsets into typed arrays overflow. */
const MAX_PAGES = 32767;
/**
 * Most filters have buffers of their own, because an ArrayBuffer is cheap, and becomes garbage with the filter. Small
 * ones share a buffer, which is allocated at once in its final size: to grow it is to copy it.
 */
const SHARING: Sharing = { most: 2 ** 20, bytes: 2 ** 22 - 2 ** 18, pages: 2 ** 22 / PAGE };

/**
 * Up to this many units, the kernel reads a string faster than `encodeInto` writes it, which in browsers takes half a
 * microsecond.
 */
const READABLE: number = inBrowser ? 160 : 96;
/** If the first of many strings has more units, it is faster to join and encode them. */
const SHORT: number = inBrowser ? 160 : 48;

function stringHashOf(kernel: KernelExports, memory: ScalarMemory): StringHash {
  let words = new Int32Array(memory.buffer);
  memory.renewals.push(() => {
    words = new Int32Array(memory.buffer);
  });
  return (keys, from, to, { keys: start, keyBytes, hashes }, seed) => {
    let i = from;
    for (let out = hashes >> 2; i < to; i++, out += 4) {
      const key = keys[i];
      if (typeof key !== 'string' || key.length > (i === from ? SHORT : CHUNK_UNITS)) break;
      const text = key.length <= READABLE ? key : null;
      const length = text?.length ?? encoder.encodeInto(key, keyBytes).written;
      const hash = kernel.hash_key(text, start, length, seed) >> 2;
      for (let word = 0; word < 4; word++) words[out + word] = words[hash + word] as number;
    }
    return i - from;
  };
}

function instantiate(pages: number, maximum: number): Bare & { memory: ScalarMemory } {
  countMemory(pages * PAGE);
  const memory = scalarMemory(pages, maximum);
  const kernel = instantiateScalar({ env: { memory }, [STRINGS]: stringFunctions });
  return { kernel, memory, readable: READABLE, hashStrings: stringHashOf(kernel, memory) };
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

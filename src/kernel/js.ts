import { createEngine } from './engine.ts';
import { instantiate as instantiateScalar } from './generated/kernel/scalar.js';
import type { Bare } from './kernel.ts';
import { linked } from './linked.ts';
import { countMemory } from './pressure.ts';
import { type Engine, PAGE, type Sharing } from './region.ts';
import { type ScalarImports, type ScalarMemory, scalarMemory } from './scalar.ts';
import { STRINGS, stringFunctions } from './strings.ts';

/** Pages of 64 KiB: one less than 2 GiB, beyond which signed offsets into typed arrays overflow. */
const MAX_PAGES = 32767;
/**
 * Most filters have buffers of their own, because an ArrayBuffer is cheap, and becomes garbage with the filter. Small
 * ones share a buffer, which is allocated at once in its final size: to grow it is to copy it.
 */
const SHARING: Sharing = { most: 2 ** 20, bytes: 2 ** 22 - 2 ** 18, pages: 2 ** 22 / PAGE };

function instantiate(pages: number, maximum: number): Bare & { memory: ScalarMemory } {
  countMemory(pages * PAGE);
  const memory = scalarMemory(pages, maximum);
  const kernel = instantiateScalar({ env: { memory }, [STRINGS]: stringFunctions });
  return { kernel, memory, readsText: true };
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

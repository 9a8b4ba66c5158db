import { instantiate as instantiateScalar } from './generated/scalar.js';
import type { Bare, Engine } from './kernel.ts';
import { createEngine } from './region.ts';
import { charCodeAt } from './text.ts';

/** Pages of 64 KiB. One less than 2 GiB: past that, signed offsets into typed arrays go wrong. */
const MAX_PAGES = 32767;

function instantiate(pages: number, maximum: number): Bare {
  // The kernel puts its own `grow` in the place of this.
  const memory = { buffer: new ArrayBuffer(pages * 65536), maximum, grow: () => -1 };
  const kernel = instantiateScalar({ env: { memory }, 'wasm:js-string': { charCodeAt } });
  return { kernel, memory, readsText: false };
}

/** The kernel as plain JavaScript, where WebAssembly is refused. */
export const js: Engine = /* @__PURE__ */ createEngine('js', MAX_PAGES, instantiate);

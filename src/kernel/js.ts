import { instantiate as instantiateScalar } from './generated/scalar.js';
import type { Engine, Instantiated } from './kernel.ts';
import { createEngine } from './region.ts';
import { STRINGS, stringFunctions } from './strings.ts';

/** Pages of 64 KiB. One less than 2 GiB: past that, signed offsets into typed arrays go wrong. */
const MAX_PAGES = 32767;

function instantiate(pages: number, maximum: number): Instantiated {
  // The kernel puts its own `grow` in the place of this.
  const memory = { buffer: new ArrayBuffer(pages * 65536), maximum, grow: () => -1 };
  const kernel = instantiateScalar({ env: { memory }, [STRINGS]: stringFunctions });
  return { kernel, memory, readsText: true };
}

/** The kernel as plain JavaScript, where WebAssembly is refused. */
export const js: Engine = /* @__PURE__ */ createEngine('js', MAX_PAGES, instantiate);

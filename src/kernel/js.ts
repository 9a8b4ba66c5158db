import { instantiate as instantiateScalar } from './generated/scalar.js';
import type { Engine, KernelExports, Memory } from './kernel.ts';
import { createEngine } from './region.ts';

/** Pages of 64 KiB. One less than 2 GiB: past that, signed offsets into typed arrays go wrong. */
const MAX_PAGES = 32767;

function instantiate(pages: number, maximum: number): { kernel: KernelExports; memory: Memory } {
  // The kernel puts its own `grow` in the place of this.
  const memory = { buffer: new ArrayBuffer(pages * 65536), maximum, grow: () => -1 };
  return { kernel: instantiateScalar({ env: { memory } }), memory };
}

/** The kernel as plain JavaScript, where WebAssembly is refused. */
export const js: Engine = /* @__PURE__ */ createEngine('js', MAX_PAGES, instantiate);

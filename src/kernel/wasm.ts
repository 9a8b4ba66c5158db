import { instantiateSync } from '@assemblyscript/loader';
import { hex } from './generated/wasm.ts';
import type { Engine, KernelExports } from './kernel.ts';
import { createEngine } from './region.ts';

let compiled: WebAssembly.Module | undefined;

/**
 * Makes every filter created from now on run on this compiled module, for runtimes that refuse to compile
 * WebAssembly but can import it (`import kernel from 'bloomery/kernel.wasm'` on Cloudflare Workers).
 *
 * @param module what `bloomery/kernel.wasm` of this very version was compiled to
 * @throws TypeError for anything that is not a WebAssembly.Module with the kernel's exports
 */
export function useKernel(module: WebAssembly.Module): void {
  // `exports` throws a TypeError for anything that is not a module.
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === 'bloom_has')) {
    throw new TypeError("module must be the compiled 'bloomery/kernel.wasm'");
  }
  compiled = module;
}

function compile(): WebAssembly.Module {
  return new WebAssembly.Module(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
}

/** Pages of 64 KiB. One less than 4 GiB, so that no end pointer wraps to 0. */
const MAX_PAGES = 65535;

/** One more instance of the kernel, over a memory of its own. */
export function instantiate(pages: number, maximum: number): { kernel: KernelExports; memory: WebAssembly.Memory } {
  let kernel: KernelExports;
  let memory: WebAssembly.Memory;
  try {
    compiled ??= compile();
    memory = new WebAssembly.Memory({ initial: pages, maximum });
    // The bare functions: the loader's own `exports` are wrappers that cost 10 ns a call.
    kernel = { ...(instantiateSync(compiled, { env: { memory } }).instance.exports as object as KernelExports) };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("WebAssembly is refused here: import from 'bloomery/js'", {
      cause: error,
    });
  }
  const { allocate } = kernel;
  // WebAssembly's integers are signed: a pointer above 2^31 comes back negative.
  kernel.allocate = (length) => allocate(length) >>> 0;
  return { kernel, memory };
}

/** The kernel as WebAssembly, compiled at the first use. */
export const wasm: Engine = /* @__PURE__ */ createEngine('wasm', MAX_PAGES, instantiate);

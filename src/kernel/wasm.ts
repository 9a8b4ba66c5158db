import { instantiateSync } from '@assemblyscript/loader';
import { mustBe } from '../validate.ts';
import { hex, stamp } from './generated/wasm.ts';
import type { Engine, Instantiated, KernelExports } from './kernel.ts';
import { createEngine } from './region.ts';
import { STRINGS, stringFunctions } from './strings.ts';

let compiled: WebAssembly.Module | undefined;

/**
 * Makes filters run on a kernel that is compiled already, for runtimes that refuse to compile WebAssembly but can import
 * it (`import kernel from 'bloomery/kernel.wasm'` on Cloudflare Workers). To be called before the first filter is made.
 *
 * @param module the WebAssembly.Module of the `bloomery/kernel.wasm` of this very version
 * @throws TypeError for anything else
 */
export function useKernel(module: object): void {
  if (!(module instanceof WebAssembly.Module)) throw new TypeError(mustBe('module', 'a WebAssembly.Module', module));
  const [section] = WebAssembly.Module.customSections(module, 'bloomery');
  if (new TextDecoder().decode(section) !== stamp) {
    throw new TypeError("module must be the 'bloomery/kernel.wasm' of this very version, got another");
  }
  compiled = module;
}

function compile(): WebAssembly.Module {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  return new WebAssembly.Module(bytes, { builtins: ['js-string'] });
}

/** Pages of 64 KiB. One less than 4 GiB, so that no end pointer wraps to 0. */
const MAX_PAGES = 65535;

/** One more instance of the kernel, over a memory of its own. */
export function instantiate(pages: number, maximum: number): Instantiated {
  let kernel: KernelExports;
  let memory: WebAssembly.Memory;
  let readsText: boolean;
  try {
    compiled ??= compile();
    memory = new WebAssembly.Memory({ initial: pages, maximum });
    const { instance } = instantiateSync(compiled, { env: { memory }, [STRINGS]: stringFunctions });
    // The bare functions: the loader's own `exports` are wrappers that cost 10 ns a call.
    kernel = { ...(instance.exports as object as KernelExports) };
    // What the runtime provides itself is not listed.
    readsText = WebAssembly.Module.imports(compiled).every(({ module }) => module !== STRINGS);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("WebAssembly is refused here: import from 'bloomery/js'", {
      cause: error,
    });
  }
  const { allocate } = kernel;
  // WebAssembly's integers are signed: a pointer above 2^31 comes back negative.
  kernel.allocate = (length) => allocate(length) >>> 0;
  return { kernel, memory, readsText };
}

/** The kernel as WebAssembly, compiled at the first use. */
export const wasm: Engine = /* @__PURE__ */ createEngine('wasm', MAX_PAGES, instantiate);

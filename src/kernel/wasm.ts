import { code } from './generated/kernel/wasm.ts';

// The code is imported first: bundlers keep this order, and it compresses better when it is not amid JavaScript.

import { instantiateSync } from '@assemblyscript/loader';
import { EmbeddedModule } from './embedded.ts';
import { createEngine } from './engine.ts';
import type { Bare, KernelExports } from './kernel.ts';
import { linked } from './linked.ts';
import type { Engine } from './region.ts';
import { STRINGS, stringFunctions } from './strings.ts';

/** Pages of 64 KiB: one less than 4 GiB, so that no end pointer wraps to 0. */
const MAX_PAGES = 65535;

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code, 'bloomery/kernel.wasm');

/**
 * Makes filters run on a kernel that is already compiled, for runtimes that refuse to compile WebAssembly but can
 * import it (`import kernel from 'bloomery/kernel.wasm'` on Cloudflare Workers). Call it before making the first
 * filter.
 *
 * @param module the WebAssembly.Module of `bloomery/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useKernel(module: object): void {
  embedded.use(module);
}

/** Compiles or instantiates WebAssembly in `call`. If that is refused, the error names `entry` to use instead. */
function refusable<T>(entry: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error(`WebAssembly is refused here: import from '${entry}'`, { cause: error });
  }
}

/**
 * Makes an instance of the kernel over a new memory.
 *
 * @param entry where to import from if WebAssembly is refused
 * @internal
 */
export function instantiate(
  pages: number,
  maximum: number,
  entry = 'bloomery/js',
): Bare & { readonly memory: WebAssembly.Memory } {
  const { memory, module, instance } = refusable(entry, () => {
    const memory = new WebAssembly.Memory({ initial: pages, maximum });
    return { memory, ...instantiateSync(embedded.compiled, { env: { memory }, [STRINGS]: stringFunctions }) };
  });
  // The bare functions: the loader's own `exports` are wrappers that cost 10 ns per call.
  const kernel = { ...(instance.exports as object as KernelExports) };
  const { allocate } = kernel;
  // WebAssembly's integers are signed: a pointer above 2^31 comes back negative.
  kernel.allocate = (length) => allocate(length) >>> 0;
  // `imports` does not list what the runtime provides itself.
  const readsText = WebAssembly.Module.imports(module).every(({ module: from }) => from !== STRINGS);
  return { kernel, memory, readsText };
}

/** The kernel as WebAssembly, compiled on first use. */
export const wasm: Engine = /* @__PURE__ */ createEngine('wasm', MAX_PAGES, instantiate);

/**
 * Makes an engine that links a module to the kernel. It shares no memory with other engines.
 *
 * @typeParam Linked what the module exports. None of its functions may return a pointer, which could be negative.
 * @param entry where to import from if WebAssembly is refused
 */
export function wasmWith<Linked extends object>(module: EmbeddedModule, entry: string): Engine<Linked> {
  return createEngine('wasm', MAX_PAGES, (pages, maximum) => {
    const bare = instantiate(pages, maximum, entry);
    const imports = { env: { memory: bare.memory }, kernel: { ...bare.kernel } };
    const { exports } = refusable(entry, () => new WebAssembly.Instance(module.compiled, imports));
    return linked(bare, exports as object as Linked);
  });
}

import { code } from './generated/kernel/wasm.ts';

// The code is imported first: bundlers keep this order, and it compresses better when it is not amid JavaScript.

import { isFirefox } from './browsers.ts';
import { EmbeddedModule, supply } from './embedded.ts';
import { createEngine } from './engine.ts';
import type { Bare, KernelExports } from './kernel.ts';
import { linked } from './linked.ts';
import { countMemory } from './pressure.ts';
import { type Engine, PAGE, type Sharing } from './region.ts';
import { STRINGS, stringFunctions, unitByUnit } from './strings.ts';

/** Pages of 64 KiB: one less than 4 GiB, so that no end pointer wraps to 0. */
const MAX_PAGES = 65535;
/**
 * Browsers allow few memories: two of the largest filters that share one fit. Runtimes decide by the sizes that they
 * see when to collect garbage: with a smaller first size WebKit, with a larger one Node lets more of it pile up.
 */
export const SHARING: Sharing = { most: 2 ** 24, bytes: 2 ** 25 + 2 ** 12, pages: 2 ** 24 / PAGE };

const embedded: EmbeddedModule = /* @__PURE__ */ new EmbeddedModule(code);

/**
 * Makes filters run on a kernel that is already compiled, for runtimes that refuse to compile WebAssembly but can
 * import it (`import kernel from 'bloomery/kernel.wasm'` on Cloudflare Workers). Call it before making the first
 * filter.
 *
 * @param module the WebAssembly.Module of `bloomery/kernel.wasm`, of exactly this version
 * @throws TypeError for anything else
 */
export function useKernel(module: object): void {
  supply(embedded, module, 'bloomery/kernel.wasm');
}

/** Set once the runtime has refused to start WebAssembly synchronously, as Chrome before 115 does on a page. */
let asynchronousOnly: Error | undefined;

/** The error for WebAssembly that does not start, unless memory is what is missing. */
function errorFor(cause: unknown, entry: string): unknown {
  if (!(cause instanceof RangeError)) {
    return new Error(`WebAssembly is refused here: import from '${entry}'`, { cause });
  }
  if (!cause.message.includes('main thread')) return cause;
  asynchronousOnly = new Error('await BloomFilter.prepare() before the first filter', { cause });
  return asynchronousOnly;
}

/**
 * Compiles and instantiates a module.
 *
 * @param importsOf called only after compiling: where WebAssembly is refused, making a memory may fail too
 * @param entry where to import from if WebAssembly is refused
 */
function start<Exports>(module: EmbeddedModule, importsOf: () => WebAssembly.Imports, entry: string): Exports {
  if (asynchronousOnly) throw asynchronousOnly;
  try {
    return new WebAssembly.Instance(module.compiled, importsOf()).exports as object as Exports;
  } catch (cause) {
    throw errorFor(cause, entry);
  }
}

/** Does the same as `start`, without keeping the thread from other work. */
async function startLater<Exports>(
  module: EmbeddedModule,
  importsOf: () => WebAssembly.Imports,
  entry: string,
): Promise<Exports> {
  try {
    const { exports } = await WebAssembly.instantiate(await module.prepare(), importsOf());
    return exports as object as Exports;
  } catch (cause) {
    throw errorFor(cause, entry);
  }
}

/** Makes a memory. Throws a RangeError if there is no more: Firefox would throw a string. */
function memoryOf(pages: number, maximum: number): WebAssembly.Memory {
  // At least the size to which an arena grows.
  countMemory(Math.max(pages * PAGE, SHARING.bytes));
  try {
    return new WebAssembly.Memory({ initial: pages, maximum });
  } catch (cause) {
    throw new RangeError('no memory', { cause });
  }
}

type Kernel = KernelExports & { readonly memory: WebAssembly.Memory };
type BareKernel = Bare & { readonly memory: WebAssembly.Memory };

function kernelImports(pages: number, maximum: number): WebAssembly.Imports {
  return { env: { memory: memoryOf(pages, maximum) }, [STRINGS]: stringFunctions };
}

/**
 * Up to how many units the kernel reads a string, with functions that the runtime builds into WebAssembly. 0 where the
 * runtime does not have them, and in Firefox, which calls them so slowly that a key takes 1.7 times as long. This is
 * not measured at run time, because code that runs for the first time says little about its speed.
 */
function readableUnits(): number {
  // `imports` does not list what the runtime provides itself.
  const provided = WebAssembly.Module.imports(embedded.compiled).every(({ module: from }) => from !== STRINGS);
  return provided && !isFirefox() ? unitByUnit(48) : 0;
}

function bareOf(exports: Kernel): BareKernel {
  const kernel = { ...exports };
  const { allocate, memory } = kernel;
  // WebAssembly's integers are signed: a pointer above 2^31 comes back negative.
  kernel.allocate = (length) => allocate(length) >>> 0;
  return { kernel, memory, readableUnits: readableUnits() };
}

/**
 * Makes an instance of the kernel over a new memory.
 *
 * @internal
 */
export function instantiate(pages: number, maximum: number, entry = 'bloomery/js'): BareKernel {
  return bareOf(start(embedded, () => kernelImports(pages, maximum), entry));
}

async function instantiateLater(pages: number, maximum: number, entry = 'bloomery/js'): Promise<BareKernel> {
  return bareOf(await startLater(embedded, () => kernelImports(pages, maximum), entry));
}

/** The kernel as WebAssembly, compiled on first use. */
export const wasm: Engine = /* @__PURE__ */ createEngine('wasm', MAX_PAGES, SHARING, instantiate, instantiateLater);

/**
 * Makes an engine that links a module to the kernel. It shares no memory with other engines.
 *
 * @typeParam Linked what the module exports. None of its functions may return a pointer, which could be negative.
 * @param entry where to import from if WebAssembly is refused
 */
export function wasmWith<Linked extends object>(module: EmbeddedModule, entry: string): Engine<Linked> {
  const importsOf = ({ kernel, memory }: BareKernel): WebAssembly.Imports => ({
    env: { memory },
    kernel: { ...kernel },
  });
  return createEngine(
    'wasm',
    MAX_PAGES,
    SHARING,
    (pages, maximum) => {
      const bare = instantiate(pages, maximum, entry);
      return linked(
        bare,
        start<Linked>(module, () => importsOf(bare), entry),
      );
    },
    async (pages, maximum) => {
      const bare = await instantiateLater(pages, maximum, entry);
      return linked(bare, await startLater<Linked>(module, () => importsOf(bare), entry));
    },
  );
}

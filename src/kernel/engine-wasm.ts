import { code } from './generated/kernel/wasm.js';

// The embedded WebAssembly is imported first: bundlers keep this order, and it compresses better at the start of a
// bundle than between JavaScript.

import { EmbeddedModule, supply } from './embedded-module.ts';
import { createEngine } from './engine.ts';
import { type Bare, type KernelExports, linked } from './instance.ts';
import { type Engine, PAGE, type Sharing } from './region.ts';
import { countMemory, isFirefox, STRINGS, stringFunctions, unitByUnit } from './runtime.ts';

/** Pages of 64 KiB: one less than 4 GiB, so that no end pointer wraps to 0. */
const MAX_PAGES = 65535;
/**
 * Browsers allow few memories, so a memory that filters share has room for two filters of the largest size that may
 * share it. Runtimes decide by the sizes of memories when to collect garbage: with a smaller first size WebKit lets
 * more of it pile up, with a larger one Node does.
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

/** The error of a runtime that refused to start WebAssembly synchronously, as Chrome before 115 does on a page. */
let asynchronousOnly: Error | undefined;

/** The errors that `refusalOf` made, so that `withHint` can replace their advice. */
const refusals = /* @__PURE__ */ new WeakSet<object>();

/** @param advice text after the colon; `withHint` replaces the default for entries that `bloomery/js` lacks */
function refusalOf(cause: unknown, advice = "import from 'bloomery/js'"): Error {
  const error = new Error(`WebAssembly is refused here: ${advice}`, { cause });
  refusals.add(error);
  return error;
}

/** Explains why WebAssembly did not start. Returns the error itself if the cause is a lack of memory. */
function errorFor(cause: unknown): unknown {
  if (!(cause instanceof RangeError)) return refusalOf(cause);
  if (!cause.message.includes('main thread')) return cause;
  asynchronousOnly = new Error('WebAssembly is asynchronous here: await prepare() first', {
    cause,
  });
  return asynchronousOnly;
}

/**
 * Compiles and instantiates a module.
 *
 * @param importsOf called only after compiling, because making a memory may fail too where WebAssembly is refused
 */
function start<Exports>(module: EmbeddedModule, importsOf: () => WebAssembly.Imports): Exports {
  if (asynchronousOnly) throw asynchronousOnly;
  try {
    return new WebAssembly.Instance(module.compiled, importsOf()).exports as object as Exports;
  } catch (cause) {
    throw errorFor(cause);
  }
}

/** Compiles and starts a module as `start` does, but asynchronously. */
async function startLater<Exports>(module: EmbeddedModule, importsOf: () => WebAssembly.Imports): Promise<Exports> {
  try {
    const { exports } = await WebAssembly.instantiate(await module.prepare(), importsOf());
    return exports as object as Exports;
  } catch (cause) {
    throw errorFor(cause);
  }
}

/** Makes a memory. Throws a RangeError if the system has none, even in Firefox, which throws a string. */
function memoryOf(pages: number, maximum: number): WebAssembly.Memory {
  // Counts an arena with its final size.
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
 * The most UTF-16 units of a string that the kernel reads itself, with the JS string builtins of WebAssembly. 0 in
 * runtimes without these, and in Firefox, whose calls are so slow that a key takes 1.7 times as long. Not measured at
 * run time, because the first calls of a function say little about its speed.
 */
function readableUnits(): number {
  // `Module.imports` does not list the functions that the runtime provides.
  const provided = WebAssembly.Module.imports(embedded.compiled).every(({ module: from }) => from !== STRINGS);
  return provided && !isFirefox() ? unitByUnit(48) : 0;
}

function bareOf(exports: Kernel): BareKernel {
  return { kernel: { ...exports }, memory: exports.memory, readableUnits: readableUnits() };
}

/**
 * Makes an instance of the kernel over a new memory.
 *
 * @internal
 */
export function instantiate(pages: number, maximum: number): BareKernel {
  return bareOf(start(embedded, () => kernelImports(pages, maximum)));
}

async function instantiateLater(pages: number, maximum: number): Promise<BareKernel> {
  return bareOf(await startLater(embedded, () => kernelImports(pages, maximum)));
}

/** The kernel as WebAssembly, compiled on first use. */
export const wasm: Engine = /* @__PURE__ */ createEngine('wasm', MAX_PAGES, SHARING, instantiate, instantiateLater);

/** The same engine, but where WebAssembly is refused, its error says what to do instead. */
function withHint(engine: Engine, instead: string): Engine {
  const told = (error: unknown): unknown =>
    refusals.has(error as Error) ? refusalOf((error as Error).cause, instead) : error;
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    try {
      return engine.reserve(byteLength, grows);
    } catch (error) {
      throw told(error);
    }
  };
  const prepare = (): Promise<void> =>
    engine.prepare().catch((error) => {
      throw told(error);
    });
  return { ...engine, reserve, prepare };
}

/**
 * The same engine, with the same memory, for entries that `bloomery/js` does not include.
 *
 * @param instead what to do if WebAssembly is refused
 */
export function wasmElse(instead: string): Engine {
  return withHint(wasm, instead);
}

/**
 * Makes an engine that links modules to the kernel, each over those before it. It shares no memory with other engines.
 *
 * @param modules their functions must not return pointers, which could be negative
 * @param instead what to do if WebAssembly is refused
 * @param complete called with each kernel when all modules are linked to it
 */
export function linkedEngine(
  modules: readonly EmbeddedModule[],
  instead: string,
  complete: (bare: Bare) => void = () => {},
): Engine {
  const importsOf = ({ kernel, memory }: Bare): WebAssembly.Imports => ({
    env: { memory: memory as WebAssembly.Memory },
    kernel: { ...kernel },
    [STRINGS]: stringFunctions,
  });
  const engine = createEngine(
    'wasm',
    MAX_PAGES,
    SHARING,
    (pages, maximum) => {
      let bare: Bare = instantiate(pages, maximum);
      for (const module of modules)
        bare = linked(
          bare,
          start(module, () => importsOf(bare)),
        );
      complete(bare);
      return bare;
    },
    async (pages, maximum) => {
      let bare: Bare = await instantiateLater(pages, maximum);
      for (const module of modules) bare = linked(bare, await startLater(module, () => importsOf(bare)));
      complete(bare);
      return bare;
    },
  );
  return withHint(engine, instead);
}

/**
 * Makes an engine with one module linked to the kernel.
 *
 * @param entry where to import from if WebAssembly is refused
 */
export function wasmWith(module: EmbeddedModule, entry: string): Engine {
  return { ...linkedEngine([module], `import from '${entry}'`), linkedModule: module };
}

// Checks that the static data of modules that share a memory do not overlap.

import { readFileSync } from 'node:fs';
import { type Module, modules } from './modules.ts';

const PAGE = 65536;
/** The size of WORK, at the beginning of a memory: see assembly/memory.ts. */
const WORK_BYTES = 16 * 1024;

/**
 * The bytes of two memories, filled with 0 and with 255, after a module was instantiated over each: every byte it
 * writes shows in one of them.
 */
function memoriesOf(
  wasm: string,
  shared: boolean,
): { filler: number; bytes: Uint8Array; exports: WebAssembly.Exports }[] {
  const module = new WebAssembly.Module(readFileSync(wasm));
  return [0, 0xff].map((filler) => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared });
    const bytes = new Uint8Array(memory.buffer).fill(filler);
    const imports: WebAssembly.Imports = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      imports[from] = { ...imports[from], [name]: kind === 'memory' ? memory : () => 0 };
    }
    const { exports } = new WebAssembly.Instance(module, imports);
    return { filler, bytes, exports };
  });
}

/** The first address after the static data of a kernel, where the heap begins. */
export function heapBase(wasm: string, isShared = false): number {
  const { heap_base: base } = memoriesOf(wasm, isShared)[0]?.exports ?? {};
  if (typeof base !== 'function') throw new Error(`${wasm} has no heap_base`);
  return Number(base());
}

/** The address where the range of a module ends. */
function endOf(module: Module): number {
  if (module.isShared) return PAGE;
  return modules.find(({ memoryBase }) => memoryBase > module.memoryBase)?.memoryBase ?? PAGE;
}

/** @throws Error unless all static data of the module lie between its base and the base of the next module */
export function requireRange(module: Module, wasm: string, end: number = endOf(module)): void {
  for (const { filler, bytes } of memoriesOf(wasm, module.isShared ?? false)) {
    const isWritten = (byte: number): boolean => byte !== filler;
    const first = bytes.findIndex(isWritten);
    const last = bytes.findLastIndex(isWritten);
    if (first === -1 || (first >= module.memoryBase && last < end)) continue;
    throw new Error(`${wasm}: static data from ${first} to ${last} must lie from ${module.memoryBase} to ${end - 1}`);
  }
}

/** @throws Error unless the bases are after WORK, ascending, and multiples of 16 */
export function requireRanges(all: readonly Module[]): void {
  const [first, ...others] = all.filter(({ isForeign }) => isForeign).map(({ memoryBase }) => memoryBase);
  if (others.some((base) => base !== first)) throw new Error('tools/entries.ts: other systems have one base');
  const ranges = all.filter(({ isForeign }, i) => !(isForeign && all[i - 1]?.isForeign));
  const bases = ranges.map(({ memoryBase }) => memoryBase);
  if (bases.every((base, i) => base % 16 === 0 && base >= WORK_BYTES && base > (bases[i - 1] ?? 0))) return;
  throw new Error(`tools/modules.ts: bases must rise from ${WORK_BYTES}, in multiples of 16: ${bases.join(', ')}`);
}

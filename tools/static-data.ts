// Where the static data of modules lie that share a memory. The compiler checks that those of each end before the next.

import { readFileSync } from 'node:fs';
import { type Module, modules } from './modules.ts';

/** The size of WORK, at the beginning of a memory: see assembly/memory.ts. */
const WORK_BYTES = 16 * 1024;

/** The first address after the static data of a kernel, where the heap begins. */
export function heapBase(wasm: string, shared = false): number {
  const module = new WebAssembly.Module(readFileSync(wasm));
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared });
  const imports: WebAssembly.Imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: kind === 'memory' ? memory : () => 0 };
  }
  const { heap_base: base } = new WebAssembly.Instance(module, imports).exports;
  if (typeof base !== 'function') throw new Error(`${wasm} has no heap_base`);
  return Number(base());
}

/** The address where the static data of a module must end; undefined if no other module follows it. */
export function endOf({ memoryBase: own, isShared }: Module): number | undefined {
  return isShared ? undefined : modules.find(({ memoryBase }) => memoryBase > own)?.memoryBase;
}

/** @throws Error unless the bases are after WORK, ascending, and multiples of 16 */
export function requireRanges(all: readonly Module[]): void {
  const ranges = all.filter(({ isForeign }, i) => !(isForeign && all[i - 1]?.isForeign));
  const bases = ranges.map(({ memoryBase }) => memoryBase);
  if (bases.every((base, i) => base % 16 === 0 && base >= WORK_BYTES && base > (bases[i - 1] ?? 0))) return;
  throw new Error(`tools/modules.ts: bases must rise from ${WORK_BYTES}, in multiples of 16: ${bases.join(', ')}`);
}

// The WebAssembly modules of the package, and the addresses of their static data.
//
// A memory begins with the 16 KiB of WORK (assembly/memory.ts). Then each module has a lane, a range of addresses for
// its static data, which ends at the base of the next module. The kernel comes last, because the heap begins at the end
// of its data. The last linked module has 1 KiB.

import { entryKinds, otherEntries } from './entries.ts';

export interface Module {
  /** The base of the module's file names. */
  readonly name: string;
  /** The file in assembly/ whose exports are the module's exports. */
  readonly entry: string;
  /** The address at which the static data begin. */
  readonly memoryBase: number;
  /** Whether its memory is shared by threads. Then it is on its own there, and has no form in plain JavaScript. */
  readonly isShared?: boolean;
}

/** Modules that single entries link to the kernel, over the same memory. */
export const linkedModules: readonly Module[] = [...entryKinds, ...otherEntries]
  .flatMap(({ name, memoryBase }) => (memoryBase === undefined ? [] : [{ name, entry: `${name}.ts`, memoryBase }]))
  .sort((one, other) => one.memoryBase - other.memoryBase);

const lastBase = Math.max(...linkedModules.map(({ memoryBase }) => memoryBase));

/** The module that every entry needs: hashing, the allocator and the kinds of the main entry. */
export const kernelModule: Module = { name: 'kernel', entry: 'index.ts', memoryBase: lastBase + 1024 };

export const modules: readonly Module[] = [...linkedModules, kernelModule];

/** The loops of filters that threads share. It is linked to nothing. */
export const sharedModule: Module = { name: 'shared', entry: 'shared.ts', memoryBase: 16 * 1024, isShared: true };

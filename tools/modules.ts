// The WebAssembly modules of the package and the places of their static data. A new linked module is one more row.
//
// A memory begins with the 16 KiB of WORK (assembly/memory.ts). Then each module has a lane for its static data, which
// ends at the base of the next module. The kernel comes last, because the heap begins where its data end.

export interface Module {
  /** The base of the module's file names. */
  readonly name: string;
  /** The file in assembly/ whose exports are the module's exports. */
  readonly entry: string;
  /** The address at which the static data begin. */
  readonly memoryBase: number;
}

/** Modules that single entries link to the kernel, over the same memory. */
export const linkedModules: readonly Module[] = [
  { name: 'wide', entry: 'wide.ts', memoryBase: 16 * 1024 },
  { name: 'cuckoo', entry: 'cuckoo.ts', memoryBase: 17 * 1024 },
  { name: 'rotating', entry: 'rotating.ts', memoryBase: 18 * 1024 },
  { name: 'fuse', entry: 'fuse.ts', memoryBase: 19 * 1024 },
];

/** The module that every entry needs: hashing, the allocator and the kinds of the main entry. */
export const kernelModule: Module = { name: 'kernel', entry: 'index.ts', memoryBase: 20 * 1024 };

export const modules: readonly Module[] = [...linkedModules, kernelModule];

// The WebAssembly modules of the package and where their static data lie. A new linked module is one more row.
//
// Memory begins with the 16 KiB of WORK (assembly/memory.ts). Then each module has a lane for its static data, up to the
// base of the next. The kernel comes last: its heap begins where its data end.

export interface Module {
  /** Names the files of the module. */
  readonly name: string;
  /** Its exports are those of assembly/`entry`. */
  readonly entry: string;
  /** Where its static data begin. */
  readonly memoryBase: number;
}

/** Modules that are linked to the kernel, over the same memory, by the entries that need them. */
export const linkedModules: readonly Module[] = [{ name: 'wide', entry: 'wide.ts', memoryBase: 16 * 1024 }];

/** What every entry has: hashing, the allocator and the kinds of the main entry. */
export const kernelModule: Module = { name: 'kernel', entry: 'index.ts', memoryBase: 20 * 1024 };

export const modules: readonly Module[] = [...linkedModules, kernelModule];

// The WebAssembly modules of the package, and the addresses of their static data.
//
// A memory begins with the 16 KiB of WORK (assembly/memory.ts). Then each module has a range of addresses for its
// static data, which ends at the base of the next module. The kernel comes last, because the heap begins at the end of
// its data. The last linked module has 1 KiB.

import { filterEntries, foreignFilters, type HashName, otherEntries } from './entries.ts';

export interface Module {
  /** The base of the module's file names. */
  readonly name: string;
  /** The file in assembly/ whose exports are the module's exports. */
  readonly entry: string;
  /** The address at which the static data begin. */
  readonly memoryBase: number;
  /** What it hashes keys with, if not with MurmurHash3. Its functions that hash take the place of the kernel's. */
  readonly hash?: HashName;
  /** Whether it is for the filters of another system. No two such modules are in one memory, so they share a range. */
  readonly isForeign: boolean;
  /** Whether its memory is shared by threads. Then it is on its own there, and has no form in plain JavaScript. */
  readonly isShared?: boolean;
}

const foreignNames = new Set(foreignFilters.map(({ name }) => name));

/** Modules that single entries link to the kernel, over the same memory. */
export const linkedModules: readonly Module[] = [...filterEntries, ...otherEntries]
  .flatMap(({ name, memoryBase, hash }) =>
    memoryBase === undefined
      ? []
      : [{ name, entry: `${name}.ts`, memoryBase, isForeign: foreignNames.has(name), ...(hash && { hash }) }],
  )
  .sort((one, other) => one.memoryBase - other.memoryBase);

const lastBase = Math.max(...linkedModules.map(({ memoryBase }) => memoryBase));

/** The module that every entry needs: hashing and the kinds of the main entry. */
export const kernelModule: Module = {
  name: 'kernel',
  entry: 'index.ts',
  memoryBase: lastBase + 1024,
  isForeign: false,
};

export const modules: readonly Module[] = [...linkedModules, kernelModule];

/** The value of the constant HASH in a module: see assembly/hash.ts. */
export function hashNumberOf({ hash }: Module): number {
  return hash === undefined ? 0 : { siphash: 1, xxh64: 2, spark: 3, place: 4, murmur64a: 5 }[hash];
}

/** The loops of filters that threads share. It is linked to nothing. */
export const sharedModule: Module = {
  name: 'shared',
  entry: 'shared.ts',
  memoryBase: 16 * 1024,
  isForeign: false,
  isShared: true,
};

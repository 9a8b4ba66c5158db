import { readFileSync } from 'node:fs';
import { instantiate } from '../../src/kernel/generated/scalar.js';
import type { KernelExports, Memory } from '../../src/kernel/kernel.ts';
import { STRINGS } from '../../src/kernel/strings.ts';

export interface Opened {
  readonly kernel: KernelExports;
  readonly memory: Memory;
}

/** One of the forms that the kernel is compiled to. All of them must do the same. */
export interface Build {
  readonly name: string;
  /** How many pages of 64 KiB its engine may use: the end of the last must not wrap to 0, or pass 2^31. */
  readonly maxPages: number;
  /** A new instance over a memory of its own, of `pages` that may grow to `maximum`. */
  open(pages: number, maximum?: number): Opened;
}

/** As strict as those of a runtime, which trap: a read past the end must show everywhere. */
const strictStrings = {
  charCodeAt(text: string, index: number): number {
    if (index >= text.length) throw new RangeError(`unit ${index} of a string of ${text.length}`);
    return text.charCodeAt(index);
  },
};

function wasm(file: string): Build {
  const bytes = readFileSync(new URL(`../../build/${file}`, import.meta.url));
  const module = new WebAssembly.Module(bytes, { builtins: ['js-string'] });
  const abort = (): never => {
    throw new Error('abort');
  };
  return {
    name: file,
    maxPages: 65535,
    open(pages, maximum = pages) {
      const memory = new WebAssembly.Memory({ initial: pages, maximum });
      const { exports } = new WebAssembly.Instance(module, {
        env: { memory, abort },
        [STRINGS]: strictStrings,
      });
      return { kernel: exports as object as KernelExports, memory };
    },
  };
}

export const release: Build = wasm('release.wasm');
export const debug: Build = wasm('debug.wasm');
export const scalar: Build = wasm('scalar.wasm');
export const js: Build = {
  name: 'scalar.js',
  maxPages: 32767,
  open(pages, maximum = pages) {
    const memory = { buffer: new ArrayBuffer(pages * 65536), maximum, grow: () => -1 };
    return { kernel: instantiate({ env: { memory }, [STRINGS]: strictStrings }), memory };
  },
};

export const builds: readonly Build[] = [release, debug, scalar, js];

/** Where memory is free in all of them, so that tests can lay it out alike. */
export const BASE: number = Math.max(...builds.map(({ open }) => open(1).kernel.heap_base()));

import type { Memory } from './scratch.ts';
import type { STRINGS } from './strings.ts';

/** The memory of modules in plain JavaScript. */
export interface ScalarMemory extends Memory {
  /** The largest size it may grow to, in pages of 64 KiB. */
  readonly maximum: number;
  /** Functions to call after growth. Each module over this memory adds one, which renews the module's views. */
  readonly renewals: (() => void)[];
}

/** What a module in plain JavaScript imports. The kernel replaces the memory's `grow` with its own. */
export interface ScalarImports {
  readonly env: { readonly memory: ScalarMemory };
  readonly [STRINGS]?: { charCodeAt(text: string, index: number): number };
  readonly kernel?: object;
}

/** Makes a memory of `pages` pages. Once a kernel is instantiated over it, it can grow to `maximum` pages. */
export function scalarMemory(pages: number, maximum: number): ScalarMemory {
  return { buffer: new ArrayBuffer(pages * 65536), maximum, renewals: [], grow: () => -1 };
}

import type { Memory } from './scratch.ts';
import type { STRINGS } from './strings.ts';

/** The memory of modules in plain JavaScript. */
export interface ScalarMemory extends Memory {
  /** The most pages of 64 KiB that it may have. */
  readonly maximum: number;
  /** What to call after growth: each module over this memory adds a function that renews its views. */
  readonly renewals: (() => void)[];
}

/** What a module in plain JavaScript imports. The kernel replaces the memory's `grow` by its own. */
export interface ScalarImports {
  readonly env: { readonly memory: ScalarMemory };
  readonly [STRINGS]?: { charCodeAt(text: string, index: number): number };
  readonly kernel?: object;
}

/** A memory of `pages` that may grow to `maximum`, once a kernel is instantiated over it. */
export function scalarMemory(pages: number, maximum: number): ScalarMemory {
  return { buffer: new ArrayBuffer(pages * 65536), maximum, renewals: [], grow: () => -1 };
}

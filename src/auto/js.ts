// `bloomery/auto` for runtimes that run no WebAssembly, or none from bytes: there is no choice.

import * as js from '../entries/js/index.ts';

/**
 * Gives plain JavaScript: the exports of `bloomery/js`, or what `loadJs` imports. Where WebAssembly runs, the function
 * of this name chooses the engine that works.
 *
 * ```ts
 * const { BloomFilter } = await chooseEngine();
 * ```
 *
 * @param load imports an entry on WebAssembly; not called here
 * @param loadJs imports the same in plain JavaScript
 * @returns what both of them export
 * @throws whatever `loadJs` throws
 */
export async function chooseEngine<E extends object>(load: () => Promise<E>, loadJs: () => Promise<E>): Promise<E>;
export async function chooseEngine(): Promise<typeof js>;
export async function chooseEngine(_load?: unknown, loadJs: () => Promise<object> = async () => js): Promise<object> {
  return loadJs();
}

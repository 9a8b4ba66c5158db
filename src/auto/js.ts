// `bloomery/auto` for runtimes that run no WebAssembly, or none from bytes: there is no choice.

import * as js from '../entries/js/index.ts';

/**
 * Loads the engine that works: gives the exports of `bloomery`, or those of `bloomery/js` where WebAssembly is refused
 * or gets no memory, for instance because the address space of the process is limited. Each is imported when it is
 * needed, so with bundlers that split code a page loads only one.
 *
 * ```ts
 * const { BloomFilter } = await chooseEngine();
 * ```
 *
 * For another entry, give both of its forms, which it imports likewise:
 *
 * ```ts
 * const { CuckooFilter } = await chooseEngine(
 *   () => import('bloomery/cuckoo'),
 *   () => import('bloomery/cuckoo/js'),
 * );
 * ```
 *
 * @param load imports the entry on WebAssembly
 * @param loadJs imports the same in plain JavaScript
 * @returns what both of them export
 * @throws whatever `load` or `loadJs` throws
 */
export async function chooseEngine<E extends object>(load: () => Promise<E>, loadJs: () => Promise<E>): Promise<E>;
export async function chooseEngine(): Promise<typeof js>;
export async function chooseEngine(_load?: unknown, loadJs: () => Promise<object> = async () => js): Promise<object> {
  return loadJs();
}

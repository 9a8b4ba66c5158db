import * as main from '../index.ts';

/** The exports that `bloomery` and `bloomery/js` share. */
type Exports = Omit<typeof main, 'useKernel'>;

/**
 * Chooses the engine: gives the exports of `bloomery` where WebAssembly works, and those of `bloomery/js` where it is
 * refused. Bundlers that split code put the JavaScript engine in a file of its own, loaded only when needed.
 *
 * ```ts
 * const { BloomFilter } = await chooseEngine();
 * ```
 */
export async function chooseEngine(): Promise<Exports> {
  try {
    await main.BloomFilter.prepare();
    return main;
  } catch {
    return import('../js.ts');
  }
}

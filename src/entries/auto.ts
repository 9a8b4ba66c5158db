/** What `bloomery` and `bloomery/js` both export. */
type Exports = Omit<typeof import('../index.ts'), 'useKernel'>;

/**
 * Loads the engine that works: gives the exports of `bloomery`, or those of `bloomery/js` where WebAssembly is refused.
 * Each is imported when it is needed, so bundlers that split code leave the other one out of what a page loads.
 *
 * ```ts
 * const { BloomFilter } = await chooseEngine();
 * ```
 */
export async function chooseEngine(): Promise<Exports> {
  // Imported dynamically although it is nearly always needed: a bundler could otherwise put code that both engines
  // share into the module that awaits this function, and importing the JavaScript engine would wait for that module.
  const main = await import('../index.ts');
  try {
    await main.BloomFilter.prepare();
    return main;
  } catch {
    return import('../js.ts');
  }
}

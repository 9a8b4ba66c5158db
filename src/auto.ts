/** What `bloomery` and `bloomery/js` both export. */
type Exports = Omit<typeof import('./index.ts'), 'useKernel'>;

/**
 * Loads the engine that works: gives the exports of `bloomery`, or those of `bloomery/js` where WebAssembly is refused
 * or gets no memory, for instance because the address space of the process is limited. Each is imported when it is
 * needed, so with bundlers that split code a page loads only one.
 *
 * ```ts
 * const { BloomFilter } = await chooseEngine();
 * ```
 */
export async function chooseEngine(): Promise<Exports> {
  // Imported dynamically although it is nearly always needed. Otherwise a bundler could put code that both engines
  // share into the module that awaits this function; then importing the JavaScript engine would wait for that module.
  const main = await import('./index.ts');
  try {
    await main.BloomFilter.prepare();
    // Making a filter shows whether there is memory: WebAssembly sets aside gigabytes of addresses.
    new main.BloomFilter({ bits: 1, hashes: 1 }).dispose();
    return main;
  } catch {
    return import('./entries/js.ts');
  }
}

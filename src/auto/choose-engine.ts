import type * as wasm from '../index.ts';
import type { Engine } from '../kernel/region.ts';

/** What `bloomery` and `bloomery/js` both export. */
type Exports = Omit<typeof wasm, 'useKernel'>;

/** What an entry exports: functions, and classes, which have an engine if they are of filters. */
type Entry = Readonly<Record<string, { readonly engine?: Engine }>>;

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
// Last, because it is what `ReturnType` takes.
export async function chooseEngine(): Promise<Exports>;
export async function chooseEngine(
  load: () => Promise<object> = () => import('../index.ts'),
  loadJs: () => Promise<object> = () => import('../entries/js/index.ts'),
): Promise<object> {
  // Imported dynamically although it is nearly always needed. Otherwise a bundler could put code that both engines
  // share into the module that awaits this function; then importing the JavaScript engine would wait for that module.
  const entry = await load();
  const { engine = (await import('../index.ts')).BloomFilter.engine } =
    Object.values(entry as Entry).find((each) => each.engine) ?? {};
  try {
    await engine.prepare();
    // Reserving memory shows whether there is any: WebAssembly sets aside gigabytes of addresses.
    engine.reserve(1).dispose();
    return entry;
  } catch {
    return loadJs();
  }
}

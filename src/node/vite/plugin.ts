import { basename, extname } from 'node:path';
import { requireOptions } from '../../util/checks/options.ts';
import { mustBe } from '../../util/checks/validate.ts';
import { filterOf } from './list.ts';
import { bytesText, fromAsset, fromModule, loadingText } from './module-text.ts';
import { errorAt, type Place, placeOf } from './place.ts';
import { bytesIdOf, readQuery, splitAsset } from './query.ts';

/** Options of `bloomAssets`. */
export interface BloomAssetsOptions {
  /**
   * Whether a build puts filters into modules, in base64, a third larger, rather than into files that are fetched.
   * Default: whether Vite builds for a server; false in Rollup. Vite's own server always does so.
   */
  inline?: boolean | undefined;
}

/** What the plugin uses of Vite, Rolldown or Rollup while these call it. */
export interface BloomAssetsContext {
  /** Vite's target of the modules. */
  readonly environment?: { readonly config: { readonly consumer: 'client' | 'server' } };
  resolve(source: string, importer?: string, options?: { skipSelf?: boolean }): Promise<{ id: string } | null>;
  addWatchFile(id: string): void;
  emitFile(file: { type: 'asset'; name: string; source: Uint8Array }): string;
}

/** A plugin of Vite, Rolldown and Rollup. */
export interface BloomAssetsPlugin {
  readonly name: string;
  readonly enforce: 'pre';
  /** Adds the plugin to those of workers, which Vite builds apart, and without it would ship the lists as they are. */
  config(): { worker: { plugins: () => BloomAssetsPlugin[] } };
  configResolved(config: { readonly command: string }): void;
  resolveId(this: BloomAssetsContext, source: string, importer?: string): Promise<{ id: string } | null>;
  load(
    this: BloomAssetsContext,
    id: string,
    options?: { readonly ssr?: boolean | undefined },
  ): Promise<string | undefined>;
}

function readOptions(options: unknown): BloomAssetsOptions {
  const given = requireOptions(options, '{ inline: true }', ['inline']) as BloomAssetsOptions;
  if (given.inline === undefined || typeof given.inline === 'boolean') return given;
  throw new TypeError(mustBe('options.inline', 'a boolean', given.inline));
}

/** An import of a filter. */
interface Import {
  readonly source: string;
  /** The module that has it. */
  readonly importer: string | undefined;
  /** Undefined if another plugin has made up the module that imports it. Without a position if a browser asks for it. */
  readonly place: Place | undefined;
}

/** Runs a step. Its errors about parameters say where the import is. */
async function at<T>({ source, place }: Pick<Import, 'source' | 'place'>, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw errorAt(place, `${source}: ${error.message}`, error);
  }
}

/**
 * A plugin that makes filters of lists at build time, for Vite, Rolldown and Rollup.
 *
 * ```ts
 * // vite.config.ts
 * export default { plugins: [bloomAssets()] };
 * // In the app
 * import loadTaken from '../../names.txt?bloom&errorRate=1e-3&kind=fuse';
 *
 * const taken = await loadTaken(); // a BinaryFuseFilter
 * ```
 *
 * Each line of the list, a text in UTF-8, is a key; for a map, a key, a tab and its value. The filter becomes a file of
 * the build with a hash in its name. The module exports a function that fetches file and class at its first call. The
 * parameters, of which `bloom` marks the import:
 *
 * - `kind`: fuse (default), classic, blocked, wide, counting, cuckoo or fuse-map;
 * - `errorRate`: that of the class's `from`; default 0.01;
 * - `engine`: wasm (default) or js, which decides from where the class is imported.
 *
 * A wrong parameter, a list that is missing or compressed, and a line that is not UTF-8 or has no value end the build with
 * an error that names the file and the line. A change of the list reloads the page in development. In Vite, it adds itself
 * to the plugins of workers.
 *
 * @param options whether to inline filters; default `{}`
 * @throws TypeError if an option is unknown or wrong
 */
export function bloomAssets(options: BloomAssetsOptions = {}): BloomAssetsPlugin {
  const { inline } = readOptions(options);
  /** The import of each module that was resolved last. */
  const imports = new Map<string, Import>();
  let isDevelopment = false;

  return {
    name: 'bloom-assets',
    // Vite would take a list that is imported for a file of its own.
    enforce: 'pre',

    config() {
      // Each build of a worker needs a plugin of its own.
      return { worker: { plugins: () => [bloomAssets(options)] } };
    },

    configResolved({ command }) {
      isDevelopment = command === 'serve';
    },

    async resolveId(source, importer = '') {
      const options = { skipSelf: true };
      const asset = splitAsset(source);
      // The list may lie where the package is not installed.
      if (!asset) return imports.has(importer) ? this.resolve(source, imports.get(importer)?.importer, options) : null;
      const imported = { source, importer, place: placeOf(importer, source) };
      await at(imported, () => readQuery(asset.query));
      const list = await this.resolve(asset.path, importer || undefined, options);
      if (!list) throw errorAt(imported.place, `${source}: there is no such file`);
      const id = `${list.id}?${asset.query}`;
      if (imported.place?.position || !imports.has(id)) imports.set(id, imported);
      return { id };
    },

    async load(id, { ssr = false } = {}) {
      const asset = splitAsset(id);
      if (!asset) return undefined;
      const { path } = asset;
      const wanted = readQuery(asset.query);
      this.addWatchFile(path);
      const source = await at(imports.get(id) ?? { source: id, place: undefined }, () => filterOf(path, wanted));
      if (wanted.isBytes) return bytesText(source);
      const isServer = ssr || this.environment?.config.consumer === 'server';
      if (isDevelopment || (inline ?? isServer)) return loadingText(wanted, fromModule(bytesIdOf(id)));
      const name = `${basename(path, extname(path))}.bloom`;
      return loadingText(wanted, fromAsset(this.emitFile({ type: 'asset', name, source })));
    },
  };
}

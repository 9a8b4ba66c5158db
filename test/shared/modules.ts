// The source of every entry, by the table of tools/entries.ts.

import { engineNames, entryOf, kinds } from '../../tools/entries.ts';
import { modules } from '../../tools/manifest.ts';

/** What an entry exports. */
type Exports = Readonly<Record<string, unknown>>;

/** Imports an entry by its name without that of the package, such as `wide/js`. */
export function importEntry(entry: string): Promise<Exports> {
  const { module } = modules.get(entry) ?? {};
  if (module === undefined) throw new Error(`there is no entry ${entry}`);
  // For vitest, only the name of a file may be a variable.
  const [, js, name] = /^entries\/(js\/)?(.*)$/.exec(module) ?? [];
  if (name === undefined) return import('../../src/index.ts');
  return js === undefined ? import(`../../src/entries/${name}.ts`) : import(`../../src/entries/js/${name}.ts`);
}

/** Every kind on every engine, and what its entry exports. */
export const kindModules = await Promise.all(
  engineNames.flatMap((engine) =>
    kinds.map(async (kind) => ({ ...kind, engine, module: await importEntry(entryOf(kind, engine)) })),
  ),
);

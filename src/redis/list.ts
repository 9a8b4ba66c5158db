import { namedKey } from './key-names.ts';
import { filterIn, lookAt } from './look.ts';
import { keysOn, mastersOf } from './masters.ts';
import { forAll } from './pieces.ts';
import { parametersIn, type RedisFilterParameters } from './report.ts';
import type { ScriptRunner } from './run-script.ts';
import { memoryOf, type Size, sizesOf } from './sizes.ts';

/** A name under which Redis has strings or lists of filters. */
export interface RedisListedFilter {
  readonly name: string;
  /** Whether the filter has its parameters. If not, see `check`. */
  readonly hasParameters: boolean;
  /** What the filter was made with; null if nothing says so, as of orphans alone. */
  readonly parameters: RedisFilterParameters | null;
  /** The number of its pieces that are there, of all generations. */
  readonly pieces: number;
  /** The memory of its pieces and lists, in bytes; null if the user may not run MEMORY USAGE. */
  readonly memory: number | null;
  /**
   * For how many seconds no piece has been read or written, `check` included. Redis does not know how old a key is. It
   * starts again after a restart. Null without pieces, under a policy …-lfu, and if the user may not run OBJECT.
   */
  readonly idle: number | null;
  /** The number of pieces that no filter has. */
  readonly orphans: number;
  /** The memory of these pieces, in bytes. */
  readonly orphanMemory: number | null;
}

/** Begins the keys by which masters are reached. Nothing is stored there. */
export const ROUTE = 'bloomery';
/** Pieces, lists and notes of filters of any name. */
const PATTERN = '*:{*}:*';

/** Measures those of some keys that are there. */
async function sizesIn(runner: ScriptRunner, keys: Iterable<string>): Promise<Size[]> {
  const byTag = new Map<string, string[]>();
  for (const key of keys) {
    const tag = key.slice(0, key.indexOf('}'));
    byTag.set(tag, [...(byTag.get(tag) ?? []), key]);
  }
  const sizes: Size[] = [];
  await forAll(byTag.values(), async (some) => {
    sizes.push(...(await sizesOf(runner, some)).filter(({ isGone }) => !isGone));
  });
  return sizes;
}

/** Describes the filter of a name, and what no filter has; undefined if all of it is gone since its keys were found. */
async function describe(
  runner: ScriptRunner,
  name: string,
  keys: ReadonlySet<string>,
): Promise<RedisListedFilter | undefined> {
  // The sizes first: they leave the idle times as they are.
  const sizes = await sizesIn(runner, keys);
  const look = await lookAt(runner, name);
  const filter = filterIn(look);
  const known = new Set([filter?.id, ...look.listed.keys(), ...look.pending.map(({ stored }) => stored.id)]);
  const idOf = (size: Size): string | undefined => namedKey(size.key)?.id;
  const isOrphan = (size: Size): boolean => idOf(size) !== undefined && !known.has(idOf(size));
  // Again: those of a filter that was deleted meanwhile are gone before the lists are without it.
  const orphans = await sizesIn(
    runner,
    sizes.filter(isOrphan).map(({ key }) => key),
  );
  const hasNothing = look.lists.size + look.pending.length + look.spoiled.length + orphans.length === 0;
  if (hasNothing && look.stored === undefined) return undefined;
  const pieces = sizes.filter((size) => filter !== undefined && idOf(size) === filter.id);
  const idle = Math.min(...pieces.map((size) => size.idle ?? Number.POSITIVE_INFINITY));
  return {
    name,
    hasParameters: look.stored !== undefined,
    parameters: filter ? parametersIn(filter) : null,
    pieces: pieces.length,
    memory: memoryOf(sizes.filter((size) => !isOrphan(size))),
    idle: Number.isFinite(idle) ? idle : null,
    orphans: orphans.length,
    orphanMemory: memoryOf(orphans),
  };
}

/** Lists all filters of a server or a cluster, by their names. */
export async function listFilters(runner: ScriptRunner): Promise<RedisListedFilter[]> {
  const byName = new Map<string, Set<string>>();
  for (const master of await mastersOf(runner, ROUTE)) {
    for await (const keys of keysOn(runner, master, PATTERN)) {
      for (const key of keys) {
        const name = namedKey(key)?.name;
        if (name !== undefined) byName.set(name, (byName.get(name) ?? new Set()).add(key));
      }
    }
  }
  const found: RedisListedFilter[] = [];
  for (const name of [...byName.keys()].sort()) {
    const filter = await describe(runner, name, byName.get(name) ?? new Set());
    if (filter) found.push(filter);
  }
  return found;
}

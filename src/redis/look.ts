// What Redis has of a filter, as it is: damaged, half made or gone. Changes nothing.

import { foreign, type RedisFilterError, typedError } from './error.ts';
import { Generation } from './generations.ts';
import { DEFAULT_SPREAD, type Layout } from './layout.ts';
import { LOOK } from './masters.ts';
import { finished, parse, type StoredParameters } from './parameters.ts';
import { notesKey } from './pending-filters.ts';
import { fieldsOf, findListed, forAll, type ListContent, type Listed } from './pieces.ts';
import { integerIn, textIn } from './replies.ts';
import type { ScriptRunner } from './run-script.ts';
import { COUNT, EXISTS, READ } from './scripts.ts';
import { type Measured, measure } from './sizes.ts';

/** A key that cannot be read as what it must be. */
interface Spoiled {
  readonly key: string;
  /** The field of a hash, if it is that alone. */
  readonly field?: string;
  readonly error: RedisFilterError;
}

interface Pending {
  readonly stored: StoredParameters;
  readonly isAtWork: boolean;
}

/** The keys that say which filters there are, without their pieces. */
export interface Look {
  /** The parameters that the name has. */
  readonly stored: StoredParameters | undefined;
  /** Why what the name has cannot be read. */
  readonly refusal: RedisFilterError | undefined;
  /** The fields of each list that can be read. */
  readonly lists: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The filters in the lists, by their ids. */
  readonly listed: ReadonlyMap<string, Listed>;
  readonly pending: readonly Pending[];
  readonly spoiled: readonly Spoiled[];
}

/** The ids of the filters that are noted. */
export function notedIn({ pending }: Look): Set<string> {
  return new Set(pending.map(({ stored }) => stored.id));
}

/** The whole filters in the lists of which no note says that they never get the name. */
export function wholeIn(look: Look): StoredParameters[] {
  const noted = notedIn(look);
  return [...look.listed.values()].flatMap(({ isWhole, stored }) => (isWhole && !noted.has(stored.id) ? [stored] : []));
}

/** The filter that has the name, or had it last: the only whole one in the lists that is not to be deleted. */
export function filterIn(look: Look): StoredParameters | undefined {
  if (look.stored || look.refusal) return look.stored;
  const [only, ...more] = wholeIn(look);
  return only && more.length === 0 ? finished(only) : undefined;
}

/** Runs what reads a key; returns its error if that is about what is stored there. */
async function attempt<T>(read: () => Promise<T>): Promise<T | RedisFilterError> {
  try {
    return await read();
  } catch (error) {
    const typed = typedError(error);
    if (['FOREIGN', 'VERSION', 'DAMAGED', 'LOST'].includes(typed.code)) return typed;
    throw error;
  }
}

/** Reads the filters that a hash describes. Notes in `spoiled` what cannot be read. */
async function readHash(
  runner: ScriptRunner,
  name: string,
  key: string,
  spoiled: Spoiled[],
): Promise<ListContent & { described: StoredParameters[] }> {
  const fields = await attempt(() => fieldsOf(runner, key, false, LOOK));
  if (!(fields instanceof Map)) {
    spoiled.push({ key, error: foreign(key) });
    return { fields: new Map(), described: [] };
  }
  const described: StoredParameters[] = [];
  for (const [id, text] of fields) {
    if (id.includes('.')) continue;
    const stored = await attempt(async () => parse(name, text));
    if (stored instanceof Error) spoiled.push({ key, field: id, error: stored });
    else described.push(stored);
  }
  return { fields, described };
}

/** What the name has. */
type Named = Pick<Look, 'stored' | 'refusal'> & { readonly text: string | null | undefined };

async function readName(runner: ScriptRunner, name: string): Promise<Named> {
  const text = await attempt(async () => textIn(await runner.run(READ, [name], [], LOOK)));
  // WRONGTYPE.
  if (text instanceof Error) return { text: undefined, stored: undefined, refusal: foreign(name) };
  const stored = text === null ? undefined : await attempt(async () => parse(name, text));
  if (stored instanceof Error) return { text, stored: undefined, refusal: stored };
  return { text, stored, refusal: undefined };
}

/** How often to look if another filter gets the name each time. */
const MOST_LOOKS = 5;

/**
 * Looks at the name first and last: a filter that has got it meanwhile may look like one that never gets it. Notes come
 * before, as a filter without a note or a lease either has the name then or will never get it.
 */
export async function lookAt(runner: ScriptRunner, name: string): Promise<Look> {
  let named = await readName(runner, name);
  for (let looks = 1; ; looks++) {
    const behind = await lookBehind(runner, name, named.stored);
    const { text, stored, refusal } = await readName(runner, name);
    if (text === named.text || looks === MOST_LOOKS) return { ...behind, stored, refusal };
    named = { text, stored, refusal };
  }
}

/** Reads the lists, and then the notes. */
async function lookBehind(
  runner: ScriptRunner,
  name: string,
  known: StoredParameters | undefined,
): Promise<Omit<Look, 'stored' | 'refusal'>> {
  const spoiled: Spoiled[] = [];
  const lists = new Map<string, ReadonlyMap<string, string>>();
  const found = await findListed(name, known?.groups ?? DEFAULT_SPREAD, async (list) => {
    const content = await readHash(runner, name, list, spoiled);
    if (content.fields.size > 0) lists.set(list, content.fields);
    return content;
  });
  const listed = new Map(found.map((each) => [each.stored.id, each]));

  const notes = notesKey(name);
  const { described } = await readHash(runner, name, notes, spoiled);
  const pending = await Promise.all(
    described.map(async (stored): Promise<Pending> => {
      const lease = await runner.run(EXISTS, [`${notes}:${stored.id}`], [], LOOK);
      return { stored, isAtWork: integerIn(lease) > 0 };
    }),
  );
  return { lists, listed, pending, spoiled };
}

/** The pieces of a filter or of one generation, as they are. */
export interface Body {
  readonly generation: number | undefined;
  readonly layout: Layout;
  /** Those that are there, whatever they hold. */
  readonly present: readonly Measured[];
  readonly missing: readonly string[];
  /** Those that have another length than they must have, or are no strings. */
  readonly damaged: readonly string[];
  /** The bits that are set; undefined unless all pieces are right. */
  readonly used: number | undefined;
}

export async function lookAtBody(runner: ScriptRunner, layout: Layout): Promise<Body> {
  const lengths = new Map(Array.from(layout.pieces(), ({ key, byteLength }) => [key, byteLength]));
  const measured: Measured[] = [];
  await forAll(Array(layout.groups).keys(), async (group) => {
    const keys = [...lengths.keys()].filter((_, piece) => piece % layout.groups === group);
    measured.push(...(await measure(runner, keys)));
  });
  let present = measured.filter(({ length }) => length !== 0);
  const missing = measured.filter(({ length }) => length === 0).map(({ key }) => key);
  const damaged = present.filter(({ key, length }) => length !== lengths.get(key)).map(({ key }) => key);
  let used: number | undefined;
  if (missing.length + damaged.length === 0) {
    let sum = 0;
    await forAll(lengths, async ([key, byteLength]) => {
      const count = integerIn(await runner.run(COUNT, [key], [String(byteLength)], LOOK), 8 * byteLength);
      // It was deleted since it was measured.
      if (count < 0) missing.push(key);
      sum += count;
    });
    present = present.filter(({ key }) => !missing.includes(key));
    if (missing.length === 0) used = sum;
  }
  const generation = layout instanceof Generation ? layout.number : undefined;
  return { generation, layout, present, missing, damaged, used };
}

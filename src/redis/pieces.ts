import { lost, typedError } from './error.ts';
import { DEFAULT_SPREAD, Layout, listKeys, type Part, type Piece, WHOLE } from './layout.ts';
import { parse, type StoredParameters } from './parameters.ts';
import { integerIn, textsIn } from './replies.ts';
import type { RunOptions, ScriptRunner } from './run-script.ts';
import { COUNT, DROP, ENTER, EXISTS, FIELDS, LISTED, MAKE, SEAL, UNLINK, WRITE } from './scripts.ts';

/** How many keys are visited at once. */
const AT_ONCE = 16;
/** How many whole pieces are made or sent at once. The server takes some milliseconds for each. */
export const PIECES_AT_ONCE = 4;
/** The most keys of one EXISTS. */
const SCRIPT_KEYS = 1000;
/** The suffixes of the fields that a list has for each filter. */
const SUFFIXES = ['', WHOLE, '.window', '.before'] as const;

/** The fields that a list may have for a filter. */
export const fieldsFor = (id: string): string[] => SUFFIXES.map((suffix) => `${id}${suffix}`);

/** The words of a part of a body. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The number of bits that are set. */
function bitsIn(words: Uint32Array): number {
  let count = 0;
  for (let word of words) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/**
 * Calls `visit` for each item, for some at once, by default 16. After a failure it starts no more, waits for those that
 * run, and throws the error. The caller can then delete what they made.
 *
 * @param visit may return undefined if there is nothing to wait for
 */
export async function forAll<T>(
  items: Iterable<T>,
  visit: (item: T) => Promise<void> | undefined,
  atOnce: number = AT_ONCE,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  let done = 0;
  const worker = async (): Promise<void> => {
    try {
      for (let next = iterator.next(); !next.done && errors.length === 0; next = iterator.next()) {
        const visited = visit(next.value);
        // Lets other work of the process come in between.
        if (visited === undefined && ++done % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
        await visited;
      }
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (errors.length > 0) throw errors[0];
}

/**
 * Reads all fields of a Redis hash.
 *
 * @param drops whether to delete a value of another type, rather than throw an error
 */
export async function fieldsOf(
  runner: ScriptRunner,
  key: string,
  drops: boolean,
  options?: RunOptions,
): Promise<Map<string, string>> {
  const read = async (): Promise<readonly string[]> => textsIn(await runner.run(FIELDS, [key], [], options));
  const reply = await read().catch(async (error) => {
    if (!drops || typedError(error).code !== 'LOST') throw error;
    await runner.run(UNLINK, [key], []);
    return read();
  });
  const fields = new Map<string, string>();
  for (let i = 0; i < reply.length; i += 2) fields.set(reply[i] as string, reply[i + 1] ?? '');
  return fields;
}

/**
 * The filters that the fields of a hash describe, by their ids.
 *
 * @param drops whether to delete fields that no version can read, rather than throw an error
 */
export async function describedIn(
  runner: ScriptRunner,
  name: string,
  key: string,
  fields: ReadonlyMap<string, string>,
  drops: boolean,
): Promise<Map<string, StoredParameters>> {
  const found = new Map<string, StoredParameters>();
  for (const [id, text] of fields) {
    if (SUFFIXES.some((suffix) => suffix !== '' && id.endsWith(suffix))) continue;
    try {
      found.set(id, parse(name, text));
    } catch (error) {
      if (!drops || typedError(error).code === 'VERSION') throw error;
      await runner.run(DROP, [key], [id]);
    }
  }
  return found;
}

/** Returns what to write to a part of a new filter. */
export type Content = (part: Part) => Uint8Array;

/** A filter in the lists. */
export interface Listed {
  readonly stored: StoredParameters;
  /** Whether all pieces had been made, or all of a generation, so that it may hold keys. */
  readonly isWhole: boolean;
  /** The lists that have it. */
  readonly lists: ReadonlySet<string>;
}

/** The fields of a list, and the filters that they describe. */
export interface ListContent {
  readonly fields: ReadonlyMap<string, string>;
  readonly described: Iterable<StoredParameters>;
}

/**
 * Finds filters without their parameters: the keys of the lists follow from the name.
 *
 * @param groups another number of slots, besides the default, over which filters may be spread
 */
export async function findListed(
  name: string,
  groups: number,
  read: (list: string) => Promise<ListContent>,
): Promise<Listed[]> {
  const found = new Map<string, { stored: StoredParameters; fieldsIn: Map<string, ListContent['fields']> }>();
  const seen = new Set<string>();
  let next = [...listKeys(name, DEFAULT_SPREAD), ...listKeys(name, groups)];
  while (next.length > 0) {
    const unread = new Set(next.filter((list) => !seen.has(list)));
    next = [];
    await forAll(unread, async (list) => {
      seen.add(list);
      const { fields, described } = await read(list);
      for (const stored of described) {
        const known = found.get(stored.id) ?? { stored, fieldsIn: new Map() };
        if (known.fieldsIn.size === 0) next.push(...listKeys(name, stored.groups));
        found.set(stored.id, known);
        known.fieldsIn.set(list, fields);
      }
    });
  }
  return Array.from(found.values(), ({ stored, fieldsIn }) => {
    const all = [...fieldsIn.values()];
    const isMarked = all.every((fields) => fields.has(`${stored.id}${WHOLE}`));
    // One that forgets has the mark from the beginning on, and keys only after a generation was noted.
    const isMade = stored.window === 0 || all.some((fields) => fields.has(`${stored.id}.window`));
    return { stored, isWhole: isMarked && isMade, lists: new Set(fieldsIn.keys()) };
  });
}

/** The pieces of all filters that have or had a name, and the lists that say which filter they belong to. */
export class Pieces {
  readonly #name: string;
  readonly #runner: ScriptRunner;

  constructor(name: string, runner: ScriptRunner) {
    this.#name = name;
    this.#runner = runner;
  }

  /**
   * Makes all pieces of a filter.
   *
   * @param contentOf returns what to write to a part of a piece; without it, pieces are empty
   * @param check throws an error to stop
   * @throws RedisFilterError LOST if a server has lost what was written
   */
  async put(stored: StoredParameters, contentOf?: Content, check?: () => void): Promise<void> {
    const layout = new Layout(this.#name, stored);
    const text = JSON.stringify(stored);
    // Those in slots without pieces.
    await forAll(this.#lists(stored).slice(stored.groups), async (list) => {
      await this.#runner.run(ENTER, [list], [stored.id, text]);
    });
    const make = async ({ key, list, byteLength }: Piece): Promise<void> => {
      check?.();
      await this.#runner.run(MAKE, [key, list], [String(byteLength), stored.id, text]);
    };
    await forAll(layout.pieces(), make, PIECES_AT_ONCE);
    const counts = contentOf && (await this.#write(layout, contentOf, check));
    await forAll(this.#lists(stored), async (list) => {
      await this.#runner.run(SEAL, [list], [stored.id]);
    });
    if (counts) await this.#requireBits(layout, counts);
  }

  /** Writes all parts of pieces. Returns the number of bits in each piece. */
  async #write(layout: Layout, contentOf: Content, check?: () => void): Promise<number[]> {
    const counts: number[] = [];
    const write = (part: Part): Promise<void> | undefined => {
      check?.();
      // A copy, as other threads may add keys.
      const bytes = contentOf(part).slice();
      const count = bitsIn(wordsOf(bytes));
      counts[part.index] = (counts[part.index] ?? 0) + count;
      if (count === 0) return undefined;
      return this.#runner.run(WRITE, [part.key], [bytes, String(part.start)]).then(() => {});
    };
    await forAll(layout.parts(), write);
    return counts;
  }

  /**
   * Checks that pieces have all that was written. A server whose master died meanwhile may have the piece without some of
   * its parts. If it dies later, and parts are lost, then so is the mark in the list, which came after them.
   */
  #requireBits(layout: Layout, counts: readonly number[]): Promise<void> {
    return forAll(layout.pieces(), async ({ index, key, byteLength }) => {
      const count = integerIn(await this.#runner.run(COUNT, [key], [String(byteLength)]));
      if (count !== counts[index]) throw lost(this.#name);
    });
  }

  /** Deletes all pieces of a filter. */
  async remove(stored: StoredParameters): Promise<void> {
    await this.disown(stored);
    await this.unlink(new Layout(this.#name, stored));
    await this.forget(stored);
  }

  /** Notes in the lists that a filter may have lost pieces, because it is being deleted. */
  async disown(stored: StoredParameters): Promise<void> {
    await this.#drop(stored, WHOLE);
  }

  /** Removes a filter from the lists. Its pieces must have been deleted. */
  async forget(stored: StoredParameters): Promise<void> {
    await this.#drop(stored, ...SUFFIXES);
  }

  unlink(layout: Layout): Promise<void> {
    return forAll(layout.pieces(), async ({ key }) => {
      await this.#runner.run(UNLINK, [key], []);
    });
  }

  /**
   * Finds filters in the lists.
   *
   * @param groups another number of slots, besides the default, over which filters may be spread
   * @param drops whether to delete what is damaged in the lists, rather than throw an error
   */
  find(groups: number = DEFAULT_SPREAD, drops = false): Promise<Listed[]> {
    return findListed(this.#name, groups, async (list) => {
      const fields = await fieldsOf(this.#runner, list, drops);
      const described = await describedIn(this.#runner, this.#name, list, fields, drops);
      return { fields, described: described.values() };
    });
  }

  /** Whether a filter is in the list in the slot of a piece, with all of its pieces. */
  async isListed(layout: Layout, piece: number, options?: RunOptions): Promise<boolean> {
    return integerIn(await this.#runner.run(LISTED, [layout.list(piece)], [layout.whole], options)) === 1;
  }

  /** Whether no piece is missing. */
  async areThere(layout: Layout): Promise<boolean> {
    const bySlot = Array.from({ length: layout.groups }, (): string[] => []);
    for (let piece = 0; piece < layout.count; piece++) bySlot[piece % layout.groups]?.push(layout.key(piece));
    let areThere = true;
    await forAll(bySlot, async (keys) => {
      for (let at = 0; at < keys.length && areThere; at += SCRIPT_KEYS) {
        const some = keys.slice(at, at + SCRIPT_KEYS);
        const count = integerIn(await this.#runner.run(EXISTS, some, []));
        if (count < some.length) areThere = false;
      }
    });
    return areThere;
  }

  #lists({ groups }: StoredParameters): string[] {
    return listKeys(this.#name, groups);
  }

  /** Deletes fields of a filter from its lists. */
  #drop(stored: StoredParameters, ...suffixes: string[]): Promise<void> {
    return forAll(this.#lists(stored), async (list) => {
      await this.#runner.run(
        DROP,
        [list],
        suffixes.map((suffix) => `${stored.id}${suffix}`),
      );
    });
  }
}

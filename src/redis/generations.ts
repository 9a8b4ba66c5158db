// The pieces of a filter that forgets, generation by generation. After all pieces of a generation are made, its number
// is noted in all lists of the filter, in the first list last. No key is added before that. So a generation that no
// list has is new, and one that a list has must be complete: if a piece is missing, a server has lost it.

import { lost } from './error.ts';
import { Layout, listKeys, type Piece } from './layout.ts';
import type { StoredParameters } from './parameters.ts';
import { forAll, PIECES_AT_ONCE, type Pieces } from './pieces.ts';
import { integerIn, textsIn } from './replies.ts';
import type { ScriptRunner } from './run-script.ts';
import { ENTER_UNTIL, GENERATION, MADE, MAKE_UNTIL, MARK, UNMAKE } from './scripts.ts';

/** The margin before a generation expires, in milliseconds. */
export const SLACK = 1000;

/** The pieces for the keys of one window. */
export class Generation extends Layout {
  readonly name: string;
  readonly stored: StoredParameters;
  readonly number: number;

  constructor(name: string, stored: StoredParameters, number: number) {
    super(name, stored, `${number}:`);
    this.name = name;
    this.stored = stored;
    this.number = number;
  }

  /** When it expires, in milliseconds since 1970. */
  get expiry(): string {
    return String((this.number + 2) * this.stored.window + SLACK);
  }

  /** What a list needs to know of it: the filter, the number, and when it expires. */
  get entry(): string[] {
    const { stored, number, expiry } = this;
    return [stored.id, JSON.stringify(stored), String(number), expiry];
  }

  /** The keys of all lists of the filter: first those beside the pieces, in their order. */
  get lists(): string[] {
    return listKeys(this.name, this.groups);
  }
}

/** In place of the number of a generation. Not −1: that is the one before the first. */
const NONE = -2;

/** What a list has of a filter: the number of the last generation that was made, and of the one before, or `NONE`. */
export interface Made {
  readonly last: number;
  readonly before: number;
}

/** Reads what a list has. Asks the master, because a late replica would make the generation look new. */
export async function madeIn(
  runner: ScriptRunner,
  readOnly: boolean,
  { id }: StoredParameters,
  list: string,
): Promise<Made> {
  const options = { readOnly, latest: true };
  const reply = textsIn(await runner.run(MADE, [list], [`${id}.window`, `${id}.before`], options));
  const [last = NONE, before = NONE] = reply.map((text) => (text === '' ? NONE : integerIn(text)));
  return { last, before };
}

/**
 * Makes the pieces of a new generation.
 *
 * @throws RedisFilterError LOST if the list of a piece is missing
 */
export async function makeGeneration(runner: ScriptRunner, generation: Generation): Promise<void> {
  const { entry } = generation;
  await forAll(generation.lists.slice(generation.groups), async (list) => {
    await runner.run(ENTER_UNTIL, [list], entry);
  });
  const make = async ({ key, list, byteLength }: Piece): Promise<void> => {
    const made = await runner.run(MAKE_UNTIL, [list, key], [...entry, String(byteLength)]);
    if (integerIn(made) === 0) throw lost(generation.name);
  };
  await forAll(generation.pieces(), make, PIECES_AT_ONCE);
}

/** Takes back what `makeGeneration` has done, because the filter was deleted meanwhile. */
export async function unmakeGeneration(runner: ScriptRunner, generation: Generation): Promise<void> {
  const { entry } = generation;
  const spare = generation.lists.slice(generation.groups).map((list) => [list]);
  const pieces = Array.from(generation.pieces(), ({ key, list }) => [list, key]);
  await forAll([...spare, ...pieces], async (keys) => {
    await runner.run(UNMAKE, keys, entry);
  });
}

/** Notes in all lists that a generation is made, and perhaps the one before. */
export async function markGeneration(
  runner: ScriptRunner,
  generation: Generation,
  isBeforeMade: boolean,
): Promise<void> {
  const { entry, lists, groups, number } = generation;
  const args = [...entry, isBeforeMade ? String(number - 1) : ''];
  const mark = async ([index, list]: [number, string]): Promise<void> => {
    // A list without pieces has none to look for.
    const piece = index < groups ? generation.key(index) : list;
    await runner.run(MARK, [list, piece], args);
  };
  const [first, ...others] = [...lists.entries()];
  await forAll(others, mark);
  if (first) await mark(first);
}

/** Deletes all generations that have not expired, even those that this client has not seen. */
export async function removeGenerations(
  runner: ScriptRunner,
  name: string,
  pieces: Pieces,
  stored: StoredParameters,
): Promise<void> {
  await pieces.disown(stored);
  const now = integerIn(await runner.run(GENERATION, [name], [String(stored.window)]));
  // The clock of another server may be ahead of this one, or may have been.
  const numbers = new Set([now - 1, now, now + 1]);
  await forAll(listKeys(name, stored.groups), async (list) => {
    const { last } = await madeIn(runner, false, stored, list);
    if (last >= 0) for (const number of [last - 1, last, last + 1]) numbers.add(number);
  });
  for (const number of numbers) await pieces.unlink(new Generation(name, stored, number));
  await pieces.forget(stored);
}

import type { Connection } from './connection.ts';
import { lost, typedError } from './error.ts';
import { Generation, madeIn, makeGeneration, markGeneration, unmakeGeneration } from './generations.ts';
import type { KeyRequest, Layout } from './layout.ts';
import { requireSuccessor, type StoredParameters } from './parameters.ts';
import { forAll } from './pieces.ts';
import { integerIn } from './replies.ts';
import { GENERATION, ROTATING_ADD, ROTATING_ADD_ONCE, ROTATING_HAS, type ScriptCall } from './scripts.ts';
import type { Store } from './store.ts';
import type { SendTarget } from './target.ts';

/** After this time in milliseconds, a client that may not make pieces looks again for those that others made. */
const PATIENCE = 1000;

/** The current generation, and the pieces of the one before. */
class CurrentGeneration extends Generation {
  readonly before: Layout;
  /** Whether the pieces before have been made. A missing one is then lost. */
  readonly isBeforeMade: boolean;
  /** Whether these pieces have been made. */
  readonly isMade: boolean;
  /** When to look again, by the clock of this client. */
  readonly expires: number;

  constructor(name: string, stored: StoredParameters, number: number, isBeforeMade: boolean, isMade: boolean) {
    super(name, stored, number);
    this.before = new Generation(name, stored, number - 1);
    this.isBeforeMade = isBeforeMade;
    this.isMade = isMade;
    this.expires = isMade ? Number.POSITIVE_INFINITY : Date.now() + PATIENCE;
  }

  override request({ verb, pieces, saved }: KeyRequest): ScriptCall {
    const [first = 0] = pieces;
    const own = pieces.map((piece) => this.key(piece));
    const keys = [this.list(first), ...own, ...pieces.map((piece) => this.before.key(piece))];
    const { id, window } = this.stored;
    const args = [`${id}.window`, String(window), String(this.number), this.isBeforeMade ? '1' : '0'];
    if (saved) return { script: ROTATING_ADD_ONCE, keys: [...keys, saved.key], args: [...args, ...saved.args] };
    if (verb === 'has') return { script: ROTATING_HAS, keys, args: [...args, this.isMade ? '1' : '0'] };
    return { script: ROTATING_ADD, keys, args };
  }
}

/** A placeholder until the number of the current generation is known. The server's reply to it has that number. */
function unknown(name: string, stored: StoredParameters): CurrentGeneration {
  return new CurrentGeneration(name, stored, -1, false, true);
}

/**
 * The generations of a filter that forgets. Keys are added to the current one, and looked up in it and in the one
 * before. The server's clock decides which one is current. The first client that reaches a new one makes its pieces;
 * older pieces expire.
 */
export class RotatingTarget implements SendTarget {
  readonly stored: StoredParameters;
  readonly mirror = undefined;
  readonly #connection: Connection;
  #current: CurrentGeneration;
  #turn: { readonly number: number; readonly done: Promise<void> } | undefined;

  constructor(connection: Connection, stored: StoredParameters) {
    this.#connection = connection;
    this.stored = stored;
    this.#current = unknown(connection.store.name, stored);
  }

  get seed(): number {
    return this.stored.seed;
  }

  get layout(): Layout {
    if (Date.now() > this.#current.expires) this.#current = unknown(this.#connection.store.name, this.stored);
    return this.#current;
  }

  /** Turns to the current generation, and makes it if nobody has. */
  async turn(): Promise<Generation> {
    const { runner, store } = this.#connection;
    const now = integerIn(await runner.run(GENERATION, [store.name], [String(this.stored.window)]));
    // The clock does not go back behind the generation that is known.
    if (now > this.#current.number) await this.#turnTo(now);
    return this.#current;
  }

  async flagsOf(answer: string): Promise<string> {
    if (!answer.startsWith('!')) return answer;
    await this.#turnTo(integerIn(answer.slice(1)));
    return '';
  }

  async renew(layout: Layout): Promise<void> {
    if (layout !== this.#current) return;
    const { store } = this.#connection;
    requireSuccessor(store.name, await store.require(), this.stored);
    throw lost(store.name);
  }

  #turnTo(number: number): Promise<void> {
    // Calls that were under way when the filter turned are told the number of the generation that is known by now.
    if (number === this.#current.number) return Promise.resolve();
    if (this.#turn?.number !== number) {
      const turn = async (): Promise<void> => {
        const { store } = this.#connection;
        requireSuccessor(store.name, await store.require(), this.stored);
        this.#current = await prepare(this.#connection, this.stored, number);
      };
      const done = turn().finally(() => {
        if (this.#turn?.done === done) this.#turn = undefined;
      });
      this.#turn = { number, done };
    }
    return this.#turn.done;
  }
}

/** Whether the lists have another filter of the name. Then the parameters are those of an earlier one, from a backup. */
async function isOther({ pieces }: Store, { groups, id }: StoredParameters): Promise<boolean> {
  const listed = await pieces.find(groups);
  return listed.some((each) => each.isWhole && each.stored.id !== id);
}

/**
 * Makes the pieces of a generation of a filter that is still there then. Whoever deletes it later finds them, and nobody
 * notes them in the lists after that. If it was deleted before, they are all that is left.
 *
 * @throws RedisFilterError if the filter is gone
 */
async function makeFor({ runner, store }: Connection, generation: Generation): Promise<void> {
  try {
    await makeGeneration(runner, generation).finally(async () => {
      requireSuccessor(store.name, await store.require(), generation.stored);
    });
  } catch (error) {
    const isGone = ['ABSENT', 'MISMATCH'].includes(typedError(error).code);
    // The first error matters more than one here.
    if (isGone) await unmakeGeneration(runner, generation).catch(() => {});
    throw error;
  }
}

/**
 * Makes the pieces of a generation, unless another client has made them or this one lacks the right. Takes a later one
 * if a list has that: the clock of the server that told the number is behind.
 */
async function prepare(connection: Connection, stored: StoredParameters, number: number): Promise<CurrentGeneration> {
  const { runner, store, readOnly } = connection;
  const { name } = store;
  const [list = '', ...more] = new Generation(name, stored, number).lists;
  const first = await madeIn(runner, readOnly, stored, list);
  const { last, before } = first;
  if (last >= number) return new CurrentGeneration(name, stored, last, before === last - 1, true);
  const all = [first];
  await forAll(more, async (each) => {
    all.push(await madeIn(runner, readOnly, stored, each));
  });
  const latest = Math.max(number, ...all.map((made) => made.last));
  const isNoted = all.some((made) => made.last === latest);
  const isBeforeMade = all.some((made) => [made.last, made.before].includes(latest - 1));
  const generation = new CurrentGeneration(name, stored, latest, isBeforeMade, true);
  try {
    if (isNoted ? !(await store.pieces.areThere(generation)) : await isOther(store, stored)) throw lost(name);
    if (!isNoted) await makeFor(connection, generation);
    await markGeneration(runner, generation, isBeforeMade);
    return generation;
  } catch (error) {
    const { code } = typedError(error);
    if (!readOnly || (code !== 'NOPERM' && code !== 'READONLY')) throw error;
    return new CurrentGeneration(name, stored, latest, isBeforeMade, isNoted);
  }
}

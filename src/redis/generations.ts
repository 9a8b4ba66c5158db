import type { Connection } from './connection.ts';
import { lost, typedError } from './error.ts';
import { Layout } from './layout.ts';
import { requireAlike, type Stored } from './parameters.ts';
import type { Memory, Place, Request, Verb } from './place.ts';
import {
  GENERATION,
  MAKE_UNTIL,
  NOTE_MADE,
  ROTATING_ADD,
  ROTATING_ADD_ONCE,
  ROTATING_HAS,
} from './rotating-scripts.ts';
import { READ, UNLINK } from './scripts.ts';
import { forAll } from './store.ts';

/** How much later than needed a generation expires, in milliseconds. */
const SLACK = 1000;
/** After how many milliseconds a client that may not make pieces looks again whether they have been made. */
const PATIENCE = 1000;
/** What begins the last part of each key of a generation. */
const prefixOf = (number: number): string => `${number}:`;

/** The pieces of the keys of one window, and those of the window before. */
class Generation extends Layout {
  readonly number: number;
  readonly before: Layout;
  /** Whether the pieces before have been made, so that a missing one is lost. */
  readonly isBeforeMade: boolean;
  /** Whether these pieces have been made. */
  readonly isMade: boolean;
  /** When to look again, by the clock of this client. */
  readonly expires: number;

  constructor(name: string, stored: Stored, number: number, isBeforeMade: boolean, isMade: boolean) {
    super(name, stored, prefixOf(number));
    this.number = number;
    this.before = new Layout(name, stored, prefixOf(number - 1));
    this.isBeforeMade = isBeforeMade;
    this.isMade = isMade;
    this.expires = isMade ? Number.POSITIVE_INFINITY : Date.now() + PATIENCE;
  }
}

/** Stands for the current generation before its number is known. The server answers with that number. */
function unknown(name: string, stored: Stored): Generation {
  return new Generation(name, stored, -1, false, true);
}

/**
 * The generations of a filter that forgets: keys are added to the current one, and looked up in it and in the one
 * before. The clock of the server tells which is current. Whoever first comes to a new one makes its pieces; those of
 * earlier ones expire.
 */
export class Generations implements Place {
  readonly stored: Stored;
  readonly mirror = undefined;
  readonly #connection: Connection;
  #current: Generation;
  #turn: { readonly number: number; readonly done: Promise<void> } | undefined;

  constructor(connection: Connection, stored: Stored) {
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

  request(verb: Verb, layout: Layout, pieces: readonly number[], memory: Memory | undefined): Request {
    const { number, before, isBeforeMade, isMade } = layout as Generation;
    const keys = [...pieces.map((piece) => layout.key(piece)), ...pieces.map((piece) => before.key(piece))];
    const args = [String(this.stored.window), String(number), isBeforeMade ? '1' : '0'];
    if (memory) return { script: ROTATING_ADD_ONCE, keys: [...keys, memory.key], args: [...args, ...memory.args] };
    if (verb === 'has') return { script: ROTATING_HAS, keys, args: [...args, isMade ? '1' : '0'] };
    return { script: ROTATING_ADD, keys, args };
  }

  async flagsIn(answer: string): Promise<string> {
    if (!answer.startsWith('!')) return answer;
    await this.#turnTo(Number(answer.slice(1)));
    return '';
  }

  async renew(layout: Layout): Promise<void> {
    if (layout !== this.#current) return;
    const { store } = this.#connection;
    await store.require();
    throw lost(store.name);
  }

  /** Deletes the pieces that have not expired, whatever this client has seen of them. */
  async delete(): Promise<void> {
    const { runner, store } = this.#connection;
    const number = Number(
      await runner.run(GENERATION, [store.name], [String(this.stored.window)], { repeatable: true }),
    );
    for (const each of [number - 1, number]) {
      await store.unlink(new Layout(store.name, this.stored, prefixOf(each)));
      await runner.run(UNLINK, [madeKey(store.name, each)], [], { repeatable: true });
    }
  }

  #turnTo(number: number): Promise<void> {
    if (this.#turn?.number !== number) {
      const turn = async (): Promise<void> => {
        const { store } = this.#connection;
        requireAlike(store.name, await store.require(), this.stored);
        this.#current = await prepare(this.#connection, this.stored, number);
      };
      const done = turn().finally(() => {
        this.#turn = undefined;
      });
      this.#turn = { number, done };
    }
    return this.#turn.done;
  }
}

/** The key that tells that all pieces of a generation are made. */
function madeKey(name: string, number: number): string {
  return `${name}:made:${number}`;
}

/** Makes the pieces of a generation, unless somebody has, or this client may not. */
async function prepare(connection: Connection, stored: Stored, number: number): Promise<Generation> {
  const { runner, store, readOnly } = connection;
  const { name } = store;
  const isMade = async (each: number): Promise<boolean> =>
    (await runner.run(READ, [madeKey(name, each)], [], { readOnly, repeatable: true })) !== null;
  const isBeforeMade = await isMade(number - 1);
  const generation = new Generation(name, stored, number, isBeforeMade, true);
  if (await isMade(number)) return generation;
  try {
    await make(connection, stored, generation);
    return generation;
  } catch (error) {
    const { code } = typedError(error);
    if (!readOnly || (code !== 'NOPERM' && code !== 'READONLY')) throw error;
    return new Generation(name, stored, number, isBeforeMade, false);
  }
}

async function make({ runner, store }: Connection, { window }: Stored, generation: Generation): Promise<void> {
  const { number } = generation;
  const until = String((number + 2) * window + SLACK);
  await forAll(generation.pieces(), async ({ key, byteLength }) => {
    await runner.run(MAKE_UNTIL, [key], [String(byteLength), until], { repeatable: true });
  });
  await runner.run(NOTE_MADE, [madeKey(store.name, number)], [until], { repeatable: true });
}

import type { Connection } from './connection.ts';
import { lost, typedError } from './error.ts';
import type { Layout } from './layout.ts';
import { requireSuccessor, type StoredParameters } from './parameters.ts';
import { integerIn } from './replies.ts';
import {
  ROTATING_ADD,
  ROTATING_ADD_ONCE,
  ROTATING_HAS,
  type SavedAnswer,
  type ScriptCall,
  type Verb,
} from './scripts.ts';
import type { SendTarget } from './target.ts';
import { completeWindow, makeWindow, marksOf, Window } from './windows.ts';

/** After this time in milliseconds, a client that may not make pieces looks again for those that others made. */
const PATIENCE = 1000;

/** The pieces of the current window, and those of the window before. */
class Generation extends Window {
  readonly before: Layout;
  /** Whether the pieces before have been made. A missing one is then lost. */
  readonly isBeforeMade: boolean;
  /** Whether these pieces have been made. */
  readonly isMade: boolean;
  /** When to look again, by the clock of this client. */
  readonly expires: number;

  constructor(name: string, stored: StoredParameters, number: number, isBeforeMade: boolean, isMade: boolean) {
    super(name, stored, number);
    this.before = new Window(name, stored, number - 1);
    this.isBeforeMade = isBeforeMade;
    this.isMade = isMade;
    this.expires = isMade ? Number.POSITIVE_INFINITY : Date.now() + PATIENCE;
  }

  override request(verb: Verb, pieces: readonly number[], saved: SavedAnswer | undefined): ScriptCall {
    const keys = [...pieces.map((piece) => this.key(piece)), ...pieces.map((piece) => this.before.key(piece))];
    const args = [String(this.stored.window), String(this.number), this.isBeforeMade ? '1' : '0'];
    if (saved) return { script: ROTATING_ADD_ONCE, keys: [...keys, saved.key], args: [...args, ...saved.args] };
    if (verb === 'has') return { script: ROTATING_HAS, keys, args: [...args, this.isMade ? '1' : '0'] };
    return { script: ROTATING_ADD, keys, args };
  }
}

/** A placeholder until the number of the current generation is known. The server's reply to it has that number. */
function unknown(name: string, stored: StoredParameters): Generation {
  return new Generation(name, stored, -1, false, true);
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
  #current: Generation;
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

  async flagsIn(answer: string): Promise<string> {
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
    // Calls that were under way when the window turned are told the number of the window that is known by now.
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

/** Makes the pieces of a generation, unless another client has made them or this one lacks the right. */
async function prepare(connection: Connection, stored: StoredParameters, number: number): Promise<Generation> {
  const { runner, store, readOnly } = connection;
  const { name } = store;
  const isBeforeMade = (await marksOf(runner, readOnly, new Window(name, stored, number - 1))) !== 'none';
  const generation = new Generation(name, stored, number, isBeforeMade, true);
  const marks = await marksOf(runner, readOnly, generation);
  if (marks === 'all') return generation;
  try {
    if (marks === 'some') await completeWindow(runner, name, store.pieces, generation);
    else await makeWindow(runner, generation);
    return generation;
  } catch (error) {
    const { code } = typedError(error);
    if (!readOnly || (code !== 'NOPERM' && code !== 'READONLY')) throw error;
    return new Generation(name, stored, number, isBeforeMade, marks === 'some');
  }
}

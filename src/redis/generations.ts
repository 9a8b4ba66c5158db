import type { Connection } from './connection.ts';
import { RedisFilterError } from './error.ts';
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

function layoutOf(name: string, stored: Stored, number: number): Layout {
  return new Layout(name, stored, `${number}:`);
}

/** The pieces of the keys of one window, and those of the window before. */
class Generation extends Layout {
  readonly number: number;
  readonly before: Layout;
  /** Whether the pieces before have been made, so that a missing one is lost. */
  readonly isBeforeMade: boolean;

  constructor(name: string, stored: Stored, number: number, isBeforeMade: boolean) {
    super(name, stored, `${number}:`);
    this.number = number;
    this.before = layoutOf(name, stored, number - 1);
    this.isBeforeMade = isBeforeMade;
  }
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

  private constructor(connection: Connection, stored: Stored, current: Generation) {
    this.#connection = connection;
    this.stored = stored;
    this.#current = current;
  }

  static async open(connection: Connection, stored: Stored): Promise<Generations> {
    const { runner, store } = connection;
    const number = Number(await runner.run(GENERATION, [store.name], [String(stored.window)], { repeatable: true }));
    return new Generations(connection, stored, await prepare(connection, stored, number));
  }

  get seed(): number {
    return this.stored.seed;
  }

  get layout(): Layout {
    return this.#current;
  }

  request(verb: Verb, layout: Layout, pieces: readonly number[], memory: Memory | undefined): Request {
    const { number, before, isBeforeMade } = layout as Generation;
    const keys = [...pieces.map((piece) => layout.key(piece)), ...pieces.map((piece) => before.key(piece))];
    const args = [String(this.stored.window), String(number), isBeforeMade ? '1' : '0'];
    if (memory) return { script: ROTATING_ADD_ONCE, keys: [...keys, memory.key], args: [...args, ...memory.args] };
    return { script: verb === 'has' ? ROTATING_HAS : ROTATING_ADD, keys, args };
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
    throw new RedisFilterError('LOST', `a part of "${store.name}" is missing: it was deleted, evicted or lost`);
  }

  /** Deletes the pieces that have not expired, whatever this client has seen of them. */
  async delete(): Promise<void> {
    const { runner, store } = this.#connection;
    const number = Number(
      await runner.run(GENERATION, [store.name], [String(this.stored.window)], { repeatable: true }),
    );
    for (const each of [number - 1, number]) {
      await store.unlink(layoutOf(store.name, this.stored, each));
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

/** Makes the pieces of a generation, unless somebody has. */
async function prepare({ runner, store }: Connection, stored: Stored, number: number): Promise<Generation> {
  const { name } = store;
  const isMade = async (each: number): Promise<boolean> =>
    (await runner.run(READ, [madeKey(name, each)], [], { repeatable: true })) !== null;
  const generation = new Generation(name, stored, number, await isMade(number - 1));
  if (await isMade(number)) return generation;
  const until = String((number + 2) * stored.window + SLACK);
  await forAll(generation.pieces(), async ({ key, byteLength }) => {
    await runner.run(MAKE_UNTIL, [key], [String(byteLength), until], { repeatable: true });
  });
  await runner.run(NOTE_MADE, [madeKey(name, number)], [until], { repeatable: true });
  return generation;
}

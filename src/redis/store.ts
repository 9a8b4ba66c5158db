import { absent, foreign, messageOf } from './error.ts';
import { Layout } from './layout.ts';
import { finished, parse, requireAlike, type Stored } from './parameters.ts';
import type { Runner, RunOptions } from './runner.ts';
import type { Script } from './script.ts';
import { CREATE, MAKE, READ, SWAP, UNLINK } from './scripts.ts';

const REPEATABLE: RunOptions = { repeatable: true };
/** How many pieces are made or deleted at once. */
const AT_ONCE = 16;

/** Calls `visit` for each item, for at most 16 at once. */
export async function forAll<T>(items: Iterable<T>, visit: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await visit(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Keeps the parameters of a filter under its name, and makes and deletes its pieces. */
export class Store {
  readonly name: string;
  readonly #runner: Runner;
  /** Whether replicas may tell the parameters, and the user may lack the right to change anything. */
  readonly #readOnly: boolean;

  constructor(name: string, runner: Runner, readOnly: boolean) {
    this.name = name;
    this.#runner = runner;
    this.#readOnly = readOnly;
  }

  /** Reads the parameters. Throws an error if there is no filter. */
  async require(): Promise<Stored> {
    return this.#present(await this.#stored(READ, [], { readOnly: this.#readOnly, repeatable: true }));
  }

  /** Stores the parameters unless there is a filter, and returns those that are stored. */
  async create(wanted: Stored): Promise<Stored> {
    return this.#present(await this.#stored(CREATE, [JSON.stringify(wanted)]));
  }

  /** Makes a filter usable, and returns the one that has the name then. Many clients may do it at once. */
  async prepare(stored: Stored): Promise<Stored> {
    // All pieces are there; those of the old filter are left to clients that may delete them.
    return this.#readOnly && stored.state === 'replacing' ? stored : this.#finish(stored);
  }

  /** Does what is left to do until the filter is ready, or the one that has taken its name meanwhile. */
  async #finish(stored: Stored): Promise<Stored> {
    if (stored.state === 'ready') return stored;
    const layout = new Layout(this.name, stored);
    if (stored.state === 'creating') await this.make(layout);
    if (stored.replaced) await this.unlink(new Layout(this.name, stored.replaced));
    const now = this.#present(await this.#swap(stored, finished(stored)));
    // Another client has cleared or replaced the filter, and these pieces were made after it had deleted them.
    if (now.id !== stored.id && stored.state === 'creating') await this.unlink(layout);
    return this.#finish(now);
  }

  /**
   * Makes a filter out of sight, and puts it in place of the one of this name.
   *
   * @param describe describes the new filter, under an id by chance, given the old one
   */
  async publish(
    describe: (old: Stored | undefined) => Stored,
    fill: (layout: Layout) => Promise<void>,
  ): Promise<Stored> {
    for (;;) {
      const found = await this.#stored(READ);
      const old = found && (await this.#finish(found));
      const next = describe(old);
      const layout = new Layout(this.name, next);
      try {
        await fill(layout);
      } catch (error) {
        // A failure of this matters less.
        await this.unlink(layout).catch(() => {});
        throw error;
      }
      const now = old ? await this.#swap(old, next) : await this.create(next);
      if (now?.id === next.id) {
        const ready = await this.#finish(now);
        requireAlike(this.name, ready, next);
        return ready;
      }
      // Another client was faster.
      await this.unlink(layout);
    }
  }

  /**
   * Deletes the filter, if there is one: the parameters last, so that it can be done again if it fails.
   *
   * @param unlink deletes the pieces, or throws an error if it is another filter
   */
  async delete(unlink: (stored: Stored) => Promise<void>): Promise<void> {
    // If another client clears the filter meanwhile, the new one is deleted too.
    for (let stored = await this.#stored(READ); stored; stored = await this.#swap(stored)) await unlink(stored);
  }

  /** Makes the pieces that are missing. */
  make(layout: Layout): Promise<void> {
    return forAll(layout.pieces(), async ({ key, byteLength }) => {
      await this.#runner.run(MAKE, [key], [String(byteLength)], REPEATABLE);
    });
  }

  unlink(layout: Layout): Promise<void> {
    return forAll(layout.pieces(), async ({ key }) => {
      await this.#runner.run(UNLINK, [key], [], REPEATABLE);
    });
  }

  /**
   * Replaces the parameters if they are still `old`, or deletes them without `next`. Returns those that are stored
   * then. Their id tells whether it was done: if the reply was lost, another client may have finished `next` meanwhile.
   */
  #swap(old: Stored, next?: Stored): Promise<Stored | undefined> {
    const values = next ? [old, next] : [old];
    return this.#stored(
      SWAP,
      values.map((each) => JSON.stringify(each)),
    );
  }

  /** Runs a script that returns the parameters; undefined if there is no filter. */
  async #stored(script: Script, args: readonly string[] = [], options = REPEATABLE): Promise<Stored | undefined> {
    try {
      const text = (await this.#runner.run(script, [this.name], args, options)) as string | null;
      return text === null ? undefined : parse(this.name, text);
    } catch (error) {
      throw messageOf(error).includes('WRONGTYPE') ? foreign(this.name) : error;
    }
  }

  #present(stored: Stored | undefined): Stored {
    if (stored) return stored;
    throw absent(this.name);
  }
}

import { messageOf, RedisFilterError } from './error.ts';
import { Layout } from './layout.ts';
import { finished, foreign, parse, type Stored } from './parameters.ts';
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
  /** Whether a replica may tell the parameters. */
  readonly #readOnly: boolean;

  constructor(name: string, runner: Runner, readOnly: boolean) {
    this.name = name;
    this.#runner = runner;
    this.#readOnly = readOnly;
  }

  /** Reads the parameters; undefined if there is no filter. */
  async read(): Promise<Stored | undefined> {
    const text = await this.#text(READ, [], { readOnly: this.#readOnly, repeatable: true });
    return text === null ? undefined : parse(this.name, text);
  }

  /** Reads the parameters. Throws an error if there is no filter. */
  async require(): Promise<Stored> {
    const stored = await this.read();
    if (stored === undefined) throw new RedisFilterError('ABSENT', `there is no filter "${this.name}"`);
    return stored;
  }

  /** Stores the parameters unless there is a filter, and returns those that are stored. */
  async create(wanted: Stored): Promise<Stored> {
    return parse(this.name, (await this.#text(CREATE, [JSON.stringify(wanted)], REPEATABLE)) ?? '');
  }

  /** Does what is left to do until the filter is ready. Many clients may do it at once. */
  async finish(stored: Stored): Promise<Stored> {
    if (stored.state === 'ready') return stored;
    if (stored.state === 'creating') await this.make(new Layout(this.name, stored));
    if (stored.replaced) await this.unlink(new Layout(this.name, stored.replaced));
    const ready = finished(stored);
    await this.#swap(stored, ready);
    return ready;
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
      const found = await this.read();
      const old = found && (await this.finish(found));
      const next = describe(old);
      const layout = new Layout(this.name, next);
      try {
        await fill(layout);
      } catch (error) {
        // A failure of this matters less.
        await this.unlink(layout).catch(() => {});
        throw error;
      }
      const isPlaced = old ? await this.#swap(old, next) : (await this.create(next)).id === next.id;
      if (isPlaced) return this.finish(next);
      // Another client was faster.
      await this.unlink(layout);
    }
  }

  /** Deletes the filter: the parameters last, so that it can be done again if it fails. */
  async delete(stored: Stored): Promise<void> {
    await this.unlink(new Layout(this.name, stored));
    await this.#runner.run(SWAP, [this.name], [JSON.stringify(stored)], REPEATABLE);
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

  /** Replaces the parameters. Returns false if they were others than `old`. */
  async #swap(old: Stored, next: Stored): Promise<boolean> {
    const args = [JSON.stringify(old), JSON.stringify(next)];
    return Number(await this.#runner.run(SWAP, [this.name], args, REPEATABLE)) === 1;
  }

  async #text(script: Script, args: readonly string[], options: RunOptions): Promise<string | null> {
    try {
      return (await this.#runner.run(script, [this.name], args, options)) as string | null;
    } catch (error) {
      throw messageOf(error).includes('WRONGTYPE') ? foreign(this.name) : error;
    }
  }
}

import { absent, foreign, lost, typedError } from './error.ts';
import { removeGenerations } from './generations.ts';
import { Layout } from './layout.ts';
import { finished, parse, type StoredParameters } from './parameters.ts';
import { PendingFilters } from './pending-filters.ts';
import { type Content, type Listed, Pieces } from './pieces.ts';
import { textIn } from './replies.ts';
import type { RunOptions, ScriptRunner } from './run-script.ts';
import type { Script } from './scripts.ts';
import { CREATE, READ, SWAP } from './scripts.ts';

/**
 * Makes, replaces and deletes the filter of a name: its parameters and its pieces. A client may die at any point, and
 * the next one can tell what was left undone. A filter without parameters is noted in `PendingFilters`, and the lists
 * of `Pieces` have all filters.
 */
export class Store {
  readonly name: string;
  readonly pieces: Pieces;
  readonly #runner: ScriptRunner;
  readonly #pending: PendingFilters;
  /** Whether the user may lack the right to write. */
  readonly #readOnly: boolean;

  constructor(name: string, runner: ScriptRunner, readOnly: boolean) {
    this.name = name;
    this.#runner = runner;
    this.pieces = new Pieces(name, runner);
    this.#pending = new PendingFilters(name, runner);
    this.#readOnly = readOnly;
  }

  /** Reads the parameters from the master. Throws an error if there is no filter. */
  async require(): Promise<StoredParameters> {
    const options = { readOnly: this.#readOnly, latest: true };
    const stored = await this.#stored(READ, [], options);
    if (stored) return stored;
    throw absent(this.name);
  }

  /**
   * Finds the filter of the name, or makes the wanted one if there is none. Returns it once it is ready. Any number of
   * clients may do so at once. Cleans up after clients that died.
   *
   * @param describe returns parameters of a new filter if one is wanted, with another id at each call: an object of a
   *   filter that was deleted must not take one that is made later for its own
   * @param check called before any piece is made; rejects if the filter must not be used
   * @throws RedisFilterError ABSENT if there is none and none is wanted; LOST if the parameters and other parts are
   *   gone
   */
  async open(
    describe: (() => StoredParameters) | undefined,
    check: (stored: StoredParameters) => Promise<void>,
  ): Promise<StoredParameters> {
    if (this.#readOnly && !describe) {
      const found = await this.require();
      await check(found);
      return (await this.#finish(found)) ?? this.require();
    }
    for (;;) {
      const wanted = describe?.();
      const present = await this.#find(wanted?.groups);
      if (wanted && !present) await check(wanted);
      const found = present ?? (wanted && (await this.#create(wanted)));
      if (found === undefined) throw absent(this.name);
      if (found.id !== wanted?.id) await check(found);
      const ready = await this.#finish(found);
      // Otherwise another client has deleted it, or ran out of memory for it: try again.
      if (ready) {
        await this.#sweep();
        return ready;
      }
    }
  }

  /** Notes that a filter that forgets has all of its content, if it is still there. */
  async fill(stored: StoredParameters): Promise<void> {
    await this.#swap({ ...stored, state: 'creating' }, stored);
  }

  /**
   * Writes a new filter, and then gives it the name in place of the old one.
   *
   * @param describe returns the new parameters, given the old ones; called before any piece is made
   */
  async publish(
    describe: (old: StoredParameters | undefined) => StoredParameters | Promise<StoredParameters>,
    content?: Content,
  ): Promise<StoredParameters> {
    for (;;) {
      const found = await this.#find();
      const old = found && (await this.#finish(found));
      await this.#sweep();
      const next = await describe(old);
      if (await this.#replace(old, next, content)) {
        await this.#discardStrays();
        return next;
      }
      // Another client was faster, or this one paused for so long that others deleted its pieces.
    }
  }

  /**
   * Deletes everything under the name. Can be called again after a failure: it finds what is left without parameters.
   *
   * @param check throws an error if the filter must not be deleted; without it, even a damaged one is deleted
   * @returns whether there was anything to delete
   */
  async delete(check?: (stored: StoredParameters) => void): Promise<boolean> {
    let wasThere = false;
    // What a later version has made is refused before any filter is deleted. And what is there now must not be left by those
    // who restore it meanwhile, even if its parameters cannot be read.
    const origins = new Set(Array.from((await this.#left(!check)).values(), ({ origin }) => origin));
    for (;;) {
      const { stored, isTaken } = await this.#take(check);
      if (stored) origins.add(stored.origin);
      // What is whole may have the name for others, even if they have not restored it.
      const left = await this.#left(!check, stored, isTaken ? undefined : check);
      // Not the filter that another client has made in the meantime.
      left.delete((await this.#stored(READ))?.id ?? '');
      for (const each of left.values()) origins.add(each.origin);
      for (const each of left.values()) await this.discard(each);
      wasThere ||= isTaken || left.size > 0;
      // If another client has cleared one of them in the meantime, or restored it, it is deleted again.
      const again = await this.#stored(READ);
      if (again === undefined || !origins.has(again.origin)) return wasThere;
    }
  }

  /**
   * All filters that have or had the name, by their ids: the one of these parameters, and those that are noted or listed.
   *
   * @param drops whether to delete what is damaged, rather than throw an error
   * @param check called for those that would get the name if it has none
   */
  async #left(
    drops: boolean,
    stored?: StoredParameters,
    check?: (stored: StoredParameters) => void,
  ): Promise<Map<string, StoredParameters>> {
    const left = new Map((stored ? [stored] : []).map((each) => [each.id, each]));
    for (const each of await this.#pending.all(drops)) left.set(each.id, each);
    for (const each of await this.pieces.find(stored?.groups, drops)) {
      if (each.isWhole && !left.has(each.stored.id)) check?.(each.stored);
      left.set(each.stored.id, each.stored);
    }
    return left;
  }

  /** Finds the filter of the name, even if its parameters are gone. */
  async #find(groups?: number): Promise<StoredParameters | undefined> {
    return (await this.#stored(READ)) ?? this.#recover(groups);
  }

  /** Stores the parameters unless the name has some. Returns those that are stored then. */
  #create(wanted: StoredParameters): Promise<StoredParameters | undefined> {
    return this.#stored(CREATE, [JSON.stringify(wanted)]);
  }

  /**
   * Restores the parameters of a filter that has lost them. If a new filter were made instead, all keys of the old one
   * would look absent.
   *
   * @throws RedisFilterError LOST if more is gone than the parameters
   */
  async #recover(groups?: number): Promise<StoredParameters | undefined> {
    const listed = await this.pieces.find(groups);
    if (listed.length === 0) return undefined;
    // The notes come before the parameters: a filter without a note either has the name now or will never get it.
    const noted = new Set((await this.#pending.all()).map(({ id }) => id));
    const now = await this.#stored(READ);
    if (now) return now;
    const others = listed.filter(({ stored }) => !noted.has(stored.id));
    // A filter that was never whole has no keys.
    for (const { stored, isWhole } of others) if (!isWhole) await this.#remove(stored);
    const [found, ...more] = others.filter(({ isWhole }) => isWhole);
    if (found === undefined) return undefined;
    if (more.length > 0) throw lost(this.name);
    const { id } = found.stored;
    const isThere = await this.#isThere(found);
    const created = isThere ? await this.#create(finished(found.stored)) : undefined;
    if (created && created.id !== id) return created;
    // Whoever deletes it takes it from the lists first, and looks for the parameters again in the end.
    const isLeft = (await this.pieces.find(groups)).some(({ stored, isWhole }) => isWhole && stored.id === id);
    if (isLeft && !isThere) throw lost(this.name);
    if (isLeft) return created;
    return (created && (await this.#swap(created))) ?? this.#recover(groups);
  }

  /** Whether all pieces of a filter are there, and the lists beside them. Generations have marks that tell. */
  async #isThere({ stored, lists }: Listed): Promise<boolean> {
    if (stored.window > 0) return true;
    const layout = new Layout(this.name, stored);
    for (let group = 0; group < layout.groups; group++) if (!lists.has(layout.list(group))) return false;
    return this.pieces.areThere(layout);
  }

  /**
   * Finishes a half-done creation; not that of a filter that forgets, which is used meanwhile. Returns the filter that has
   * the name in the end, which may be another one; undefined if there is none.
   */
  async #finish(stored: StoredParameters): Promise<StoredParameters | undefined> {
    if (stored.state === 'ready') return stored;
    if (stored.window > 0) return finished(stored);
    let failure: unknown;
    let now: StoredParameters | undefined;
    try {
      await this.pieces.put(stored);
      now = await this.#swap(stored, finished(stored));
    } catch (error) {
      if (typedError(error).code !== 'OOM') throw error;
      failure = error;
      // A filter that does not fit is deleted, parameters first, so that no client uses it meanwhile.
      now = await this.#swap(stored);
    }
    // This client may have made pieces after another one had deleted all.
    if (now?.id !== stored.id) await this.#remove(stored);
    if (now) return this.#finish(now);
    if (failure !== undefined) throw failure;
    return undefined;
  }

  /** Makes `next`, and gives it the name of `old`. If that fails, deletes it and returns false. */
  async #replace(
    old: StoredParameters | undefined,
    next: StoredParameters,
    content: Content | undefined,
  ): Promise<boolean> {
    const lease = await this.#pending.begin(next);
    try {
      await this.pieces.put(next, content, lease.check);
    } catch (error) {
      lease.end();
      const isOver = await lease.isOver();
      // The first error matters more than one here.
      await this.discard(next).catch(() => {});
      if (isOver) return false;
      throw error;
    }
    const now = await this.#publish(next, old).finally(lease.end);
    if (now !== JSON.stringify(next)) {
      await this.discard(next);
      return false;
    }
    if (old) await this.discard(old);
    return true;
  }

  async #publish(next: StoredParameters, old: StoredParameters | undefined): Promise<string | null> {
    try {
      return await this.#pending.publish(next, old);
    } catch (error) {
      // After a lost connection it may be published all the same. Once the lease is over, other clients find out.
      if (typedError(error).code === 'OOM') await this.discard(next).catch(() => {});
      throw error;
    }
  }

  /** Deletes what dead clients have left. Ignores failures: the next client tries again. */
  async #sweep(): Promise<void> {
    await this.#discardAll().catch(() => {});
  }

  async #discardAll(): Promise<void> {
    for (const stored of await this.#pending.all()) {
      if (await this.#pending.isLeased(stored)) continue;
      const now = await this.#stored(READ);
      if (now?.id === stored.id) await this.#pending.forget(stored);
      else if (await this.#isIntact(now)) await this.discard(stored);
    }
  }

  /**
   * Whether the filter that has the name is whole. If it is not, one that is noted may have got the name in its place, and
   * a server has lost that.
   */
  async #isIntact(stored: StoredParameters | undefined): Promise<boolean> {
    if (stored === undefined) return false;
    if (stored.window > 0) return true;
    const found = (await this.pieces.find(stored.groups)).find((each) => each.stored.id === stored.id);
    return found?.isWhole === true && this.#isThere(found);
  }

  /**
   * Deletes filters that never get the name: objects of them must go on with the one that has it. There are some if the
   * parameters were those of an earlier one, from a backup.
   */
  async #discardStrays(): Promise<void> {
    const listed = await this.pieces.find();
    const noted = new Set((await this.#pending.all()).map(({ id }) => id));
    const now = await this.#stored(READ);
    for (const { stored } of listed) if (!noted.has(stored.id) && stored.id !== now?.id) await this.discard(stored);
  }

  /** Deletes a filter that does not have the name. Deletes its note last, so that a failure can be made good. */
  async discard(stored: StoredParameters): Promise<void> {
    await this.#pending.stop(stored);
    await this.#remove(stored);
    await this.#pending.forget(stored);
  }

  async #remove(stored: StoredParameters): Promise<void> {
    if (stored.window > 0) await removeGenerations(this.#runner, this.name, this.pieces, stored);
    else await this.pieces.remove(stored);
  }

  /** Deletes the parameters, if there are any. */
  async #take(
    check?: (stored: StoredParameters) => void,
  ): Promise<{ stored: StoredParameters | undefined; isTaken: boolean }> {
    for (;;) {
      const text = await this.#text(READ);
      if (text === null) return { stored: undefined, isTaken: false };
      const stored = this.#parse(text, check === undefined);
      if (stored) check?.(stored);
      if ((await this.#text(SWAP, [text])) === null) return { stored, isTaken: true };
    }
  }

  /** Reads parameters. Returns undefined for damaged ones if these are accepted. */
  #parse(text: string, mayBeDamaged: boolean): StoredParameters | undefined {
    try {
      return parse(this.name, text);
    } catch (error) {
      if (mayBeDamaged && typedError(error).code === 'DAMAGED') return undefined;
      throw error;
    }
  }

  /** Replaces the parameters `old` by `next`, or deletes them. Does nothing to others. Returns those stored then. */
  #swap(old: StoredParameters, next?: StoredParameters): Promise<StoredParameters | undefined> {
    const values = next ? [old, next] : [old];
    return this.#stored(
      SWAP,
      values.map((each) => JSON.stringify(each)),
    );
  }

  /** Runs a script that returns the parameters; undefined if there is no filter. */
  async #stored(
    script: Script,
    args: readonly string[] = [],
    options?: RunOptions,
  ): Promise<StoredParameters | undefined> {
    const text = await this.#text(script, args, options);
    return text === null ? undefined : parse(this.name, text);
  }

  async #text(script: Script, args: readonly string[] = [], options?: RunOptions): Promise<string | null> {
    try {
      return textIn(await this.#runner.run(script, [this.name], args, options));
    } catch (error) {
      // WRONGTYPE about the key of the name means that it holds foreign data; about a piece, that the piece is lost.
      throw typedError(error).code === 'LOST' ? foreign(this.name) : error;
    }
  }
}

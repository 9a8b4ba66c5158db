import type { StoredParameters } from './parameters.ts';
import { describedIn, fieldsOf } from './pieces.ts';
import { integerIn, textIn } from './replies.ts';
import type { ScriptRunner } from './run-script.ts';
import { DROP, EXISTS, NOTE, PUBLISH, RENEW, UNLINK } from './scripts.ts';

/** How long a lease lasts without being renewed, in milliseconds. */
const LEASE = 10_000;
/** The time between renewals, in milliseconds. */
const RENEWAL = 2000;

/** Says that this client is at work on a filter. While it lasts, no other client deletes the filter's pieces. */
interface Lease {
  /** Throws an error if the lease has expired. */
  readonly check: () => void;
  /** Whether the lease is known to have expired. Asks Redis unless it is. */
  isOver(): Promise<boolean>;
  /** Stops renewing it. */
  end(): void;
}

/** The key of the notes about filters of a name. It is in the slot of the parameters. */
export function notesKey(name: string): string {
  return `${name}:{${name}}:making`;
}

/**
 * Notes in Redis about filters without a name: those that are being written before they are published, and those that
 * are to be deleted. If the client that works on them dies, the next client deletes them.
 */
export class PendingFilters {
  readonly #name: string;
  readonly #runner: ScriptRunner;
  readonly #notes: string;

  constructor(name: string, runner: ScriptRunner) {
    this.#name = name;
    this.#runner = runner;
    this.#notes = notesKey(name);
  }

  /** Notes that a filter is being made, with a lease that is renewed until its end. */
  async begin(stored: StoredParameters): Promise<Lease> {
    const lease = this.#lease(stored);
    const args = [stored.id, JSON.stringify(stored), String(LEASE)];
    await this.#runner.run(NOTE, [this.#notes, lease], args);
    let isOver = false;
    const renew = async (): Promise<void> => {
      if (integerIn(await this.#runner.run(RENEW, [lease], [String(LEASE)])) === 0) isOver = true;
    };
    // If a renewal fails, the next one may succeed. If none does, the lease ends.
    const timer = setInterval(() => renew().catch(() => {}), RENEWAL);
    return {
      check: () => {
        if (isOver) throw new Error('the lease is over');
      },
      isOver: async () => {
        if (!isOver) await renew().catch(() => {});
        return isOver;
      },
      end: () => clearInterval(timer),
    };
  }

  /** Gives the name to `next` if `old` has it. Returns the parameters that have the name then, as text. */
  async publish(next: StoredParameters, old: StoredParameters | undefined): Promise<string | null> {
    const keys = [this.#name, this.#notes, this.#lease(next)];
    const args = [JSON.stringify(next), old ? JSON.stringify(old) : '', next.id, old?.id ?? ''];
    return textIn(await this.#runner.run(PUBLISH, keys, args));
  }

  /**
   * All filters that are noted.
   *
   * @param drops whether to delete damaged notes, rather than throw an error
   */
  async all(drops = false): Promise<StoredParameters[]> {
    const notes = await fieldsOf(this.#runner, this.#notes, drops);
    return [...(await describedIn(this.#runner, this.#name, this.#notes, notes, drops)).values()];
  }

  /** Whether a client is at work on a filter. If not, the filter will never get the name. */
  async isLeased(stored: StoredParameters): Promise<boolean> {
    return integerIn(await this.#runner.run(EXISTS, [this.#lease(stored)], [])) > 0;
  }

  /** Ends the lease, so that the filter cannot get the name. */
  async stop(stored: StoredParameters): Promise<void> {
    await this.#runner.run(UNLINK, [this.#lease(stored)], []);
  }

  /** Deletes the note. The pieces must have been deleted. */
  async forget(stored: StoredParameters): Promise<void> {
    await this.#runner.run(DROP, [this.#notes], [stored.id]);
  }

  #lease({ id }: StoredParameters): string {
    return `${this.#notes}:${id}`;
  }
}

import type { Key } from '../keys/key.ts';
import { identityOf } from './flights.ts';

/** An insertion into the store, or a deletion from it, that runs. */
interface Change {
  readonly key: Key;
  readonly isInsertion: boolean;
  /** Whether the key was changed again after it began. */
  isOutdated: boolean;
}

/** The changes of a store that run. Until one has ended, the store may have the key or not. */
export class OngoingChanges {
  readonly #byKey = new Map<unknown, Set<Change>>();

  /** Notes that a change begins. `end` of the result must be called when it has ended. */
  begin(key: Key, isInsertion: boolean): { readonly change: Readonly<Change>; end(): void } {
    const id = identityOf(key);
    const change = { key, isInsertion, isOutdated: false };
    const changes = this.#byKey.get(id) ?? new Set();
    this.#byKey.set(id, changes.add(change));
    const end = (): void => {
      changes.delete(change);
      if (changes.size === 0) this.#byKey.delete(id);
    };
    return { change, end };
  }

  /** Notes that a key was changed: what runs for it is outdated. */
  outdate(key: Key): void {
    for (const change of this.#byKey.get(identityOf(key)) ?? []) change.isOutdated = true;
  }

  /** Whether an insertion of this key runs. */
  isInserted(key: Key): boolean {
    return [...(this.#byKey.get(identityOf(key)) ?? [])].some(({ isInsertion }) => isInsertion);
  }

  /** The keys whose insertion runs. */
  inserted(): Key[] {
    const all = [...this.#byKey.values()].flatMap((changes) => [...changes]);
    return all.filter(({ isInsertion }) => isInsertion).map(({ key }) => key);
  }
}

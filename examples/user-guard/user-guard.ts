// Users in a database behind the smallest filter: a fuse filter of all names, which is made anew now and then while
// requests run. Between two rebuilds, names that are removed are remembered beside it, and new ones go to a small filter.
//
//   const users = guardUsers(readNames, findUser);
//   await users.get('ada'); // the user, or undefined without a query
//   await users.add('grace', () => database.insert('grace'));
//   await users.remove('ada', () => database.delete('ada'));
//   if (users.filter.needsRebuild) (await users.rebuild()).dispose();

import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { type GuardFilter, guard } from 'bloomery/guard';
import { TombstoneFilter } from 'bloomery/tombstone';

export class UserFilter implements GuardFilter {
  readonly errorRate = 0.01;
  /** The names of the last rebuild, without those that were removed since. */
  readonly #listed: TombstoneFilter;
  /** The names that came since. */
  readonly #recent: CuckooFilter;

  constructor(names: readonly string[]) {
    this.#listed = new TombstoneFilter(BinaryFuseFilter.from(names, { errorRate: this.errorRate }));
    this.#recent = new CuckooFilter({ capacity: Math.max(1000, names.length / 5), errorRate: this.errorRate / 10 });
  }

  has(name: string): boolean {
    return this.#listed.has(name) || this.#recent.has(name);
  }

  /** Adds a name, once: a name that is already there must not be added again. */
  add(name: string): void {
    if (this.#listed.base.has(name)) this.#listed.add(name);
    else this.#recent.add(name);
  }

  /** Removes a name that is there. */
  remove(name: string): void {
    if (this.#listed.base.has(name)) this.#listed.remove(name);
    else this.#recent.remove(name);
  }

  /** Remembers that a name which looks present is not stored, so that it costs one query only. */
  exclude(name: string): void {
    this.#listed.exclude(name);
  }

  /** Whether a rebuild would pay off: much was removed, or the filter of new names is three quarters full. */
  get needsRebuild(): boolean {
    return this.#listed.needsRebuild || this.#recent.count > 0.75 * this.#recent.capacity;
  }

  get byteLength(): number {
    return this.#listed.byteLength + this.#recent.byteLength;
  }

  dispose(): void {
    this.#listed.dispose();
    this.#recent.dispose();
  }
}

/**
 * Guards a table of users.
 *
 * @param readNames reads all names; called at the start and for each rebuild
 * @param find reads a user; undefined if there is none
 */
export function guardUsers<User>(
  readNames: () => readonly string[],
  find: (name: string) => Promise<User | undefined>,
  first: readonly string[] = readNames(),
) {
  return guard(new UserFilter(first), find, { rebuild: () => new UserFilter(readNames()) });
}

// Users in a database behind the smallest filter: a fuse filter of all names, which is made anew now and then while
// requests run. Between two rebuilds, names that are removed are remembered beside it, and new ones go to an exact set.
//
//   const users = guardUsers(readNames, findUser);
//   await users.get('ada'); // the user, or undefined without a query
//   await users.add('grace', () => database.insert('grace'));
//   await users.remove('ada', () => database.delete('ada'));
//   if (users.filter.needsRebuild) (await users.rebuild()).dispose();

import { FingerprintSet } from 'bloomery/fingerprint-set';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { type GuardFilter, guard } from 'bloomery/guard';
import { TombstoneFilter } from 'bloomery/tombstone';

export class UserFilter implements GuardFilter {
  readonly errorRate = 0.01;
  /** The names of the last rebuild, without those that were removed since. */
  readonly #listed: TombstoneFilter;
  /** The names that came since. A filter with copies could be filled by sign-ups for one name again and again. */
  readonly #recent = new FingerprintSet();

  constructor(names: readonly string[]) {
    this.#listed = new TombstoneFilter(BinaryFuseFilter.from(names, { errorRate: this.errorRate }));
  }

  has(name: string): boolean {
    return this.#listed.has(name) || this.#recent.has(name);
  }

  add(name: string): void {
    if (this.#listed.base.has(name)) this.#listed.add(name);
    else this.#recent.add(name);
  }

  remove(name: string): void {
    if (this.#listed.base.has(name)) this.#listed.remove(name);
    else this.#recent.remove(name);
  }

  /** Remembers that a name which looks present is not stored, so that it costs one query only. */
  exclude(name: string): void {
    this.remove(name);
  }

  /** Whether a rebuild would pay off: much was removed, or the new names, of some 20 bytes each, have become many. */
  get needsRebuild(): boolean {
    return this.#listed.needsRebuild || this.#recent.count > Math.max(1000, this.#listed.capacity / 5);
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

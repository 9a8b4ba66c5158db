// Tells at each keystroke whether a nickname is taken, mostly without asking the database.
//
//   const nicknames = await openNicknames(database, 1_000_000);
//   await nicknames.isTaken('ada');
//   await nicknames.claim('ada');

import { BloomFilter } from 'bloomery';
import { guard } from 'bloomery/guard';

/** What is needed of the database. Spell names as it compares them: for a filter, Ada and ada are two keys. */
export interface Database {
  /** All nicknames, a few thousand at a time. */
  pages(): AsyncIterable<readonly string[]>;
  has(name: string): Promise<boolean>;
  /** Inserts a nickname unless it is there, in one step. Returns whether it was inserted. */
  insert(name: string): Promise<boolean>;
}

/**
 * Reads all nicknames: when the server starts, and again when there are more than the filter was made for.
 *
 * @param expected how many there may be at first
 */
export async function openNicknames(database: Database, expected: number) {
  const read = async (capacity: number) => {
    // A false positive is a query in vain: for 1 free name in 100.
    const filter = new BloomFilter({ capacity, errorRate: 0.01 });
    for await (const names of database.pages()) filter.addMany(names);
    return filter;
  };
  const names = guard(await read(expected), (name: string) => database.has(name), {
    isAbsent: (isTaken) => !isTaken,
    grow: read,
    onGrow: ({ old, error }) => (old ? old.dispose() : console.error(error)),
  });
  return {
    /** The filter in front of the database. */
    names,
    isTaken: async (name: string): Promise<boolean> => (await names.get(name)) === true,
    /**
     * Takes a nickname, unless someone has it. The database decides: a name that was claimed through another server
     * looks free here until then.
     */
    claim: (name: string): Promise<boolean> => names.add(name, () => database.insert(name)),
  };
}

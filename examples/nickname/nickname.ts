// Tells at each keystroke whether a nickname is taken, mostly without asking the database.
//
//   const nicknames = await Nicknames.open(database, 1_000_000);
//   await nicknames.isTaken('ada');
//   await nicknames.claim('ada');

import { BloomFilter } from 'bloomery';

/** What is needed of the database. Spell names as it compares them: for a filter, Ada and ada are two keys. */
export interface Database {
  /** All nicknames, a few thousand at a time. */
  pages(): AsyncIterable<readonly string[]>;
  has(name: string): Promise<boolean>;
  /** Inserts a nickname unless it is there, in one step. Returns whether it was inserted. */
  insert(name: string): Promise<boolean>;
}

export class Nicknames {
  readonly #database: Database;
  readonly filter: BloomFilter;

  private constructor(database: Database, filter: BloomFilter) {
    this.#database = database;
    this.filter = filter;
  }

  /**
   * Reads all nicknames: once, when the server starts.
   *
   * @param capacity how many there will be. With more, the answers stay right, but fewer come without a query.
   */
  static async open(database: Database, capacity: number): Promise<Nicknames> {
    // A false positive is a query in vain: for 1 free name in 100.
    const filter = new BloomFilter({ capacity, errorRate: 0.01 });
    for await (const names of database.pages()) filter.addMany(names);
    return new Nicknames(database, filter);
  }

  async isTaken(name: string): Promise<boolean> {
    return this.filter.has(name) && (await this.#database.has(name));
  }

  /**
   * Takes a nickname, unless someone has it. The database decides: a name that was claimed through another server
   * looks free here until then.
   */
  async claim(name: string): Promise<boolean> {
    // The filter comes first: a surplus name in it costs a query at worst; a missing one would look free.
    this.filter.add(name);
    return this.#database.insert(name);
  }
}

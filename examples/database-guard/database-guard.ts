// A table guarded by a filter of its keys: a key that the filter rules out costs no query. Node's own SQLite
// (`node:sqlite`, Node 22 and later) and better-sqlite3 fit as they are.
//
//   const packages = new GuardedTable(new DatabaseSync('packages.sqlite'), 1_000_000);
//   packages.insertAll(['left-pad']);
//   packages.get('left-pad'); // { name: 'left-pad', … }

import { BloomFilter } from 'bloomery';

/** What is needed of an SQLite database. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
}

export interface Statement {
  get(...values: string[]): unknown;
  run(...values: string[]): unknown;
  iterate(): Iterable<unknown>;
}

export class GuardedTable {
  readonly #database: Database;
  readonly #select: Statement;
  readonly #insert: Statement;
  readonly guard: BloomFilter;

  /**
   * Reads all keys, once when the program starts. Only this program may insert rows later.
   *
   * @param capacity how many rows there will be. With more, the answers stay right, but more queries are in vain.
   */
  constructor(database: Database, capacity: number) {
    database.exec('CREATE TABLE IF NOT EXISTS packages (name TEXT PRIMARY KEY, added TEXT) WITHOUT ROWID');
    this.#database = database;
    this.#select = database.prepare('SELECT * FROM packages WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO packages VALUES (?, ?)');
    // A false positive is a query in vain: for 1 absent key in 100.
    this.guard = new BloomFilter({ capacity, errorRate: 0.01 }).addMany(this.#names());
  }

  *#names(): Generator<string> {
    for (const row of this.#database.prepare('SELECT name FROM packages').iterate()) {
      yield (row as { name: string }).name;
    }
  }

  /** The row with this name; undefined if there is none. */
  get(name: string): unknown {
    return this.guard.has(name) ? this.#select.get(name) : undefined;
  }

  insertAll(names: readonly string[]): void {
    // The filter comes first: a name in it whose insertion fails costs a query at worst; a missing one would be lost.
    this.guard.addMany(names);
    const added = new Date().toISOString();
    this.#database.exec('BEGIN');
    try {
      for (const name of names) this.#insert.run(name, added);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

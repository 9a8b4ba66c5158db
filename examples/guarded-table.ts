// An SQLite table behind a filter of its keys.

import { createRequire } from 'node:module';
import { BloomFilter } from 'bloomery';

interface Statement {
  get(values: readonly unknown[]): { [column: string]: unknown } | null;
  run(values: readonly unknown[]): unknown;
  iterate(): Iterable<{ [column: string]: unknown }>;
  finalize(): void;
}

interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

const { Database }: { Database: new (file: string) => SqliteDatabase } = createRequire(import.meta.url)(
  'node-sqlite3-wasm',
);

/** A table of names that queries the database only for names that the filter does not rule out. */
export class GuardedTable {
  readonly #database: SqliteDatabase;
  readonly #select: Statement;
  readonly #insert: Statement;
  readonly guard: BloomFilter;
  counts = { ruledOut: 0, found: 0, inVain: 0 };

  constructor(file: string, options: { capacity: number; errorRate: number }) {
    this.#database = new Database(file);
    // No other process uses the database, and locking the file for each query would make it far slower.
    this.#database.exec('PRAGMA locking_mode = EXCLUSIVE');
    this.#database.exec('CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID');
    this.#select = this.#database.prepare('SELECT id FROM names WHERE name = ?');
    this.#insert = this.#database.prepare('INSERT INTO names VALUES (?, ?)');
    this.guard = BloomFilter.from(this.#keys(), options);
  }

  *#keys(): Generator<string> {
    const all = this.#database.prepare('SELECT name FROM names');
    for (const { name } of all.iterate()) yield String(name);
    all.finalize();
  }

  insertAll(rows: readonly string[]): void {
    // The filter comes first: if the transaction fails, a surplus name in it does no harm; a missing name would.
    this.guard.addMany(rows);
    this.#database.exec('BEGIN');
    rows.forEach((name, id) => {
      this.#insert.run([name, id]);
    });
    this.#database.exec('COMMIT');
  }

  getUnguarded(name: string): unknown {
    return this.#select.get([name])?.['id'];
  }

  get(name: string): unknown {
    if (!this.guard.has(name)) {
      this.counts.ruledOut++;
      return undefined;
    }
    const id = this.getUnguarded(name);
    if (id === undefined) this.counts.inVain++;
    else this.counts.found++;
    return id;
  }

  close(): void {
    this.#select.finalize();
    this.#insert.finalize();
    this.#database.close();
  }
}

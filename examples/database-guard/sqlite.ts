// SQLite as WebAssembly, which runs where Node has no SQLite of its own, in the form of `node:sqlite`.

import { createRequire } from 'node:module';
import type { Database } from './database-guard.ts';

interface WasmStatement {
  get(values: readonly string[]): object | null;
  iterate(): Iterable<object>;
  finalize(): void;
}

interface WasmDatabase {
  exec(sql: string): void;
  prepare(sql: string): WasmStatement;
  run(sql: string, values: readonly string[]): unknown;
  close(): void;
}

const { Database: Sqlite }: { Database: new (file: string) => WasmDatabase } = createRequire(import.meta.url)(
  'node-sqlite3-wasm',
);

export function openDatabase(file: string): Database & { close(): void } {
  const database = new Sqlite(file);
  const statements: WasmStatement[] = [];
  // No other process uses the database, and locking the file for each query would make it far slower.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      statements.push(statement);
      return {
        get: (...values) => statement.get(values) ?? undefined,
        // Not by the statement, which cannot be used again after an error.
        run: (...values) => database.run(sql, values),
        iterate: () => statement.iterate(),
      };
    },
    close() {
      for (const statement of statements) statement.finalize();
      database.close();
    },
  };
}

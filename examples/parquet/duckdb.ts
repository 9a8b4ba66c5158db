// DuckDB, which writes and reads Parquet files with Bloom filters.

import { createRequire } from 'node:module';

/** What the example uses of a connection. */
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }>;
  closeSync(): void;
}

interface Api {
  readonly DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<{ connect(): Promise<Connection> }>;
  };
}

/** @throws Error if there is no binary of DuckDB for this system */
export async function openDuckDb(): Promise<Connection> {
  const { DuckDBInstance }: Api = createRequire(import.meta.url)('@duckdb/node-api');
  // With one thread, the rows have the same order in every run.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  return instance.connect();
}

/** A string in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

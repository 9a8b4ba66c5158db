import { readFileSync } from 'node:fs';

/** Filters that a package has made, and what it answered: see test/vectors/migrate/README.md. */
export interface Vectors {
  readonly version: string;
  readonly strings: readonly string[];
  /** Keys in hexadecimal digits. */
  readonly bytes: readonly string[];
  readonly filters: readonly {
    readonly saved: object;
    readonly hashes?: number;
    /** How many of the strings, the last ones, were added. */
    readonly members: number;
    /** An answer for each key: 1 or 0. */
    readonly strings: string;
    readonly bytes: string;
  }[];
}

/** Reads the vectors of a version of a package. */
export function readVectors(name: string): Vectors {
  return JSON.parse(readFileSync(`test/vectors/migrate/${name}.json`, 'utf8')) as Vectors;
}

import type { Outcome } from './checks/check.ts';

/** One place in which the conformance program ran. */
export interface Realm {
  /** As in `expected.ts`. */
  readonly runtime: string;
  /** The version that ran, as the runtime itself reports it. */
  readonly version: string;
  /** As in `expected.ts`: where in the runtime, such as `page` or `Worker`. */
  readonly realm: string;
  readonly outcomes: readonly Outcome[];
}

/** Something that the suite starts. */
export interface Target {
  /** As in `expected.ts`. */
  readonly name: string;
  /** Starts the runtime, checks its version, and runs the program in each of its realms. */
  run(): Promise<Realm[]>;
}

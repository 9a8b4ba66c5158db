import type { Outcome } from './checks/check.ts';

/** One place in which the conformance program ran: where in the runtime, such as `page` or `Worker`. */
export interface Realm {
  readonly realm: string;
  /** The version that ran, as the runtime itself reports it. */
  readonly version: string;
  readonly outcomes: readonly Outcome[];
}

/** Starts a runtime, and runs the program in each of its realms. */
export type Target = () => Promise<Realm[]>;

// What writers tell the main program.

import type { Library } from '../clients.ts';

export const NAME = 'seen';

/** What a writer is given. */
export interface Plan {
  readonly library: Library;
  readonly ports: readonly number[];
  readonly seed: number;
}

/** Keys that were confirmed, and that the same filter then called absent, without an error. */
export interface Absence {
  readonly count: number;
  readonly first: string;
  /** Whether replicas had confirmed them. Without that, a failover may lose keys. */
  readonly isConfirmed: boolean;
  readonly time: number;
}

/** What a writer did and saw. */
export interface Report {
  readonly library: Library;
  readonly added: number;
  readonly confirmed: number;
  readonly checked: number;
  readonly absences: readonly Absence[];
  /** The shared keys that it was told to be new, and that were confirmed, by the filters that said so. */
  readonly news: readonly (readonly [origin: string, number: number])[];
  /** How often each code was thrown, and each type of event told. */
  readonly codes: Readonly<Record<string, number>>;
  /** The longest call, in milliseconds. */
  readonly slowest: number;
}

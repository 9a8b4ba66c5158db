// How the tests compare bytes: as a whole. Vitest compares them as objects, key by key, which took most of the time of
// several suites.

import { expect } from 'vitest';

expect.addEqualityTesters([
  (one: unknown, other: unknown): boolean | undefined =>
    one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
]);

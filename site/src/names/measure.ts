// Measures the filter in this browser.

import type { Names } from './load.ts';

const ASKED = 100_000;
const LENGTH = 20;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Random names, so long that none of them exists. */
function randomNames(): string[] {
  const random = new Uint8Array(LENGTH);
  return Array.from({ length: ASKED }, () => {
    crypto.getRandomValues(random);
    return Array.from(random, (value) => LETTERS[value % LETTERS.length]).join('');
  });
}

interface Measured {
  readonly asked: number;
  readonly wrong: number;
  /** The time per name, on average. */
  readonly nanoseconds: number;
}

export function measure(names: Names): Measured {
  const asked = randomNames();
  const begun = performance.now();
  let wrong = 0;
  for (const name of asked) if (names.has(name)) wrong++;
  return { asked: ASKED, wrong, nanoseconds: ((performance.now() - begun) / ASKED) * 1e6 };
}

// The names of all npm packages, and seeded random choices of them.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The package that the names come from, with its version, because the list is rebuilt every day. */
export function sourceOfNames(): string {
  const { name, version }: { name: string; version: string } = require('all-the-package-names/package.json');
  return `${name} ${version}`;
}

/** The names of all npm packages, sorted. */
export function loadNames(): string[] {
  return require('all-the-package-names');
}

/** Pseudorandom numbers in [0, 1), the same in every run: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Chooses `count` of the names at random. All choices are equally likely, and the order of the names is kept: Knuth's
 * algorithm S (The Art of Computer Programming, §3.4.2).
 */
export function choose(
  names: readonly string[],
  count: number,
  random: () => number,
): { chosen: string[]; others: string[] } {
  const chosen: string[] = [];
  const others: string[] = [];
  names.forEach((name, position) => {
    const stillWanted = count - chosen.length;
    const stillToCome = names.length - position;
    if (random() * stillToCome < stillWanted) chosen.push(name);
    else others.push(name);
  });
  return { chosen, others };
}

// What both commands info tell of a filter.

import { duration, integer, plural, rate } from '../numbers.ts';
import type { Estimated } from './filter-file.ts';
import { isExact, keepsCapacity, traitsOf } from './kinds.ts';

/** A fact, and its name. */
export type Fact = readonly [name: string, value: string];

/** What is shown of every filter, in memory or in Redis. */
export interface Filled extends Estimated {
  readonly cellName: string;
  readonly cellCount: number;
  readonly hashes: number;
  readonly seed: number;
  fillRatio(): number;
}

const NAME_WIDTH = 16;
/** Seeds from here on stand for secrets: this number, and a check of 32 bits. */
const SECRETS = 2 ** 32;

/** The check of the secret, in hexadecimal digits; undefined for the seed of a filter without a secret. */
function checkIn(seed: number): string | undefined {
  return seed < SECRETS ? undefined : (seed - SECRETS).toString(16).padStart(8, '0');
}

/** The parameters that only some kinds have, and how they are shown to people. */
const OWN: Readonly<Record<string, (value: number) => Fact>> = {
  growth: (times) => ['growth', String(times)],
  tightening: (share) => ['tightening', String(share)],
  subFilters: (count) => ['sub-filters', integer(count)],
  shards: (count) => ['shards', integer(count)],
  fingerprintBits: (bits) => ['fingerprints', plural(bits, 'bit')],
  valueBits: (bits) => ['values', plural(bits, 'bit')],
  generations: (count) => ['generations', String(count)],
  window: (time) => ['window', time ? duration(time / 1000) : 'none'],
  labels: (count) => ['labels', integer(count)],
  decrements: (count) => ['decrements', integer(count)],
  rotations: (count) => ['rotations', integer(count)],
};

/** The names and values that a filter has of these. */
function ownOf(filter: Filled): [name: string, value: number][] {
  const names = Object.keys(OWN).filter((name) => name in filter);
  return names.map((name) => [name, Reflect.get(filter, name)]);
}

/** The facts for programs. */
export function describe(filter: Filled) {
  const { kind, base, capacity, errorRate, cellName, cellCount, hashes, seed } = filter;
  const estimatedCount = filter.estimateCount();
  const secretCheck = checkIn(seed);
  return {
    kind,
    ...(base && { base: base.kind }),
    capacity,
    errorRate,
    [cellName]: cellCount,
    hashes,
    ...Object.fromEntries(ownOf(filter)),
    ...(secretCheck ? { secretCheck } : { seed }),
    fillRatio: filter.fillRatio(),
    estimatedCount: Number.isFinite(estimatedCount) ? Math.round(estimatedCount) : null,
    estimatedErrorRate: filter.estimateErrorRate(),
  };
}

/** What a filter was made for, or how many keys it has room for if its file does not tell. */
export function purposeOf(filter: Pick<Filled, 'kind' | 'capacity' | 'errorRate'>): Fact {
  const purpose = `${plural(filter.capacity, 'key')}, error rate ${rate(filter.errorRate)}`;
  return keepsCapacity(filter) ? ['made for', purpose] : ['room for', `about ${purpose}`];
}

/** The facts for people. */
export function factsOf(filter: Filled): Fact[] {
  const { fillRatio, estimatedCount, estimatedErrorRate } = describe(filter);
  const check = checkIn(filter.seed);
  // Cells of keys that are forgotten in part count as well.
  const about = traitsOf(filter).forgetsAny ? 'fewer than about ' : isExact(filter) ? '' : 'about ';
  return [
    ['kind', filter.base ? `${filter.kind}, around a ${filter.base.kind} filter` : filter.kind],
    // A set is made for as many keys as come.
    ...(isExact(filter) ? [] : [purposeOf(filter)]),
    [filter.cellName, integer(filter.cellCount)],
    ['hashes', String(filter.hashes)],
    ...ownOf(filter).map(([name, value]): Fact => OWN[name]?.(value) ?? [name, String(value)]),
    check ? ['secret', `check ${check}`] : ['seed', String(filter.seed)],
    // How full a set is differs each time that it is loaded.
    ...(isExact(filter) ? [] : [['fill ratio', rate(fillRatio)] as const]),
    ['keys', estimatedCount === null ? 'more than can be estimated' : `${about}${integer(estimatedCount)}`],
    ['error rate now', `about ${rate(estimatedErrorRate)}`],
  ];
}

/** Formats facts, one in a line. */
export function listOf(facts: readonly Fact[]): string {
  return facts.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${value}\n`).join('');
}

// What has changed between two saved filters: the old one, or the difference, is damaged.

import { diff, patch } from '../../../src/entries/delta.ts';
import { loadAny } from '../../../src/entries/load.ts';
import { BloomFilter, SavedFilterError } from '../../../src/index.ts';
import { damageBytes } from '../damage/bytes.ts';
import { areSame, attempt, pick, type Reader, require } from '../subject.ts';

const filters = [0, 3, 60].map((count) =>
  BloomFilter.from(
    new Uint32Array(count).map((_, i) => i),
    { capacity: 60 },
  ),
);
const files = filters.map((filter) => filter.toBytes());
const cases = files.flatMap((old) => files.map((next) => ({ old, next, delta: diff(old, next) })));

const delta: Reader = {
  name: 'difference of two filters',
  share: 20_000,
  run(subject) {
    const { random } = subject;
    const { old, next, delta: made } = pick(random, cases);
    const damaged = damageBytes(made.slice(), random);
    subject.input = damaged;
    const patched = attempt(
      () => patch(old, damaged),
      (error) => error instanceof RangeError,
    );
    if (patched === undefined) return 'refused';
    const loaded = attempt(
      () => loadAny([BloomFilter], patched),
      (error) => error instanceof SavedFilterError,
    );
    require(loaded === undefined || areSame(patched, next), 'what can be loaded is the new filter');
    loaded?.dispose();
    return 'read';
  },
};

export const deltaReaders: readonly Reader[] = [delta];

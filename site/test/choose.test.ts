import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readableClasses } from '../../cli/filters/kinds.ts';
import { BloomFilter } from '../../src/index.ts';
import { exactWords } from '../src/calculator/exact.ts';
import { bitsOf, type KindRow } from '../src/calculator/kind-row.ts';
import { kinds } from '../src/calculator/kinds.ts';
import type { Answers } from '../src/choose/choices.ts';
import { choose, chooseSet, firstAnswers, fromQuery, questions, rateFor, toQuery } from '../src/choose/choices.ts';

/** All combinations of answers where an answer may be wrong. */
const ofFilters = questions.filter((question) => question !== 'errs');
const combinations = Array.from({ length: 2 ** ofFilters.length }, (_, bits): Answers => {
  const answers = ofFilters.map((question, i) => [question, Boolean(bits & (1 << i))]);
  return { ...firstAnswers, ...Object.fromEntries(answers) };
});

/** What the library says of a kind. A tombstone filter can do what its base can, here a classic filter, and removes. */
function traitsOf({ kind }: KindRow): typeof BloomFilter.traits & { readonly takesKeys: boolean } {
  const Class = readableClasses.find((each) => each.kind === kind) as (typeof readableClasses)[number];
  const takesKeys = 'add' in Class.prototype;
  if (kind === 'tombstone') return { ...BloomFilter.traits, removes: Class.traits.removes, takesKeys };
  return { ...Class.traits, takesKeys };
}

/** What a kind cannot do of what is asked. */
function missing(row: KindRow, answers: Answers, keys: number): string[] {
  const traits = traitsOf(row);
  const isKnown = answers.known || answers.complete;
  return [
    ...(answers.deletes && !traits.removes ? ['delete'] : []),
    ...(!answers.complete && !traits.takesKeys ? ['take keys'] : []),
    ...(!isKnown && traits.canBeFull ? ['take any number of keys'] : []),
    ...(traits.leastErrorRate(keys) > rateFor(answers) ? ['err so rarely'] : []),
  ];
}

describe('the chooser', () => {
  it.each(combinations)('names kinds that can do what is asked: %j', (answers) => {
    const { row, because, others } = choose(answers);
    const rows = [row, ...others.map((other) => other.row)];
    for (const each of rows) {
      for (const keys of [1, 1000, 1_000_000]) expect(missing(each, answers, keys), each.kind).toEqual([]);
    }
    expect(because.length).toBeGreaterThan(20);
    expect(new Set(rows).size).toBe(rows.length);
    // No keys are forgotten unless that is said, and a filter of nobody knows how many keys grows.
    expect(traitsOf(row).forgets).toBe(false);
    if (!answers.known && !answers.complete && !answers.deletes) expect(traitsOf(row).grows).toBe(true);
  });

  it('calls a kind the smallest only where it is', () => {
    for (const answers of combinations) {
      const { row, because, others } = choose(answers);
      const sizeOf = (each: KindRow): number => bitsOf(each.shapeFor(1_000_000, rateFor(answers)));
      const claims = [{ row, instead: because }, ...others];
      const bySize = claims.map((claim) => claim.row).sort((one, other) => sizeOf(one) - sizeOf(other));
      for (const { row: each, instead } of claims) {
        if (/no other .* as small/i.test(instead)) expect(each).toBe(bySize[0]);
        if (/next smallest/.test(instead)) expect(each).toBe(bySize[1]);
        expect(instead).not.toMatch(/\bit is smaller\b(?! than)/);
      }
    }
  });

  it('has a place for every kind, and the usual ones come first', () => {
    const all = combinations.map(choose);
    const named = all.flatMap(({ row, others }) => [row.kind, ...others.map((other) => other.row.kind)]);
    expect([...new Set(named)].sort()).toEqual(kinds.map(({ kind }) => kind).sort());
    const first = new Set(all.map(({ row }) => row.kind));
    expect([...first].sort()).toEqual(['classic', 'counting', 'cuckoo', 'fuse', 'scalable']);
  });
});

it.each([
  [10_000, ['Set', 'FingerprintSet'], /^About 600 kB for 10,000 keys/],
  [10_001, ['FingerprintSet', 'Set'], /^About 200 kB for 10,001 keys/],
  [16_777_217, ['FingerprintSet'], /^About 336 MB/],
  [200_000_001, ['FingerprintSet'], /^It holds at most 200,000,000 keys\. Divide them/],
])('without errors, a set is chosen by the number of keys: %d', (keys, names, words) => {
  const { row, others } = chooseSet(keys);
  expect([row.className, ...others.map((other) => other.row.className)]).toEqual(names);
  expect(exactWords(row, keys)).toMatch(words);
});

it('the query of the chooser always gives a view that can be asked for again', () => {
  fc.assert(
    fc.property(fc.string(), fc.oneof(fc.string(), fc.double().map(String)), (text, keys) => {
      const query = new URLSearchParams([...questions.map((question) => [question, text]), ['keys', keys]]);
      const found = fromQuery(query.toString());
      expect(fromQuery(toQuery(found))).toEqual(found);
    }),
  );
});

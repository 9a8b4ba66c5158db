// What a query means: questions in words of their own find sections that are written in others.

import type { Query, QueryCombination, SearchOptions } from 'minisearch';

/** Words that say nothing about what is asked. */
const STOP_WORDS = new Set(
  `a am an and any are as at be been being by can could did do does doing for from get give had have how i if in into
  is it its just like make me my need of on or our please should show so some tell than that the their them then there
  these they this to too up us use used using want was way we were what when where which who why will with without
  would you your`.split(/\s+/),
);

/** Beginnings of questions whose words are stop words only here, and rates. */
const SAY_NOTHING = /\bhow (?:many|much)\b|\d[\d.]*\s*%/g;

/**
 * Words and phrases that mean the same here, as the words of a document begin with them. Of a phrase, a document must
 * have all words.
 */
const MEANINGS: readonly (readonly string[])[] = [
  ['getting started', 'get started', 'quick start', 'quickstart', 'first steps', 'tutorial', 'beginner', 'i want to'],
  ['delet', 'remov', 'erase', 'unset'],
  ['merg', 'union', 'combin', 'join', 'unite'],
  ['intersect', 'overlap', 'in common'],
  ['save', 'saving', 'stor', 'persist', 'seriali', 'export'],
  ['load', 'restor', 'deseriali'],
  ['disk', 'file'],
  ['insert', 'add', 'adding'],
  ['bulk', 'batch', 'addmany', 'many at once'],
  ['dedup', 'duplicat', 'uniq'],
  ['false positive', 'falsepositive', 'error rate', 'wrong answer', 'fpr', 'fp rate', 'accuracy', 'precision'],
  ['csp', 'content security policy', 'unsafe eval'],
  ['wasm', 'webassembly'],
  ['commonjs', 'cjs', 'require'],
  ['size', 'large', 'big'],
  ['version', 'later'],
  ['memory', 'ram'],
  ['speed', 'fast', 'performance', 'slow', 'throughput'],
  ['contain', 'has', 'exist', 'lookup', 'look up', 'look keys up', 'includes'],
  ['expire', 'expir', 'forget', 'ttl', 'sliding window'],
  ['grow', 'unbounded', 'unknown number', 'not know', 'resize'],
  ['thread', 'worker'],
  ['attack', 'adversar', 'malicious', 'hashdos', 'stranger'],
  ['migrat', 'another package', 'switch from'],
  ['typescript', 'types'],
  ['cdn', 'without a bundler', 'unpkg', 'jsdelivr'],
  ['choos', 'which kind', 'which filter', 'which bloom filter'],
  ['exception', 'error'],
  ['count', 'how often', 'frequency'],
];

/** How much less a document counts that has another word of the same meaning. */
const OTHER_WORD = 0.7;

/** The words of a text, in lower case. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

const phrases = MEANINGS.flatMap((meaning) => meaning.map((phrase) => ({ words: phrase.split(' '), meaning })));
const longestFirst = [...phrases].sort((a, b) => b.words.length - a.words.length);

/** Words that begin others, of another meaning: `has` begins `hash`. */
const SHORT = 3;
const isWhole = (part: string): boolean => part.length <= SHORT || STOP_WORDS.has(part);

interface Meant {
  /** The words of the query. */
  readonly words: readonly string[];
  /** Other words and phrases of the same meaning. */
  readonly others: readonly string[];
}

/** The meaning of the words from a position on; undefined if they are none that is known. */
function meantAt(words: readonly string[], at: number): Meant | undefined {
  const fits = (part: string, word: string | undefined): boolean =>
    isWhole(part) ? word === part : word?.startsWith(part) === true;
  const found = longestFirst.find((each) => each.words.every((part, i) => fits(part, words[at + i])));
  if (found === undefined) return undefined;
  return {
    words: words.slice(at, at + found.words.length),
    others: found.meaning.filter((phrase) => phrase !== found.words.join(' ')),
  };
}

/** What a query asks for. A query that consists of stop words alone asks for these words. */
export function meaningsOf(query: string): Meant[] {
  const words = wordsOf(query.toLowerCase().replaceAll(SAY_NOTHING, ' '));
  const meant: Meant[] = [];
  for (let at = 0; at < words.length; at += meant.at(-1)?.words.length ?? 1) {
    const word = words[at] as string;
    meant.push(meantAt(words, at) ?? { words: [word], others: [] });
  }
  const telling = meant.filter(({ words }) => words.some((word) => !STOP_WORDS.has(word)));
  return telling.length > 0 ? telling : wordsOf(query).map((word) => ({ words: [word], others: [] }));
}

const all = (words: readonly string[], options: SearchOptions = {}): QueryCombination => ({
  ...options,
  combineWith: 'AND',
  queries: [...words],
});

/** The query for MiniSearch: each meaning in any of its words. */
export function queryFor(query: string, combineWith: 'AND' | 'OR'): Query {
  const other: SearchOptions = {
    fuzzy: false,
    prefix: (term) => !isWhole(term),
    boostTerm: () => OTHER_WORD,
  };
  return {
    combineWith,
    queries: meaningsOf(query).map(({ words, others }) => ({
      combineWith: 'OR',
      queries: [all(words), ...others.map((phrase) => all(phrase.split(' '), other))],
    })),
  };
}

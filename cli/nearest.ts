// Which of a few words a misspelt one may stand for.

import { CommandError, quote } from './command-error.ts';

/** The edit distance: the fewest letters to insert, delete or replace that turn one word into the other. */
function distance(one: string, other: string): number {
  let row = [0, ...other].map((_, i) => i);
  for (const letter of one) {
    let left = Infinity;
    let corner = Infinity;
    row = row.map((above, i) => {
      left = 1 + Math.min(left, above, letter === other[i - 1] ? corner - 1 : corner);
      corner = above;
      return left;
    });
  }
  return row.at(-1) as number;
}

/** The word that begins with a shortened one, or is most like a misspelt one; undefined if none is similar. */
export function nearest(misspelt: string, words: readonly string[]): string | undefined {
  const wanted = misspelt.substring(0, 40).toLowerCase();
  const longer = words.filter((word) => wanted.length > 1 && word.toLowerCase().startsWith(wanted));
  if (longer.length > 0) return longer[0];
  const limit = Math.min(3, (wanted.length - 1) / 2);
  const [best] = words
    .map((word) => ({ word, far: distance(wanted, word.substring(0, 60).toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far);
  return best?.word;
}

/** What to add to an error about a misspelt word: `; did you mean …?`, or nothing if none of the words is similar. */
export function hintAt(misspelt: string, words: readonly string[], show = (word: string): string => word): string {
  const similar = nearest(misspelt, words);
  return similar === undefined ? '' : `; did you mean ${show(similar)}?`;
}

/** Reads an argument that must be one of a few words. */
export function readChoice(choices: readonly string[], text: string, name: string): string {
  if (choices.includes(text)) return text;
  const hint = hintAt(text, choices);
  throw new CommandError(`${name} must be one of ${choices.join(', ')}, got ${quote(text)}${hint}`);
}

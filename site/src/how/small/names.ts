// Makes distinct names that can be pronounced.

const CONSONANTS = 'bdfghjklmnprstvz';
const VOWELS = 'aeiou';
const SYLLABLES = [...CONSONANTS].flatMap((consonant) => [...VOWELS].map((vowel) => consonant + vowel));
/** Shares no factor with the number of names, so that each name comes once, in a mixed order. */
const STEP = 211_463;
const ALL = SYLLABLES.length ** 3;

/** A name of three syllables; different for each of the first 512,000 numbers. */
export function nameAt(number: number): string {
  const mixed = (number * STEP) % ALL;
  const { length } = SYLLABLES;
  return [mixed, Math.floor(mixed / length), Math.floor(mixed / length ** 2)]
    .map((place) => SYLLABLES[place % length])
    .join('');
}

const ASKED = 10_000;

/** Names that the button never adds. */
export const absentNames: readonly string[] = Array.from({ length: ASKED }, (_, i) => nameAt(ALL / 2 + i));

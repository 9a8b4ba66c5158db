import { mustBe } from './validate.ts';

/** The fewest letters to insert, delete or replace that turn one word into the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const letter of one) {
    let corner = Infinity;
    let left = Infinity;
    row = row.map((above, i) => {
      left = Math.min(left + 1, above + 1, corner + (letter === other[i - 1] ? 0 : 1));
      corner = above;
      return left;
    });
  }
  return row.at(-1) as number;
}

function unknownOption(unknown: string, names: readonly string[]): TypeError {
  const shown = unknown.slice(0, 40);
  const distances = names.map((name) => distance(shown.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...distances);
  // A name that would need more changes than half its letters is no misspelling.
  const isNear = 2 * least <= shown.length;
  const hint = isNear ? `did you mean ${names[distances.indexOf(least)]}?` : `the options are ${names.join(', ')}`;
  return new TypeError(`unknown option ${shown}; ${hint}`);
}

/** Returns the options if they are an object; else throws a TypeError that shows an example. */
export function requireObject(options: unknown, example: string): Record<string, unknown> {
  // An array is not meant as options. Listing the names in a long one could take all memory.
  if (typeof options === 'object' && options !== null && !(Symbol.iterator in options)) {
    return options as Record<string, unknown>;
  }
  throw new TypeError(mustBe('options', `an object such as ${example}`, options));
}

/**
 * Returns the options if they are an object without unknown names; else throws a TypeError that says what was meant.
 * Only the object's own names count, so that options may be an instance of a class that can do more.
 */
export function requireOptions(options: unknown, example: string, names: readonly string[]): Record<string, unknown> {
  const given = requireObject(options, example);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownOption(unknown, names);
  return given;
}

import { mustBe } from './validate.ts';

/** The edit distance: the fewest letters to insert, delete or replace that turn one word into the other. */
export function distance(one: string, other: string): number {
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

/**
 * @param prefix precedes the name in the message
 */
function unknownOption(unknown: string, names: readonly string[], prefix: string): TypeError {
  const shown = unknown.slice(0, 40);
  const far = (name: string): number => distance(shown.toLowerCase(), name.toLowerCase());
  const [nearest = ''] = [...names].sort((one, other) => far(one) - far(other));
  // If more than half of the letters differ, it is another word rather than a misspelling.
  const isNear = 2 * far(nearest) <= shown.length;
  const hint = isNear ? `did you mean ${nearest}?` : `the options are ${names.join(', ')}`;
  return new TypeError(`unknown option ${prefix}${shown}; ${hint}`);
}

/**
 * Returns the options if they are an object whose names are all known; else throws a TypeError with a suggestion. Only
 * the object's own names are checked, so it may be an instance of a class, with methods.
 *
 * @param names the known names; if left out, every name is allowed
 * @param argument the name of the options in the message; default `options`
 */
export function requireOptions(
  options: unknown,
  example: string,
  names?: readonly string[],
  argument = 'options',
): Readonly<Record<string, unknown>> {
  // Arrays are refused here, because listing the names of a long one could take all memory.
  if (typeof options !== 'object' || options === null || Symbol.iterator in options) {
    throw new TypeError(mustBe(argument, `an object such as ${example}`, options));
  }
  const prefix = argument === 'options' ? '' : `${argument}.`;
  if (names) {
    for (const name of Object.keys(options)) if (!names.includes(name)) throw unknownOption(name, names, prefix);
  }
  return options as Record<string, unknown>;
}

import { isObject, mustBe } from './validate.ts';

/**
 * Returns the options if they are an object whose names are all known; else throws a TypeError that lists them. Only
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
  if (!isObject(options) || Symbol.iterator in options) {
    throw new TypeError(mustBe(argument, `an object such as ${example}`, options));
  }
  const prefix = argument === 'options' ? '' : `${argument}.`;
  if (names) {
    for (const name of Object.keys(options)) {
      if (names.includes(name)) continue;
      throw new TypeError(`unknown option ${prefix}${name.slice(0, 40)}; the options are ${names.join(', ')}`);
    }
  }
  return options as Record<string, unknown>;
}

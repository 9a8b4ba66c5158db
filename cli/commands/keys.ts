// Shared by has and get: keys that are arguments, and those of stdin.

import { textOptions } from '../args/options.ts';
import { CommandError, quote, REPLACEMENT } from '../errors.ts';
import { formatOf, type TextFormat, type TextValues } from '../text/format.ts';
import { findInputs, type Inputs, requireOneStdin, STDIN } from '../text/input.ts';
import { normalKey } from '../text/key-writer.ts';

/** The keys to look up. */
export interface GivenKeys {
  readonly format: TextFormat;
  /** The arguments that are keys, and what they are as keys. */
  readonly named: readonly string[];
  readonly keys: readonly string[];
  /** Stdin, if its lines are looked up too. */
  readonly inputs: Inputs | undefined;
  /** How many bytes the keys have; undefined if that is not known. */
  readonly bytes: number | undefined;
}

/** @throws CommandError if an option says where keys are in stdin, which is not read */
function requireNoTextOption(given: object): void {
  const found = Object.keys(textOptions).find(
    (name) => Reflect.get(given, name) && name !== 'trim' && name !== 'ignore-case',
  );
  if (found !== undefined) throw new CommandError(`--${found} needs the key -, which stands for the lines of stdin`);
}

/**
 * Reads the arguments of a command, but for the first, which names a file; `-` stands for the lines of stdin.
 *
 * @throws CommandError if a key cannot be an argument, or the options do not go with the keys
 */
export async function keysFrom(file: string, given: readonly string[], values: TextValues): Promise<GivenKeys> {
  const broken = given.find((key) => key.includes(REPLACEMENT));
  if (broken !== undefined) {
    throw new CommandError(`${quote(broken)} may not be valid UTF-8: look it up on stdin, with the key -`);
  }
  requireOneStdin([file, ...given]);
  const format = formatOf(values);
  const inputs = given.includes(STDIN) ? await findInputs([STDIN]) : undefined;
  if (inputs === undefined) requireNoTextOption(values);
  const named = given.filter((key) => key !== STDIN);
  const bytes = inputs ? inputs.size : named.join('').length;
  return { format, named, keys: named.map((key) => normalKey(key, format)), inputs, bytes };
}

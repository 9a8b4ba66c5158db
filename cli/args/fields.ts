// What the options --field, --json-field and --value-field take.

import { CommandError, quote } from '../errors.ts';
import { integer, readInteger } from '../numbers.ts';
import { type Field, type Path, repeatedField, type ValuePlace, writtenPath } from '../text/format.ts';

/** More fields would make long keys of short lines: a mistake rather than a wish. */
const MOST_FIELDS = 10_000;
/** A word up to a comma, or in quotes, as CSV has them. */
const WORD = /(?:"(?:[^"]|"")*"(?=,|$)|[^,]*)/y;
const QUOTED = /^"(.*)"$/s;
const RANGE = /^(\d+)(-)?(\d+)?$/;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    WORD.lastIndex = at;
    const [word = ''] = WORD.exec(text) ?? [];
    words.push(word);
    at += word.length;
  }
  return words;
}

function fieldsIn(word: string, name: string): Field[] {
  const [, quoted] = QUOTED.exec(word) ?? [];
  if (quoted !== undefined) return [{ name: quoted.replaceAll('""', '"') }];
  const [, low, dash, high] = RANGE.exec(word) ?? [];
  if (low === undefined) {
    // Quotes around it make it a name.
    if (/^[\d-]*$/.test(word)) {
      throw new CommandError(`${name} must have numbers, ranges or names, such as 2,4-6,email, got ${quote(word)}`);
    }
    return [{ name: word }];
  }
  const numberIn = (digits: string): number => readInteger(digits, name, 1, Number.MAX_SAFE_INTEGER);
  const from = numberIn(low);
  if (dash === undefined) return [from];
  if (high === undefined) return [{ from }];
  const to = numberIn(high);
  if (to < from) throw new CommandError(`${name} has the range ${word}, which must not fall`);
  if (to - from >= MOST_FIELDS) throw new CommandError(`${name} must have at most ${integer(MOST_FIELDS)} fields`);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/**
 * Reads numbers, ranges and names of fields: `2,4-6,8-,email`.
 *
 * @throws CommandError if it is something else, or has a field twice
 */
export function readFields(text: string, name: string): readonly Field[] {
  const fields = wordsOf(text).flatMap((word) => fieldsIn(word, name));
  const twice = repeatedField(fields);
  if (twice !== undefined) throw new CommandError(`${name} has ${twice} twice`);
  return fields;
}

/**
 * Reads names of members: `id,user.name`.
 *
 * @throws CommandError if it is something else, or has a member twice
 */
export function readPaths(text: string, name: string): readonly Path[] {
  // A backslash before a dot or a comma makes it part of the name.
  const paths = text
    .split(/(?<!\\),/)
    .map((path) => path.split(/(?<!\\)\./).map((word) => word.replaceAll(/\\([.,])/g, '$1')));
  if (paths.flat().includes('')) throw new CommandError(`${name} must be one name or several, got ${quote(text)}`);
  const written = paths.map(writtenPath);
  const twice = written.find((path, i) => written.indexOf(path) < i);
  if (twice !== undefined) throw new CommandError(`${name} has ${twice} twice`);
  return paths;
}

/**
 * Reads where values are, as the option reads it that says where keys are.
 *
 * @param areMembers whether keys are members of JSON objects
 * @throws CommandError unless it is one field or one member
 */
export function readValuePlace(text: string, name: string, areMembers: boolean): ValuePlace {
  const fields = areMembers ? [] : readFields(text, name);
  const members = areMembers ? readPaths(text, name) : [];
  const isOpen = fields.some((field) => typeof field === 'object' && 'from' in field);
  if (fields.length + members.length === 1 && !isOpen) return { fields, members };
  throw new CommandError(`${name} must be one field, got ${quote(text)}`);
}

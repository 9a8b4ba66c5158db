// Names of fields, which the header of each input gives them.

import { CommandError, nameOf, quote } from '../command-error.ts';
import { hintAt } from '../nearest.ts';
import { areSame, bytesOf, textOf } from './bytes.ts';
import { cellsOf } from './fields.ts';
import { type Field, type NamedField, repeatedField, type TextFormat } from './format.ts';

/** How many names of a header an error shows. */
const MOST_SHOWN = 20;

const isNamed = (field: Field): field is NamedField => typeof field === 'object' && 'name' in field;

/** @throws CommandError unless one field has the name */
function columnOf(wanted: string, cells: readonly Uint8Array[], { quoted }: TextFormat, input: string): number {
  const bytes = bytesOf(wanted);
  const numbers = cells.flatMap((cell, i) => (areSame(bytes, cell) ? [i + 1] : []));
  const [number] = numbers;
  if (number === undefined) {
    const names = cells.map((cell) => textOf(cell));
    const some = names
      .filter((_, i) => i < MOST_SHOWN)
      .map(quote)
      .join(', ');
    const all = names.length > MOST_SHOWN ? `begin with ${some}` : `are ${some}`;
    const [first = ''] = names;
    const isOther = names.length === 1 && /[,;|]/.test(first);
    const hint = isOther
      ? `; its first line is one field, ${quote(first)}: pass ${quoted ? '' : '--csv, or '}--delimiter`
      : hintAt(wanted, names, quote) || `; its fields ${all}`;
    throw new CommandError(`${nameOf(input)} has no field ${quote(wanted)}${hint}`);
  }
  if (numbers.length > 1) {
    const all = `${numbers.length} fields ${quote(wanted)}`;
    throw new CommandError(`${nameOf(input)} has ${all}: give the number of one, ${numbers.join(' or ')}`);
  }
  return number;
}

/**
 * The format of an input, in which the names of fields are replaced by their numbers.
 *
 * @param input the name of the input, for errors
 * @throws CommandError if the header lacks a name or has it twice, or if a field comes twice
 */
export function withColumns(format: TextFormat, header: Uint8Array, input: string): TextFormat {
  const { value } = format;
  if (![...format.fields, ...(value?.fields ?? [])].some(isNamed)) return format;
  const cells = cellsOf(header, format);
  const numbered = (some: readonly Field[]): Field[] =>
    some.map((field) => (isNamed(field) ? columnOf(field.name, cells, format, input) : field));
  const fields = numbered(format.fields);
  const twice = repeatedField(fields);
  if (twice !== undefined) throw new CommandError(`${nameOf(input)}: --field has ${twice} twice, once by its name`);
  return { ...format, fields, value: value && { ...value, fields: numbered(value.fields) } };
}

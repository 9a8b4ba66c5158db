// A text of two columns: a key, a tab and its value on each line.

import { MOST_VALUE } from '../../kinds/fuse-map/values.ts';
import { errorAt } from './place.ts';

/**
 * The values by their keys. The last tab of a line ends the key.
 *
 * @param text a text in UTF-8, whose lines end with \n or \r\n
 * @param path that of the file, for errors
 * @throws the error that names the first line without a value, or whose key had another value before
 */
export function valuesIn(text: Uint8Array, path: string): ReadonlyMap<string, number> {
  const lines = new TextDecoder('utf-8', { ignoreBOM: true }).decode(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const values = new Map<string, number>();
  for (const [i, line] of lines.entries()) {
    const fail = (message: string): Error => errorAt({ file: path, position: { line: i + 1, column: 0 } }, message);
    const [, key = '', digits] = /^(.*)\t(\d+)\r?$/s.exec(line) ?? [];
    const value = Number(digits);
    if (!(value <= MOST_VALUE)) throw fail(`the line must be a key, a tab and an integer from 0 to ${MOST_VALUE}`);
    const earlier = values.get(key) ?? value;
    if (earlier !== value) throw fail(`the key '${key}' has the value ${value}, and ${earlier} on a line before`);
    values.set(key, value);
  }
  return values;
}

import { column, type KeyColumn } from '../../src/index.ts';
import { concat } from './stream-tools.ts';

/** A column of these keys. */
export function columnOf(keys: readonly Uint8Array[]): KeyColumn<Int32Array<ArrayBuffer>, ArrayBuffer> {
  let end = 0;
  return column(concat(keys), Int32Array.of(0, ...keys.map(({ length }) => (end += length))));
}

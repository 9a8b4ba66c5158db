import { column, KeyColumn, type KeyLines, lines } from 'bloomery';

const NEWLINE = 10;

/** The keys of a text. */
export type TextKeys = KeyLines | KeyColumn;

export function countKeys(keys: TextKeys): number {
  return keys instanceof KeyColumn ? keys.length : keys.count();
}

/** Divides keys into the first `count` of them and the others. */
export function splitKeys(keys: TextKeys, count: number): [TextKeys, TextKeys] {
  if (keys instanceof KeyColumn) {
    const { data, offsets } = keys;
    return [column(data, offsets.subarray(0, count + 1)), column(data, offsets.subarray(count))];
  }
  const { bytes, crlf } = keys;
  const end = count < keys.count() ? endOf(bytes, count) : bytes.length;
  return [lines(bytes.subarray(0, end), { crlf }), lines(bytes.subarray(end), { crlf })];
}

/** The offset at which the first `count` lines end. There must be more. */
function endOf(bytes: Uint8Array, count: number): number {
  let end = 0;
  for (let i = 0; i < count; i++) end = bytes.indexOf(NEWLINE, end) + 1;
  return end;
}

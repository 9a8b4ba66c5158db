import { column, KeyColumn, type KeyLines, lines } from 'bloomery';

const NEWLINE = 10;

/** The keys of a text. */
export type TextKeys = KeyLines | KeyColumn;

/** Selects keys by a method of a filter, which gives keys of the type that it gets. */
export function selectKeys<K extends TextKeys>(keys: K, select: (keys: TextKeys) => TextKeys): K {
  return select(keys) as K;
}

export function countKeys(keys: TextKeys): number {
  return keys instanceof KeyColumn ? keys.length : keys.count();
}

/** No fewer than there are keys, at no cost: each line has a byte or more. */
export function mostKeys(keys: TextKeys): number {
  return keys instanceof KeyColumn ? keys.length : keys.bytes.length;
}

/** Divides keys into the first `count` of them and the others. */
export function splitKeys<K extends TextKeys>(keys: K, count: number): [K, K] {
  return (keys instanceof KeyColumn ? splitColumn(keys, count) : splitLines(keys, count)) as [K, K];
}

function splitColumn({ data, offsets }: KeyColumn, count: number): [KeyColumn, KeyColumn] {
  return [column(data, offsets.subarray(0, count + 1)), column(data, offsets.subarray(count))];
}

function splitLines(keys: KeyLines, count: number): [KeyLines, KeyLines] {
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

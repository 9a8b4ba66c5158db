// Looks up a column of strings of an Apache Arrow table in place: none of them becomes a JavaScript string.
//
//   const table = tableFromIPC<{ mail: Utf8 }>(readFileSync('people.arrow'));
//   const flags = flagsOf(filter, table.getChild('mail')!);

import type { LargeUtf8, Utf8, Vector } from 'apache-arrow';
import { type BloomFilter, column } from 'bloomery';

/** A flag for each row: 1 if it may be in the filter. A null is no key: 0. */
export function flagsOf(filter: BloomFilter, vector: Vector<Utf8> | Vector<LargeUtf8>): Uint8Array {
  const flags = new Uint8Array(vector.length);
  let row = 0;
  // A vector has several chunks if it comes from several record batches.
  for (const chunk of vector.data) {
    const { length, nullCount, values, valueOffsets } = chunk;
    // A vector of the type Utf8View has none.
    if (!valueOffsets) throw new TypeError(`vector must be of the type Utf8 or LargeUtf8, got ${vector.type}`);
    // Arrow pads its offsets.
    const strings = column(values, valueOffsets.subarray(0, length + 1));
    const part = filter.hasMany(strings, flags.subarray(row, row + length));
    // The bytes of a null are those of an empty string.
    if (nullCount > 0) for (let i = 0; i < length; i++) if (!chunk.getValid(i)) part[i] = 0;
    row += length;
  }
  return flags;
}

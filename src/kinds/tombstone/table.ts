// The table of the hashes of removed keys.

import { requireSaved } from '../../format/header.ts';
import { align, type Engine, type Region } from '../../kernel/region.ts';
import { HASH_BYTES } from '../../kernel/scratch.ts';
import { ascendingIn, GrowingTable } from '../fingerprint-set/growing-table.ts';

/** The bytes that `count` tombstones take in a file. */
export function tombstoneBytes(count: number): number {
  return align(HASH_BYTES * count);
}

/** Makes an empty table of hashes, with memory for `capacity` of them. */
export function emptyTable(engine: Engine, capacity: number): GrowingTable {
  return GrowingTable.reserve(engine, capacity, HASH_BYTES, (cause) => cause);
}

/**
 * Makes a table of the hashes of a file. Throws a SavedFilterError unless they ascend strictly, as pairs of numbers, with
 * zeros after the last. Hashes that agree in 96 bits are taken for the same one, so no file of ours has two such.
 */
export function tableOf(tombstones: Region, count: number, engine: Engine): GrowingTable {
  const padding = tombstones.view(HASH_BYTES * count, tombstones.byteLength);
  requireSaved(!padding.some(Boolean), 'its padding bytes are not zero');
  const ascending = ascendingIn(tombstones, count, HASH_BYTES);
  requireSaved(ascending === count, `its tombstone ${ascending} is not greater than the one before`);
  const table = emptyTable(engine, count);
  try {
    table.load(tombstones, count, (hashes, some) => table.give('fingerprints_add', hashes, some));
    requireSaved(table.count === count, 'two of its tombstones have the same first 96 bits');
    return table;
  } catch (error) {
    table.dispose();
    throw error;
  }
}

// Reads and writes files as docs/format.md specifies them, slowly and without any code of src/.

import { expect } from 'vitest';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { type AnyFilter, entries, type KindOnEngine, type SizedKind, sizedKinds } from '../shared/kinds.ts';
import { murmur3 } from '../shared/oracle.ts';
import { FILE_SECRET } from '../shared/secret.ts';
import { siphash13 } from '../shared/siphash.ts';
import { concat } from '../shared/stream-tools.ts';

export const HEADER = 64;
export const MIB: number = 2 ** 20;
/** Matches every error for a file that is not a valid filter. */
export const REFUSED = /^bytes must be a saved filter: \S.{5,}/;

/** A kind, and what loads its files: `load` of the main entry if that has the kind, else `loadAny`. */
type SavedKind = SizedKind & { load(bytes: Uint8Array): AnyFilter };

const [{ api }] = entries;
const classes = sizedKinds.map(({ Filter }) => Filter) as object as LoadableClass[];

export const readers: readonly SavedKind[] = sizedKinds.map((kind) => {
  const isOfEntry = (Object.values(api) as unknown[]).includes(kind.Filter);
  return { ...kind, load: (bytes) => (isOfEntry ? api.load(bytes) : loadAny(classes, bytes)) as object as AnyFilter };
});

/** A filter of `cells` cells that holds `key 0`, `key 1`, …: as many as are wanted, or as fit. */
export function filled({ sized, roomOf }: SizedKind, cells: number, keys: number): AnyFilter {
  return sized({ cells, hashes: 3, seed: 5 }).addMany(keysOf(Math.min(keys, roomOf?.(cells) ?? keys)));
}

export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key ${i}`);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The checksum that a file should have.
 *
 * @param offset the offset of the body
 * @param lengths the byte length of each segment; default one segment
 */
export function checksumOf(
  file: Uint8Array,
  offset: number = HEADER,
  lengths = [file.length - offset] as readonly number[],
): bigint {
  const hash = (bytes: Uint8Array): [bigint, bigint] =>
    file[6] === 2 ? siphash13(bytes, FILE_SECRET) : murmur3(bytes, 0);
  const bytesOfHash = (bytes: Uint8Array): Uint8Array => new Uint8Array(BigUint64Array.from(hash(bytes)).buffer);
  const head = file.slice(0, offset);
  head.fill(0, 56, 64);
  const parts: Uint8Array[] = [head];
  let start = offset;
  for (const length of lengths) {
    const end = start + length;
    for (let at = start; at < end; at += MIB) parts.push(bytesOfHash(file.subarray(at, Math.min(at + MIB, end))));
    start = end;
  }
  return hash(concat(parts))[0];
}

/**
 * A copy of a file with a change and a matching checksum.
 *
 * @param layout the offset of the body and the byte length of each segment, as for `checksumOf`
 */
export function forge(
  file: Uint8Array,
  change: (view: DataView) => void,
  ...layout: [offset?: number, lengths?: readonly number[]]
): Uint8Array {
  const forged = file.slice();
  const view = viewOf(forged);
  change(view);
  view.setBigUint64(56, checksumOf(forged, ...layout), true);
  return forged;
}

/** A file that is not as it was saved. */
interface Damaged {
  readonly file: Uint8Array;
  readonly where: string;
}

/** Copies of a file with one bit flipped, each bit in turn. */
export function* flippedOnce(file: Uint8Array): Generator<Damaged & { readonly byte: number }> {
  for (let bit = 0; bit < 8 * file.length; bit++) {
    const byte = bit >> 3;
    const bad = file.slice();
    bad[byte] = (bad[byte] ?? 0) ^ (1 << (bit & 7));
    yield { file: bad, where: `bit ${bit}`, byte };
  }
}

/** Copies of a file that are too short, by any number of bytes, or too long. */
export function* cutOrLonger(file: Uint8Array): Generator<Damaged> {
  for (let length = 0; length < file.length; length++) yield { file: file.slice(0, length), where: `${length} bytes` };
  for (const extra of [1, 7, 64, file.length]) {
    yield { file: concat([file, new Uint8Array(extra)]), where: `${extra} extra bytes` };
  }
}

/** The error that a call throws. */
export function errorOf(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Expects that a call that loads a file refuses it. */
export function expectRefused(call: () => unknown, where: string, saying: RegExp = REFUSED): void {
  const error = errorOf(call);
  expect(error, where).toBeInstanceOf(RangeError);
  expect(error.message, where).toMatch(REFUSED);
  expect(error.message, where).toMatch(saying);
}

/** Expects that each of these ways to load a file refuses it, and frees the memory that it took. */
export function expectAllRefuse(
  ways: readonly (() => unknown)[],
  regions: readonly { readonly disposed: boolean }[],
  where: string,
  saying?: RegExp,
): void {
  for (const way of ways) expectRefused(way, where, saying);
  expect(
    regions.every(({ disposed }) => disposed),
    where,
  ).toBe(true);
}

/** All fields of a header. */
export function readSlowly(file: Uint8Array) {
  const view = viewOf(file);
  return {
    magic: String.fromCharCode(...file.subarray(0, 4)),
    version: view.getUint8(4),
    kind: sizedKinds.find(({ id }) => id === view.getUint8(5))?.kind,
    hash: view.getUint8(6),
    cellBits: view.getUint8(7),
    seed: view.getUint32(8, true),
    hashes: view.getUint32(12, true),
    cells: Number(view.getBigUint64(16, true)),
    capacity: Number(view.getBigUint64(24, true)),
    errorRate: view.getFloat64(32, true),
    bodyOffset: view.getUint32(40, true),
    segments: view.getUint32(44, true),
    bodyLength: Number(view.getBigUint64(48, true)),
    checksum: view.getBigUint64(56, true),
  };
}

/** Splits bytes into chunks that end at these offsets. */
export function splitAt(bytes: Uint8Array, ends: readonly number[]): Uint8Array[] {
  const sorted = [0, ...[...ends].sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end));
}

export async function* asynchronous<T>(values: Iterable<T>): AsyncGenerator<T, void, undefined> {
  for (const value of values) {
    await Promise.resolve();
    yield value;
  }
}

/** A filter loaded from its file in every way: by either engine, whole, in chunks cut at these places, and cloned. */
export async function copiesOf(
  made: AnyFilter,
  { Filter, Twin, bases }: Pick<KindOnEngine, 'Filter' | 'Twin' | 'bases'>,
  places: readonly number[],
): Promise<AnyFilter[]> {
  const file = made.toBytes();
  const parts = splitAt(
    file,
    places.map((place) => Math.min(place, file.length)),
  );
  const classes = [Twin, ...bases, entries[0].api.BloomFilter] as object as LoadableClass[];
  return [
    Filter.fromBytes(file),
    Twin.fromBytes(file),
    Twin.fromChunks(parts),
    await Filter.fromChunks(asynchronous(parts)),
    loadAny(classes, file) as object as AnyFilter,
    made.clone(),
  ];
}

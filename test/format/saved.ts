// Files as docs/format.md specifies them, read and written slowly, by nothing of src/.

import type { Key } from '../../src/index.ts';
import type { AnyFilter } from '../engines.ts';
import { entries } from '../engines.ts';
import { blockedBytes, classicBytes, countingBytes, murmur3 } from '../oracle.ts';

export const HEADER = 64;
export const MIB: number = 2 ** 20;
/** How every error about a bad file begins. */
export const REFUSED = /^bytes must be a saved filter: \S.{5,}/;

/** What the tests of files need of the three classes. */
export interface Reader {
  fromBytes(bytes: Uint8Array): AnyFilter;
  fromChunks(chunks: Iterable<Uint8Array>): AnyFilter;
  fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<AnyFilter>;
}

export type KindName = 'classic' | 'blocked' | 'counting';

export const KINDS: readonly KindName[] = ['classic', 'blocked', 'counting'];

/** The classes of an entry by the kind of filter. */
export function readersOf(api: (typeof entries)[number]['api']): Record<KindName, Reader> {
  return { classic: api.BloomFilter, blocked: api.BlockedBloomFilter, counting: api.CountingBloomFilter };
}

/** Every kind on every engine. */
export const readers = entries.flatMap(({ name, api, engine }) =>
  KINDS.map((kind) => ({ name: `${name}, ${kind}`, kind, engine, load: api.load, Filter: readersOf(api)[kind] })),
);

/** A filter of so many cells (bits in whole blocks, for a blocked one) with the keys `key 0` … in it. */
export function filled(
  kind: KindName,
  cells: number,
  keys: number,
  { BloomFilter, BlockedBloomFilter, CountingBloomFilter }: (typeof entries)[number]['api'] = entries[0].api,
): AnyFilter {
  const filter: AnyFilter =
    kind === 'classic'
      ? new BloomFilter({ bits: cells, hashes: 3, seed: 5 })
      : kind === 'blocked'
        ? new BlockedBloomFilter({ bits: cells, seed: 5 })
        : new CountingBloomFilter({ counters: cells, hashes: 3, seed: 5 });
  return filter.addMany(keysOf(keys));
}

export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key ${i}`);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function hashOf(bytes: Uint8Array): Uint8Array {
  const hash = new Uint8Array(16);
  for (const [i, half] of murmur3(bytes, 0).entries()) viewOf(hash).setBigUint64(8 * i, half, true);
  return hash;
}

/** The checksum that a file should have. */
export function checksumOf(file: Uint8Array): bigint {
  const header = file.slice(0, HEADER);
  header.fill(0, 56);
  const parts: Uint8Array[] = [header];
  for (let at = HEADER; at < file.length; at += MIB) parts.push(hashOf(file.subarray(at, at + MIB)));
  return murmur3(concat(parts), 0)[0];
}

/** A copy of a file with something changed in it, and the checksum made to fit. */
export function forge(file: Uint8Array, change: (view: DataView) => void): Uint8Array {
  const forged = file.slice();
  const view = viewOf(forged);
  change(view);
  view.setBigUint64(56, checksumOf(forged), true);
  return forged;
}

/** All that a header says. */
export function readSlowly(file: Uint8Array) {
  const view = viewOf(file);
  return {
    magic: String.fromCharCode(...file.subarray(0, 4)),
    version: view.getUint8(4),
    kind: KINDS[view.getUint8(5) - 1],
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

/** The body that a filter of such a header has by the oracle. */
export function bodyOf(kind: KindName, keys: Iterable<Key>, cells: number, hashes: number, seed: number): Uint8Array {
  if (kind === 'classic') return classicBytes(keys, cells, hashes, seed);
  if (kind === 'blocked') return blockedBytes(keys, cells / 256, seed);
  return countingBytes(keys, cells, hashes, seed);
}

export function concat(parts: Iterable<Uint8Array>): Uint8Array {
  const all = [...parts];
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The same bytes in chunks that end at these places. */
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

// Files as docs/format.md specifies them, slowly and without any code of src/; and the ways to read them.

import { murmur3 } from '../shared/oracle.ts';
import { FILE_SECRET } from '../shared/secret.ts';
import { siphash13 } from '../shared/siphash.ts';
import { concat } from '../shared/stream-tools.ts';

export const HEADER = 64;
export const MIB: number = 2 ** 20;
/** Matches every error for a file that is not a valid filter. */
export const REFUSED = /^bytes must be a saved filter: \S.{5,}/;

export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key ${i}`);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The numbers of the kinds whose files have several segments. */
const [SCALABLE, TOMBSTONE, SHARDED_FUSE, FUSE_MAP] = [4, 11, 13, 15];

/** Where the body of a file begins, and the byte length of each of its segments. */
type Layout = readonly [offset: number, lengths: readonly number[]];

export function layoutOf(file: Uint8Array): Layout {
  const view = viewOf(file);
  const [offset, segments] = [view.getUint32(40, true), view.getUint32(44, true)];
  const lengthsBy = (lengthOf: (i: number) => number) => Array.from({ length: segments }, (_, i) => lengthOf(i));
  const long = (at: number): number => Number(view.getBigUint64(at, true));
  switch (file[5]) {
    case SCALABLE:
      return [offset, lengthsBy((i) => 64 * Math.ceil(long(128 + 32 * i) / 512))];
    case SHARDED_FUSE:
    case FUSE_MAP: {
      const first = file[5] === FUSE_MAP ? 72 : 64;
      const cellsOf = (at: number): number => (view.getUint32(at + 4, true) + 2) * 2 ** view.getUint32(at, true);
      return [offset, lengthsBy((i) => Math.ceil(cellsOf(first + 24 * i) / 8) * view.getUint8(7))];
    }
    case TOMBSTONE:
      return [offset, [file.length - offset - long(64), long(64)]];
    default:
      return [offset, [file.length - offset]];
  }
}

export function bodyOf(filter: { toBytes(): Uint8Array<ArrayBuffer> }): Uint8Array<ArrayBuffer> {
  const file = filter.toBytes();
  return file.subarray(layoutOf(file)[0]);
}

/** The checksum that a file of this layout should have. */
export function checksumOf(file: Uint8Array, [offset, lengths] = layoutOf(file)): bigint {
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

/** A copy of a file with a change and a checksum that matches, by the layout that the file had before. */
export function forge(file: Uint8Array, change: (view: DataView) => void, layout = layoutOf(file)): Uint8Array {
  const forged = file.slice();
  const view = viewOf(forged);
  change(view);
  view.setBigUint64(56, checksumOf(forged, layout), true);
  return forged;
}

export function errorOf(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
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

import type { Instance } from '../kernel/kernel.ts';
import { Checksum, PIECE_BYTES } from './checksum.ts';
import { type FileKind, type Saved, sum, writeHead } from './header.ts';

interface Piece {
  /** A view of the filter's memory, valid until anything is allocated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly instance: Instance;
}

function* piecesOf({ segments }: Saved): Generator<Piece, void, undefined> {
  for (const region of segments) {
    for (let at = 0; at < region.byteLength; at += PIECE_BYTES) {
      const bytes = region.bytes.subarray(at, Math.min(at + PIECE_BYTES, region.byteLength));
      yield { bytes, instance: region.instance };
    }
  }
}

function headOf(kind: FileKind, saved: Saved): Uint8Array<ArrayBuffer> {
  const { segments } = saved;
  const lengths = segments.map(({ byteLength }) => byteLength);
  const checksum = new Checksum(writeHead(kind, saved), lengths);
  for (const { bytes, instance } of piecesOf(saved)) checksum.push(bytes, instance);
  return checksum.seal(segments[0].instance);
}

/** Saves the whole file in one array. */
export function toBytes(kind: FileKind, saved: Saved): Uint8Array<ArrayBuffer> {
  const head = headOf(kind, saved);
  const bytes = new Uint8Array(head.length + sum(saved.segments.map(({ byteLength }) => byteLength)));
  bytes.set(head);
  let at = head.length;
  for (const { bytes: piece } of piecesOf(saved)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Saves the file in chunks: first the head, then copies of at most 1 MiB of the body. */
export function* toChunks(kind: FileKind, saved: Saved): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield headOf(kind, saved);
  for (const { bytes } of piecesOf(saved)) yield bytes.slice();
}

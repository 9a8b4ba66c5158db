import type { Cells } from '../filters/cells.ts';
import type { Region } from '../kernel/region.ts';
import { Checksum, PIECE_BYTES } from './checksum.ts';
import { HEADER_BYTES, type Kind, writeHeader } from './header.ts';

/** The body piece by piece: views that are good until anything is allocated. */
function* piecesOf(region: Region): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (let at = 0; at < region.byteLength; at += PIECE_BYTES) {
    yield region.bytes.subarray(at, Math.min(at + PIECE_BYTES, region.byteLength));
  }
}

function headerOf(kind: Kind, { parameters, region }: Cells): Uint8Array<ArrayBuffer> {
  const checksum = new Checksum(writeHeader(kind, parameters), region.byteLength);
  for (const piece of piecesOf(region)) checksum.push(piece, region.instance);
  return checksum.seal(region.instance);
}

/** The whole file in one array. */
export function toBytes(kind: Kind, cells: Cells): Uint8Array<ArrayBuffer> {
  const { region } = cells;
  const header = headerOf(kind, cells);
  const bytes = new Uint8Array(HEADER_BYTES + region.byteLength);
  bytes.set(header);
  bytes.set(region.bytes.subarray(0, region.byteLength), HEADER_BYTES);
  return bytes;
}

/** The header, then the body in copies of at most 1 MiB. */
export function* toChunks(kind: Kind, cells: Cells): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  yield headerOf(kind, cells);
  for (const piece of piecesOf(cells.region)) yield piece.slice();
}

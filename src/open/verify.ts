import { Checksum, PIECE_BYTES } from '../format/checksum.ts';
import { type ReadHead, requireSaved } from '../format/header.ts';
import type { Region } from '../kernel/region.ts';
import { untilAborted } from '../util/until-aborted.ts';
import type { CheckedSource } from './checked-source.ts';

/** The most pieces that are read ahead. */
const AHEAD = 4;

/** The offset and the length of each piece of the body, in order. */
function* piecesOf({ bodyOffset, lengths }: ReadHead): Generator<[offset: number, length: number], void, undefined> {
  let start = bodyOffset;
  for (const length of lengths) {
    for (let at = 0; at < length; at += PIECE_BYTES) yield [start + at, Math.min(PIECE_BYTES, length - at)];
    start += length;
  }
}

/**
 * Reads the whole body, and checks the checksum.
 *
 * @param bytes the head
 * @param region gives the memory that hashes
 * @throws SavedFilterError if it is wrong
 */
export async function verifyFile(
  source: CheckedSource,
  bytes: Uint8Array,
  head: ReadHead,
  region: Region,
  signal: AbortSignal | undefined,
): Promise<void> {
  const checksum = new Checksum(bytes);
  const pieces = piecesOf(head);
  const reading: Promise<Uint8Array>[] = [];
  const readNext = (): void => {
    const { value } = pieces.next();
    if (!value) return;
    // A copy, because the source may use the buffer for the next read.
    const piece = source.inTurn(async () => (await source.read(...value, signal)).slice());
    // An error counts only once the piece has its turn.
    piece.catch(() => {});
    reading.push(piece);
  };
  for (let i = 0; i < Math.min(AHEAD, source.inFlight); i++) readNext();
  for (let next = reading.shift(); next; next = reading.shift()) {
    const piece = await untilAborted(next, signal);
    readNext();
    checksum.push(piece, region.instance);
  }
  const sealed = checksum.seal(region.instance);
  requireSaved(
    sealed.every((byte, i) => byte === bytes[i]),
    'its checksum is wrong',
  );
}

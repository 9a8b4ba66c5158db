import { Checksum, PART_BYTES } from '../format/checksum.ts';
import { type ReadHead, requireSaved } from '../format/header.ts';
import type { Region } from '../kernel/region.ts';
import { untilAborted } from '../util/until-aborted.ts';
import type { CheckedSource } from './checked-source.ts';

/** The most parts that are read ahead. */
const AHEAD = 4;

/** The offset and the length of each part of the body, in order. */
function* partsOf({ bodyOffset, lengths }: ReadHead): Generator<[offset: number, length: number], void, undefined> {
  let start = bodyOffset;
  for (const length of lengths) {
    for (let at = 0; at < length; at += PART_BYTES) yield [start + at, Math.min(PART_BYTES, length - at)];
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
  const parts = partsOf(head);
  const reading: Promise<Uint8Array>[] = [];
  const readNext = (): void => {
    const { value } = parts.next();
    if (!value) return;
    // A copy, because the source may use the buffer for the next read.
    const part = source.inTurn(async () => (await source.read(...value, signal)).slice());
    // An error counts only once the part has its turn.
    part.catch(() => {});
    reading.push(part);
  };
  for (let i = 0; i < Math.min(AHEAD, source.inFlight); i++) readNext();
  for (let next = reading.shift(); next; next = reading.shift()) {
    const part = await untilAborted(next, signal);
    readNext();
    checksum.push(part, region.instance);
  }
  const sealed = checksum.seal(region.instance);
  requireSaved(
    sealed.every((byte, i) => byte === bytes[i]),
    'its checksum is wrong',
  );
}

import { type FileKind, type ReadHead, readHead, requireLength } from '../format/header.ts';
import type { Engine } from '../kernel/region.ts';
import { untilAborted } from '../util/until-aborted.ts';
import type { CheckedSource } from './checked-source.ts';

/** The head of a file that is not loaded, as bytes, and what it says. */
export interface FileHead<Own = unknown> {
  readonly bytes: Uint8Array;
  readonly head: ReadHead<Own>;
}

/** How to read a head: the kind of the file, and an engine with the secret of the filter, or without one. */
export interface HeadReader {
  readonly kind: FileKind;
  readonly engine: Pick<Engine, 'seed'>;
}

/** The most bytes that may be read to get the head: enough for most, so that one read is. */
const HEAD_BYTES = 512;

/** Reads and checks the head of a file. */
export async function readFileHead(
  source: CheckedSource,
  choose: (header: Uint8Array) => HeadReader,
  signal: AbortSignal | undefined,
): Promise<FileHead> {
  const length = Math.min(HEAD_BYTES, source.size);
  // A copy, because the source may use the buffer again.
  const read = async (end: number): Promise<Uint8Array> =>
    (await untilAborted(source.read(0, end, signal), signal)).slice();
  let bytes = length > 0 ? await read(length) : new Uint8Array(0);
  const reader = choose(bytes);
  let head = readHead(bytes, reader);
  requireLength(source.size, head);
  while (bytes.length < head.bodyOffset) {
    bytes = await read(head.bodyOffset);
    head = readHead(bytes, reader);
    requireLength(source.size, head);
  }
  return { bytes: bytes.slice(0, head.bodyOffset), head };
}

import type { Instance } from '../kernel/instance.ts';
import { Checksum, PART_BYTES } from './checksum.ts';
import { type FileKind, type Head, sum, writeHead } from './header.ts';

/** A segment of a body that is saved: a region, or other bytes. */
interface Segment {
  readonly byteLength: number;
  /** A kernel for hashing the bytes. */
  readonly instance: Instance;
  readonly disposed: boolean;
  /** Some of the bytes, in a view that is valid until anything is allocated. */
  view(from: number, to: number): Uint8Array<ArrayBuffer>;
}

/** A filter that is saved: its parameters, and its body. */
export interface Saving extends Head {
  readonly segments: readonly [Segment, ...Segment[]];
  /** Frees what was copied to be saved. */
  dispose?(): void;
}

interface Part {
  /** A view that is valid until anything is allocated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly instance: Instance;
}

function changed(): Error {
  return new Error('the filter changed while it was saved: save a clone()');
}

function* partsOf(segments: Saving['segments']): Generator<Part, void, undefined> {
  for (const segment of segments) {
    for (let at = 0; at < segment.byteLength; at += PART_BYTES) {
      // `clear` disposes of all segments but the first.
      if (segment.disposed && !segments[0].disposed) throw changed();
      const bytes = segment.view(at, Math.min(at + PART_BYTES, segment.byteLength));
      yield { bytes, instance: segment.instance };
    }
  }
}

/** Hashes the whole filter. */
function checksumOf(kind: FileKind, saving: Head, segments: Saving['segments']): Checksum {
  const checksum = new Checksum(writeHead(kind, saving));
  for (const { bytes, instance } of partsOf(segments)) checksum.push(bytes, instance);
  return checksum;
}

/** Saves the whole file in one array. */
export function toBytes(kind: FileKind, saving: Saving): Uint8Array<ArrayBuffer> {
  const { segments } = saving;
  const head = checksumOf(kind, saving, segments).seal(segments[0].instance);
  const bytes = new Uint8Array(head.length + sum(segments.map(({ byteLength }) => byteLength)));
  bytes.set(head);
  let at = head.length;
  for (const { bytes: part } of partsOf(segments)) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Saves the file in chunks: first the head, then copies of at most 1 MiB of the body. Throws an Error if the next chunk
 * has changed since the head, with its checksum, was made. A change to a chunk that was already yielded does no harm.
 */
export function* toChunks(kind: FileKind, saving: Saving): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  // Read once, because a filter that grows may have more segments later.
  const { segments } = saving;
  const checksum = checksumOf(kind, saving, segments);
  yield checksum.seal(segments[0].instance);
  let index = 0;
  for (const { bytes, instance } of partsOf(segments)) {
    const chunk = bytes.slice();
    if (!checksum.confirms(index++, chunk, instance)) throw changed();
    yield chunk;
  }
}

/** The whole file of a filter, as a segment of the file of another one. Hashes the filter at once. */
export function fileOf(kind: FileKind, saving: Saving): Segment {
  const { segments } = saving;
  const head = checksumOf(kind, saving, segments).seal(segments[0].instance);
  const byteLength = head.length + sum(segments.map((segment) => segment.byteLength));
  return {
    byteLength,
    get instance() {
      return segments[0].instance;
    },
    get disposed() {
      return segments.some(({ disposed }) => disposed);
    },
    view(from, to) {
      const bytes = new Uint8Array(to - from);
      bytes.set(head.subarray(from, to));
      let start = head.length;
      for (const segment of segments) {
        const first = Math.max(from, start);
        const last = Math.min(to, start + segment.byteLength);
        if (first < last) bytes.set(segment.view(first - start, last - start), first - from);
        start += segment.byteLength;
      }
      return bytes;
    },
  };
}

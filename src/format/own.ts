import { HEADER_BYTES, type Head, type OwnLayout, requireSaved } from './header.ts';

/** The parameters that only one kind has. They lie between the header and the body. */
export interface OwnParameters<Own> {
  /** The most segments that the body may have. */
  readonly maxSegments: number;
  /** The byte length of the parameters if the body has `segments` segments. */
  byteLength(segments: number): number;
  write(view: DataView, own: Own): void;
  /** Reads the parameters, and checks them with `requireSaved`. */
  read(view: DataView, head: Head, segments: number): Own;
  /** The byte length of each segment, an integer of at least 1. Without this method, one segment has all cells. */
  segmentLengths?(head: Head<Own>): readonly number[];
}

/** Lays out a kind's own parameters right after the header, padded with zeros to a multiple of 64 bytes. */
export function ownLayout<Own>(parameters: OwnParameters<Own>): OwnLayout<Own> {
  const { maxSegments } = parameters;
  const viewOf = (bytes: Uint8Array, segments: number): DataView =>
    new DataView(bytes.buffer, bytes.byteOffset + HEADER_BYTES, parameters.byteLength(segments));
  const bodyOffset = (segments: number): number => HEADER_BYTES + 64 * Math.ceil(parameters.byteLength(segments) / 64);
  return {
    maxSegments,
    bodyOffset,
    write: (bytes, own, segments) => parameters.write(viewOf(bytes, segments), own),
    read(bytes, head, segments) {
      const padding = bytes.subarray(HEADER_BYTES + parameters.byteLength(segments), bodyOffset(segments));
      requireSaved(!padding.some(Boolean), 'bytes between its parameters and its body are set');
      return parameters.read(viewOf(bytes, segments), head, segments);
    },
    segmentLengths: (head) => parameters.segmentLengths?.(head),
  };
}

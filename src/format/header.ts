// The head of a file of format version 1: what precedes the body. docs/format.md specifies it.

import type { Region } from '../kernel/region.ts';

/**
 * The parameters that every kind has. Capacity and error rate are 0 if the filter was made from a size. Write every
 * object as a literal in this order, so that all share a hidden class: these fields are read for each key.
 */
export interface FilterParameters {
  /** The number of cells, such as bits or counters. */
  readonly cellCount: number;
  readonly hashes: number;
  readonly seed: number;
  readonly capacity: number;
  readonly errorRate: number;
}

/** The parameters in the head of a file. `Own` is the type of those that only this kind has. */
export interface Head<Own = unknown> {
  readonly parameters: FilterParameters;
  readonly cellBits: number;
  readonly own: Own;
}

/** What is saved of a filter: its parameters, and the memory of its body. */
export interface Saved<Linked = unknown, Own = unknown> extends Head<Own> {
  readonly segments: readonly [Region<Linked>, ...Region<Linked>[]];
}

/** What the format knows about a kind of filter. A kind without its own parameters has one segment. */
export interface FileKind<Own = unknown> {
  /** The number of the kind in files. */
  readonly id: number;
  readonly name: string;
  /** What the cells are called, such as `bits`. */
  readonly cellName: string;
  /** The range of the number of bits per cell. */
  readonly cellBits: readonly [least: number, most: number];
  /** Whether the kind can have these parameters. Without this method, it can have any. */
  allows?(parameters: FilterParameters): boolean;
  /** The layout of parameters that only this kind has, made by `ownLayout`. */
  readonly own?: OwnLayout<Own>;
}

/** Where a kind's own parameters are in a file, and how they divide its body into segments. */
export interface OwnLayout<Own = unknown> {
  readonly maxSegments: number;
  /** The offset of the body in a file whose body has `segments` segments. */
  bodyOffset(segments: number): number;
  /** Writes the parameters after the header. */
  write(bytes: Uint8Array, own: Own, segments: number): void;
  /** Reads and checks the parameters after the header. */
  read(bytes: Uint8Array, head: Head, segments: number): Own;
  /** The byte length of each segment; undefined if one segment has all cells. */
  segmentLengths(head: Head<Own>): readonly number[] | undefined;
}

export const HEADER_BYTES = 64;
/** The offset of the checksum, 8 bytes, which end the header. */
export const CHECKSUM_AT = 56;
/** BLMY */
const MAGIC = [0x42, 0x4c, 0x4d, 0x59];
const VERSION = 1;
const MURMUR3_X64_128 = 1;
const MAX_HASHES = 255;

export function sum(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + length, 0);
}

function bodyOffsetOf({ own }: FileKind, segments: number): number {
  return own?.bodyOffset(segments) ?? HEADER_BYTES;
}

/** The byte length of each segment of the body. */
export function segmentLengths({ own }: FileKind, head: Head): readonly number[] {
  return own?.segmentLengths(head) ?? [Math.ceil((head.parameters.cellCount * head.cellBits) / 8)];
}

/** Writes the head: the header and the kind's own parameters, with 0 in place of the checksum. */
export function writeHead(kind: FileKind, head: Head): Uint8Array<ArrayBuffer> {
  const { parameters, cellBits, own } = head;
  const lengths = segmentLengths(kind, head);
  const bodyOffset = bodyOffsetOf(kind, lengths.length);
  const bytes = new Uint8Array(bodyOffset);
  const view = new DataView(bytes.buffer);
  bytes.set([...MAGIC, VERSION, kind.id, MURMUR3_X64_128, cellBits]);
  view.setUint32(8, parameters.seed, true);
  view.setUint32(12, parameters.hashes, true);
  view.setBigUint64(16, BigInt(parameters.cellCount), true);
  view.setBigUint64(24, BigInt(parameters.capacity), true);
  view.setFloat64(32, parameters.errorRate, true);
  view.setUint32(40, bodyOffset, true);
  view.setUint32(44, lengths.length, true);
  view.setBigUint64(48, BigInt(sum(lengths)), true);
  kind.own?.write(bytes, own, lengths.length);
  return bytes;
}

/** Makes the error for a file that is not a valid filter. */
export function savedError(objection: string): RangeError {
  return new RangeError(`bytes must be a saved filter: ${objection}`);
}

/** Throws the error for a file that is not a valid filter unless a condition holds. */
export function requireSaved(holds: boolean, objection: string): void {
  if (!holds) throw savedError(objection);
}

function requireField(name: string, value: unknown, holds: boolean): void {
  requireSaved(holds, `its ${name} is ${value}`);
}

/** Returns the number of the kind in a header. Checks only the magic, the header's length and the version. */
export function kindIn(header: Uint8Array): number {
  requireSaved(
    MAGIC.every((byte, i) => header[i] === byte),
    'they do not begin with BLMY',
  );
  requireSaved(header.length >= HEADER_BYTES, `${header.length} bytes are less than a header`);
  requireField('version', header[4], header[4] === VERSION);
  return header[5] ?? 0;
}

/** A head that was read, and the layout of the body that follows. */
export interface ReadHead extends Head {
  /** The byte length of each segment; empty while the kind's own parameters are missing. */
  readonly lengths: readonly number[];
  readonly bodyOffset: number;
  readonly bodyLength: number;
}

/**
 * Reads and checks the head, except for the checksum, before anything is allocated. If `bytes` ends before the kind's
 * own parameters do, only the header is checked.
 */
export function readHead(bytes: Uint8Array, kind: FileKind): ReadHead {
  const id = kindIn(bytes);
  requireSaved(id === kind.id, `its kind is ${id}, and that of a ${kind.name} filter ${kind.id}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [hash = 0, cellBits = 0] = bytes.subarray(6);
  const seed = view.getUint32(8, true);
  const hashes = view.getUint32(12, true);
  const cellCount = Number(view.getBigUint64(16, true));
  const capacity = Number(view.getBigUint64(24, true));
  const errorRate = view.getFloat64(32, true);
  const bodyOffset = view.getUint32(40, true);
  const segments = view.getUint32(44, true);
  const bodyLength = Number(view.getBigUint64(48, true));
  const isRate = capacity === 0 ? Object.is(errorRate, 0) : errorRate > 0 && errorRate < 1;
  requireField('hash', hash, hash === MURMUR3_X64_128);
  requireField('number of bits per cell', cellBits, cellBits >= kind.cellBits[0] && cellBits <= kind.cellBits[1]);
  requireField('number of hashes', hashes, hashes >= 1 && hashes <= MAX_HASHES);
  requireField('number of cells', cellCount, cellCount >= 1 && Number.isSafeInteger(cellCount));
  requireField('capacity', capacity, Number.isSafeInteger(capacity));
  requireField('error rate', errorRate, isRate);
  requireField('number of segments', segments, segments >= 1 && segments <= (kind.own?.maxSegments ?? 1));
  requireField('body offset', bodyOffset, bodyOffset === bodyOffsetOf(kind, segments));
  const parameters = { cellCount, hashes, seed, capacity, errorRate };
  requireField('size', `${cellCount} ${kind.cellName} and ${hashes} hashes`, kind.allows?.(parameters) ?? true);
  const head = { parameters, cellBits, own: undefined };
  if (bytes.length < bodyOffset) return { ...head, lengths: [], bodyOffset, bodyLength };
  const own = kind.own?.read(bytes, head, segments);
  const lengths = segmentLengths(kind, { parameters, cellBits, own });
  requireField('body length', bodyLength, bodyLength === sum(lengths) && lengths.length === segments);
  return { parameters, cellBits, own, lengths, bodyOffset, bodyLength };
}

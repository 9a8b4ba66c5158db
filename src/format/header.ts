// What a file of format version 1 says before its body, which docs/format.md specifies.

import type { Region } from '../kernel/region.ts';

/**
 * The parameters that every kind has. Capacity and error rate are 0 for a filter made by its size. They are read for each
 * key, so every object is a literal of this order: then all share a hidden class.
 */
export interface FilterParameters {
  /** The number of cells: bits, or counters. */
  readonly cellCount: number;
  readonly hashes: number;
  readonly seed: number;
  readonly capacity: number;
  readonly errorRate: number;
}

/** What a file says before its body. `Own` are the parameters that only one kind has. */
export interface Head<Own = unknown> {
  readonly parameters: FilterParameters;
  readonly cellBits: number;
  readonly own: Own;
}

/** A filter as it is saved: what its head says, and the memory of its body. */
export interface Saved<Linked = unknown, Own = unknown> extends Head<Own> {
  readonly segments: readonly [Region<Linked>, ...Region<Linked>[]];
}

/** What the format knows of a kind of filter. A kind without parameters of its own has one segment behind its header. */
export interface FileKind<Own = unknown> {
  /** The number of the kind in a file. */
  readonly id: number;
  readonly name: string;
  /** What its cells are called: `bits`, `counters`. */
  readonly cellName: string;
  /** The bits of a cell: the least and the most. */
  readonly cellBits: readonly [least: number, most: number];
  /** Whether the kind can have such parameters, unless it can have all. */
  allows?(parameters: FilterParameters): boolean;
  /** Parameters that only this kind has: `ownLayout` makes it. */
  readonly own?: OwnLayout<Own>;
}

/** Where the parameters that only one kind has stand in a file, and how they cut its body into segments. */
export interface OwnLayout<Own = unknown> {
  readonly maxSegments: number;
  /** Where the body begins. */
  bodyOffset(segments: number): number;
  /** Writes the parameters behind a header. */
  write(bytes: Uint8Array, own: Own, segments: number): void;
  /** Reads and checks the parameters behind a header. */
  read(bytes: Uint8Array, head: Head, segments: number): Own;
  segmentLengths(head: Head<Own>): readonly number[];
}

export const HEADER_BYTES = 64;
/** Where the checksum stands in the header: 8 bytes. */
export const CHECKSUM_AT = 56;
/** BLMY */
const MAGIC = [0x42, 0x4c, 0x4d, 0x59];
const VERSION = 1;
const MURMUR3_X64_128 = 1;
const MAX_HASHES = 255;

function sum(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + length, 0);
}

function bodyOffsetOf({ own }: FileKind, segments: number): number {
  return own?.bodyOffset(segments) ?? HEADER_BYTES;
}

/** The byte length of each segment of a body. */
export function segmentLengths({ own }: FileKind, head: Head): readonly number[] {
  return own?.segmentLengths(head) ?? [Math.ceil((head.parameters.cellCount * head.cellBits) / 8)];
}

/** The header and the kind's own parameters, with 0 for the checksum. */
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

/** The error of a bad file. */
export function savedError(objection: string): RangeError {
  return new RangeError(`bytes must be a saved filter: ${objection}`);
}

/** Throws the error of a bad file unless something holds. */
export function requireSaved(holds: boolean, objection: string): void {
  if (!holds) throw savedError(objection);
}

function requireField(name: string, value: unknown, holds: boolean): void {
  requireSaved(holds, `its ${name} is ${value}`);
}

/** The kind number in a header. Checks the magic and the version, nothing else. */
export function kindIn(header: Uint8Array): number {
  requireSaved(
    MAGIC.every((byte, i) => header[i] === byte),
    'they do not begin with BLMY',
  );
  requireSaved(header.length >= HEADER_BYTES, `${header.length} bytes are less than a header`);
  requireField('version', header[4], header[4] === VERSION);
  return header[5] ?? 0;
}

/** A head that was read, and how the file goes on. */
export interface ReadHead extends Head {
  /** The byte length of each segment; none while the kind's own parameters are missing. */
  readonly lengths: readonly number[];
  readonly bodyOffset: number;
  readonly bodyLength: number;
}

/**
 * Checks what stands before the body, but for the checksum, before anything is allocated. Where the bytes end before the
 * kind's own parameters do, it checks the header alone.
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

// The head of a file of format version 1: the header and the kind's own parameters, before the body. docs/format.md
// specifies it.

import { align, type Engine, type Region } from '../kernel/region.ts';
import { SavedFilterError, type SavedFilterErrorCode } from '../util/checks/errors.ts';
import { SECRETS, show } from '../util/checks/validate.ts';

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

/** The parameters in the head of a file. `Own` is the type of the kind's own parameters. */
export interface Head<Own = unknown> {
  readonly parameters: FilterParameters;
  readonly cellBits: number;
  readonly own: Own;
}

/** A filter as it is saved: its parameters, and the memory of its body. */
export interface Saved<Own = unknown> extends Head<Own> {
  readonly segments: readonly [Region, ...Region[]];
  /** The filter that is loaded from the last segment, if the kind wraps one. */
  readonly base?: unknown;
}

/** Takes the file of a filter in the body of another, as a region takes cells, but part by part. */
export interface BaseFile {
  readonly byteLength: number;
  /** Begins the part that ends at `end`, unless it has begun. The parts before it must be complete. */
  commit(end: number): void;
  /** A view of some bytes of the current part. */
  view(from: number, to: number): Uint8Array;
  /** Makes the filter. All parts must be complete. */
  end(): unknown;
  /** Frees the memory of a load that failed. */
  close(): void;
}

/**
 * The name of a kind of filters, as `kind` of a filter and of its class: the kinds of this package, and the formats of
 * other systems.
 */
export type FilterKind =
  | 'classic'
  | 'blocked'
  | 'counting'
  | 'scalable'
  | 'rotating'
  | 'stable'
  | 'cuckoo'
  | 'dleft'
  | 'spatial'
  | 'fuse'
  | 'sharded-fuse'
  | 'tombstone'
  | 'wide'
  | 'fingerprint-set'
  | 'fuse-map'
  | 'guava'
  | 'parquet'
  | 'go'
  | 'redisbloom'
  | 'spark';

/** The number of all kinds that are saved in formats of other systems: no file of ours holds it. */
export const FOREIGN_KIND = -1;

/** Describes a kind for the code that saves and loads. The body of a kind without own parameters has one segment. */
export interface FileKind<Own = unknown> {
  /** The number of the kind in files. */
  readonly id: number;
  readonly name: FilterKind;
  /** What the cells are called, such as `bits`. */
  readonly cellName: string;
  /** The range of the number of bits per cell. */
  readonly cellBits: readonly [least: number, most: number];
  /** Whether a filter may have no cells. */
  readonly mayBeEmpty?: boolean;
  /**
   * Only of a kind whose filters are made around others. The last segment of its body is the file of the other filter:
   * this makes what reads that.
   *
   * @param choose how to read that file
   * @param length the byte length of the file
   * @param isWhole whether the whole file was given at once
   */
  readonly wraps?: (choose: Choose<unknown>, length: number, isWhole: boolean) => BaseFile;
  /** Whether these parameters are valid for the kind. Without this method, all are. */
  allows?(parameters: FilterParameters): boolean;
  /** The parameters that only this kind has. */
  readonly own?: OwnParameters<Own>;
  /** Checks the cells of a body that was read, with `requireSaved`. Without this method, they may be anything. */
  requireCells?(saved: Saved<Own>): void;
}

/** The parameters that only one kind has. They lie between the header and the body, zero-padded to 64 bytes. */
interface OwnParameters<Own = unknown> {
  /** The most segments that the body may have. */
  readonly maxSegments: number;
  /** The byte length of the parameters if the body has `segments` segments. */
  byteLength(segments: number): number;
  write(view: DataView, own: Own): void;
  /** Reads the parameters, and checks them with `requireSaved`, and the padding after them with `requireZeros`. */
  read(view: DataView, head: Head, segments: number): Own;
  /**
   * The byte length of each segment. The last has at least 1, unless there are no cells. Without this method, all cells
   * are in one segment.
   */
  segmentLengths?(head: Head<Own>): readonly number[];
}

/** How to read a file: its kind, the engine for the filter, and the function that makes the filter. */
export interface Reader<F> {
  readonly kind: FileKind;
  readonly engine: Engine;
  make(saved: Saved): F;
  /** How to read the file of the other filter, if the kind wraps one. */
  readonly base?: Choose<unknown> | undefined;
}

/** Chooses how to read a file, given its header. */
export type Choose<F> = (header: Uint8Array) => Reader<F>;

export const HEADER_BYTES = 64;
/** The offset of the checksum, the last 8 bytes of the header. */
export const CHECKSUM_AT = 56;
/** BLMY */
const MAGIC = [0x42, 0x4c, 0x4d, 0x59];
const VERSION = 1;
/** The number of MurmurHash3 x64_128 in files. */
const MURMUR3 = 1;
/** The number of SipHash-1-3-128 in files. */
const SIPHASH = 2;
const MAX_HASHES = 255;

/** The names of the kinds of this package by number, so that an error can name a kind that is not imported. */
const KIND_NAMES: readonly string[] =
  /* @__PURE__ */
  ' classic blocked counting scalable rotating stable cuckoo dleft spatial fuse tombstone wide sharded-fuse fingerprint-set fuse-map'.split(
    ' ',
  );

export function sum(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + length, 0);
}

function bodyOffsetOf({ own }: FileKind, segments: number): number {
  return HEADER_BYTES + align(own?.byteLength(segments) ?? 0);
}

/** A view of the bytes between the header and the body. */
function ownView({ buffer, byteOffset }: Uint8Array, bodyOffset: number): DataView {
  return new DataView(buffer, byteOffset + HEADER_BYTES, bodyOffset - HEADER_BYTES);
}

/** The byte length of each segment of the body. */
export function segmentLengths({ own }: FileKind, head: Head): readonly number[] {
  return own?.segmentLengths?.(head) ?? [Math.ceil((head.parameters.cellCount * head.cellBits) / 8)];
}

/** The byte length of a filter's file. */
export function fileLengthOf(kind: FileKind, head: Head): number {
  const lengths = segmentLengths(kind, head);
  return bodyOffsetOf(kind, lengths.length) + sum(lengths);
}

/** Writes the head: the header and the kind's own parameters, with 0 in place of the checksum. */
export function writeHead(kind: FileKind, head: Head): Uint8Array<ArrayBuffer> {
  const { parameters, cellBits, own } = head;
  const lengths = segmentLengths(kind, head);
  const bodyOffset = bodyOffsetOf(kind, lengths.length);
  const bytes = new Uint8Array(bodyOffset);
  const view = new DataView(bytes.buffer);
  bytes.set([...MAGIC, VERSION, kind.id, MURMUR3 + Number(parameters.seed >= SECRETS), cellBits]);
  view.setUint32(8, parameters.seed, true);
  view.setUint32(12, parameters.hashes, true);
  view.setBigUint64(16, BigInt(parameters.cellCount), true);
  view.setBigUint64(24, BigInt(parameters.capacity), true);
  view.setFloat64(32, parameters.errorRate, true);
  view.setUint32(40, bodyOffset, true);
  view.setUint32(44, lengths.length, true);
  view.setBigUint64(48, BigInt(sum(lengths)), true);
  kind.own?.write(ownView(bytes, bodyOffset), own);
  return bytes;
}

/** Throws the error for a file that is not a valid filter unless a condition holds. */
export function requireSaved(holds: boolean, reason: string, code?: SavedFilterErrorCode): void {
  if (!holds) throw new SavedFilterError(reason, code);
}

/** Throws unless the padding after a kind's own parameters, `length` bytes, is zero. */
export function requireZeros({ buffer, byteOffset, byteLength }: DataView, length: number): void {
  const padding = new Uint8Array(buffer, byteOffset + length, byteLength - length);
  requireSaved(!padding.some(Boolean), 'bytes between its parameters and its body are set');
}

function requireField(name: string, value: unknown, holds: boolean, code?: SavedFilterErrorCode): void {
  requireSaved(holds, `its ${name} is ${value}`, code);
}

/** Throws unless a file has all bytes that its head promises, and no more. */
export function requireLength(length: number, { bodyOffset, bodyLength }: ReadHead): void {
  const expected = bodyOffset + bodyLength;
  const code = length < expected ? 'TRUNCATED' : 'DAMAGED';
  requireSaved(length === expected, `it has ${length} of ${expected} bytes`, code);
}

/** Returns the number of the kind in a header. Checks only the magic, the header's length and the version. */
export function kindIn(header: Uint8Array): number {
  requireSaved(
    MAGIC.every((byte, i) => i >= header.length || header[i] === byte),
    `they do not begin with BLMY, but with ${show(String.fromCharCode(...header.subarray(0, 16)))}`,
    'FOREIGN',
  );
  requireSaved(header.length >= HEADER_BYTES, `it has ${header.length} of ${HEADER_BYTES} bytes`, 'TRUNCATED');
  requireField('version', header[4], header[4] === VERSION, 'VERSION');
  return header[5] as number;
}

/**
 * Makes the error for a file of another kind.
 *
 * @param wanted ends the sentence "it is a wide filter, and …", such as `not a classic one`
 * @param hint returns how to load a kind of this name; called only for kinds of this version
 */
export function kindError(id: number, wanted: string, hint: (name: string) => string = () => ''): SavedFilterError {
  const name = KIND_NAMES[id];
  return name
    ? new SavedFilterError(`it is a ${name} filter, and ${wanted}${hint(name)}`, 'KIND', name)
    : new SavedFilterError(`its kind is ${id}, and ${wanted}`, 'VERSION');
}

/**
 * Throws unless a file was made under the secret of the engine, or without one if the engine has none.
 *
 * @param only the seed that stands for the engine's secret
 */
function requireSecret(seed: number, only: number | undefined): void {
  const isKeyed = seed >= SECRETS;
  const holds = only ? seed === only : !isKeyed;
  const how = isKeyed ? `under ${only ? 'another' : 'a'} secret` : 'without a secret';
  requireSaved(holds, `it was made ${how}: see keyed`, 'SECRET');
}

/** The head of a file that is being read, and the layout of the body. */
export interface ReadHead<Own = unknown> extends Head<Own> {
  /** The byte length of each segment; empty until the kind's own parameters have been read. */
  readonly lengths: readonly number[];
  readonly bodyOffset: number;
  readonly bodyLength: number;
}

/**
 * Reads and checks the head, except for the checksum, before anything is allocated. If `bytes` ends before the kind's
 * own parameters do, only the header is checked.
 */
export function readHead(
  bytes: Uint8Array,
  { kind, engine }: { readonly kind: FileKind; readonly engine: Pick<Engine, 'seed'> },
): ReadHead {
  const id = kindIn(bytes);
  if (id !== kind.id) throw kindError(id, `not a ${kind.name} one`);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [hash = 0, cellBits = 0] = bytes.subarray(6);
  const seed = view.getUint32(8, true) + (hash === SIPHASH ? SECRETS : 0);
  const hashes = view.getUint32(12, true);
  const cellCount = Number(view.getBigUint64(16, true));
  const capacity = Number(view.getBigUint64(24, true));
  const errorRate = view.getFloat64(32, true);
  const bodyOffset = view.getUint32(40, true);
  const segments = view.getUint32(44, true);
  const bodyLength = Number(view.getBigUint64(48, true));
  const isRate = capacity ? errorRate > 0 && errorRate < 1 : Object.is(errorRate, 0);
  requireField('hash', hash, hash >= MURMUR3 && hash <= SIPHASH, 'VERSION');
  requireSecret(seed, engine.seed);
  requireField('number of bits per cell', cellBits, cellBits >= kind.cellBits[0] && cellBits <= kind.cellBits[1]);
  requireField('number of hashes', hashes, hashes >= 1 && hashes <= MAX_HASHES);
  requireField('number of cells', cellCount, cellCount >= (kind.mayBeEmpty ? 0 : 1) && Number.isSafeInteger(cellCount));
  requireField('capacity', capacity, Number.isSafeInteger(capacity));
  requireField('error rate', errorRate, isRate);
  requireField('number of segments', segments, segments >= 1 && segments <= (kind.own?.maxSegments ?? 1));
  requireField('body offset', bodyOffset, bodyOffset === bodyOffsetOf(kind, segments));
  const parameters = { cellCount, hashes, seed, capacity, errorRate };
  requireField('size', `${cellCount} ${kind.cellName} and ${hashes} hashes`, kind.allows?.(parameters) ?? true);
  const head = { parameters, cellBits, own: undefined };
  if (bytes.length < bodyOffset) return { ...head, lengths: [], bodyOffset, bodyLength };
  const own = kind.own?.read(ownView(bytes, bodyOffset), head, segments);
  const lengths = segmentLengths(kind, { parameters, cellBits, own });
  requireField('body length', bodyLength, bodyLength === sum(lengths) && lengths.length === segments);
  return { parameters, cellBits, own, lengths, bodyOffset, bodyLength };
}

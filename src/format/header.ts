// The header of format version 1, which docs/format.md specifies.

/**
 * The parameters of a filter, whatever its kind. Capacity and error rate are 0 if it was made by its size. They are read
 * for each key, so all are made as a literal of this order: then they share a hidden class.
 */
export interface Parameters {
  /** Bits, or counters. */
  readonly cells: number;
  readonly hashes: number;
  readonly seed: number;
  readonly capacity: number;
  readonly errorRate: number;
}

/** What the format has to know of a kind of filter. */
export interface Kind {
  /** The number of the kind in a file. */
  readonly id: number;
  readonly name: string;
  /** What its cells are called: `bits`, `counters`. */
  readonly cells: string;
  readonly cellBits: number;
  /** Whether the kind can have such parameters, if not all kinds can. */
  readonly allows?: (parameters: Parameters) => boolean;
}

export const HEADER_BYTES = 64;
/** Where the checksum stands in the header: 8 bytes. */
export const CHECKSUM_AT = 56;
const MAGIC = 0x594d4c42; // BLMY
const VERSION = 1;
const MURMUR3_X64_128 = 1;
const MAX_HASHES = 255;

/** The bytes that cells take. */
export function bodyLengthOf(cells: number, { cellBits }: Kind): number {
  return Math.ceil((cells * cellBits) / 8);
}

/** The header, with 0 for the checksum. */
export function writeHeader(kind: Kind, parameters: Parameters): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  bytes.set([VERSION, kind.id, MURMUR3_X64_128, kind.cellBits], 4);
  view.setUint32(8, parameters.seed, true);
  view.setUint32(12, parameters.hashes, true);
  view.setBigUint64(16, BigInt(parameters.cells), true);
  view.setBigUint64(24, BigInt(parameters.capacity), true);
  view.setFloat64(32, parameters.errorRate, true);
  view.setUint32(40, HEADER_BYTES, true);
  view.setUint32(44, 1, true);
  view.setBigUint64(48, BigInt(bodyLengthOf(parameters.cells, kind)), true);
  return bytes;
}

/** Throws the RangeError of a bad file unless something holds. */
export function requireSaved(holds: boolean, objection: string): void {
  if (!holds) throw new RangeError(`bytes must be a saved filter: ${objection}`);
}

function requireField(name: string, value: unknown, holds: boolean): void {
  requireSaved(holds, `its ${name} is ${value}`);
}

/** The number of the kind that a file says it is of; nothing but the magic and the version is checked. */
export function kindIn(header: Uint8Array): number {
  requireSaved(header.length >= HEADER_BYTES, `${header.length} bytes are less than a header`);
  const view = new DataView(header.buffer, header.byteOffset);
  requireSaved(view.getUint32(0, true) === MAGIC, 'they do not begin with BLMY');
  requireField('version', header[4], header[4] === VERSION);
  return header[5] ?? 0;
}

/** Checks all of a header but the checksum, before anything is allocated. */
export function readHeader(header: Uint8Array, kind: Kind): Parameters {
  const id = kindIn(header);
  requireSaved(id === kind.id, `its kind is ${id}, and that of a ${kind.name} filter ${kind.id}`);
  const view = new DataView(header.buffer, header.byteOffset);
  const [hash, cellBits] = header.subarray(6);
  const seed = view.getUint32(8, true);
  const hashes = view.getUint32(12, true);
  const cells = Number(view.getBigUint64(16, true));
  const capacity = Number(view.getBigUint64(24, true));
  const errorRate = view.getFloat64(32, true);
  const bodyOffset = view.getUint32(40, true);
  const segments = view.getUint32(44, true);
  const bodyLength = Number(view.getBigUint64(48, true));
  const isRate = capacity === 0 ? Object.is(errorRate, 0) : errorRate > 0 && errorRate < 1;
  requireField('hash', hash, hash === MURMUR3_X64_128);
  requireField('number of bits a cell', cellBits, cellBits === kind.cellBits);
  requireField('number of hashes', hashes, hashes >= 1 && hashes <= MAX_HASHES);
  requireField('number of cells', cells, cells >= 1 && Number.isSafeInteger(cells));
  requireField('capacity', capacity, Number.isSafeInteger(capacity));
  requireField('error rate', errorRate, isRate);
  requireField('body offset', bodyOffset, bodyOffset === HEADER_BYTES);
  requireField('number of segments', segments, segments === 1);
  requireField('body length', bodyLength, bodyLength === bodyLengthOf(cells, kind));
  const parameters = { cells, hashes, seed, capacity, errorRate };
  requireField('size', `${cells} ${kind.cells} and ${hashes} hashes`, kind.allows?.(parameters) ?? true);
  return parameters;
}

// What BF.SCANDUMP gives, and BF.LOADCHUNK takes: a header, and the bits of each link in parts.

import { type Head, sum } from '../../format/header.ts';
import { isBytes, requireBytes } from '../../keys/key.ts';
import { SavedFilterError, type SavedFilterErrorCode } from '../../util/checks/errors.ts';
import { isObject, mustBe, show } from '../../util/checks/validate.ts';
import { requireForeign } from '../foreign-filter.ts';
import { type ChainOwn, hashesFor, headOfLinks, type LinkRecord, MAX_HASHES, MAX_LINKS, TIGHTENING } from './chain.ts';

/** A reply of BF.SCANDUMP other than the last, and the arguments of BF.LOADCHUNK. */
export interface ScanDumpChunk {
  readonly iterator: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** A chunk as clients give it: as `[iterator, data]` or an object. node-redis calls the data `chunk`. */
export type ScanDumpReply =
  | readonly [iterator: number, data: Uint8Array]
  | { readonly iterator: number; readonly data: Uint8Array }
  | { readonly iterator: number; readonly chunk: Uint8Array };

/** The most bytes of a link in a chunk. */
export const CHUNK_BYTES: number = 2 ** 24;

// The header, little-endian: the number of keys, 8 bytes; the numbers of links, of the options and of the expansion, 4
// bytes each. Then for each link: bytes, bits and number of keys, 8 bytes each; error rate and bits per key, doubles;
// hashes, 4 bytes; capacity, 8 bytes; and a byte that is 0 unless the number of bits is a power of two.

const HEAD_BYTES = 20;
const LINK_BYTES = 53;

/** The options of current filters: bits of any number, hashes of 64 bits. Others had hashes of 32 bits. */
const OPTIONS = 1 + 4;
const NON_SCALING = 8;

/** Throws the error for bytes that are not a dump, unless a condition holds. */
export function requireDump(holds: boolean, reason: string, code?: SavedFilterErrorCode): void {
  requireForeign(holds, 'RedisBloom', reason, code);
}

export function headerLength(links: number): number {
  return HEAD_BYTES + LINK_BYTES * links;
}

export function writeHeader({ expansion, nonScaling, links }: ChainOwn): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(headerLength(links.length)));
  view.setBigUint64(0, BigInt(sum(links.map(({ count }) => count))), true);
  view.setUint32(8, links.length, true);
  view.setUint32(12, OPTIONS + (nonScaling ? NON_SCALING : 0), true);
  view.setUint32(16, expansion, true);
  for (const [i, { parameters, count, bitsPerKey }] of links.entries()) {
    const at = headerLength(i);
    const { cellCount, hashes, capacity, errorRate } = parameters;
    view.setBigUint64(at, BigInt(cellCount / 8), true);
    view.setBigUint64(at + 8, BigInt(cellCount), true);
    view.setBigUint64(at + 16, BigInt(count), true);
    view.setFloat64(at + 24, errorRate, true);
    view.setFloat64(at + 32, bitsPerKey, true);
    view.setUint32(at + 40, hashes, true);
    view.setBigUint64(at + 44, BigInt(capacity), true);
  }
  return new Uint8Array(view.buffer);
}

/** Reads link `i` of a header, and checks what the module checks when it loads one. */
function readLink(view: DataView, i: number): LinkRecord {
  const at = headerLength(i);
  const integer = (offset: number): number => Number(view.getBigUint64(at + offset, true));
  const bytes = integer(0);
  const cellCount = integer(8);
  const count = integer(16);
  const errorRate = view.getFloat64(at + 24, true);
  const bitsPerKey = view.getFloat64(at + 32, true);
  const hashes = view.getUint32(at + 40, true);
  const capacity = integer(44);
  const require = (holds: boolean, reason: string): void => requireDump(holds, `link ${i} has ${reason}`);
  require(cellCount === 8 * bytes &&
    bytes > 0 &&
    Number.isSafeInteger(cellCount), `${cellCount} bits in ${bytes} bytes`);
  require(errorRate > 0 && errorRate < 1, `an error rate of ${errorRate}`);
  require(hashes === hashesFor(bitsPerKey) && hashes >= 1 && hashes <= MAX_HASHES, `${hashes} hashes`);
  require(Number.isSafeInteger(capacity) && capacity >= 1, `a capacity of ${capacity}`);
  require(Number.isSafeInteger(count), `${count} keys`);
  require(view.getUint8(at + 52) === 0, 'a number of bits that is a power of two');
  return { parameters: { cellCount, hashes, capacity, errorRate }, count, bitsPerKey };
}

/** Reads and checks the header at the beginning of `bytes`. */
export function readHeader(bytes: Uint8Array): Head<ChainOwn> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  requireDump(bytes.length >= HEAD_BYTES, 'they end in the header', 'TRUNCATED');
  const count = Number(view.getBigUint64(0, true));
  const links = view.getUint32(8, true);
  const options = view.getUint32(12, true);
  const expansion = view.getUint32(16, true);
  const nonScaling = options === OPTIONS + NON_SCALING;
  requireDump(options === OPTIONS || nonScaling, `its options are ${options}`, 'VERSION');
  requireDump(links >= 1, 'it has no links');
  requireDump(bytes.length >= headerLength(links), `they end in the header of ${links} links`, 'TRUNCATED');
  requireDump(links <= MAX_LINKS, `it has ${links} links, of at most ${MAX_LINKS}`);
  requireDump(nonScaling || expansion >= 1, `its expansion is ${expansion}`);
  const records = Array.from({ length: links }, (_, i) => readLink(view, i));
  const [first] = records as [LinkRecord];
  const keys = sum(records.map((record) => record.count));
  requireDump(keys === count, `its links have ${keys} keys, of ${count}`);
  const { capacity, errorRate } = first.parameters;
  return headOfLinks(
    { expansion, nonScaling, links: records },
    capacity,
    nonScaling ? errorRate : errorRate / TIGHTENING,
  );
}

/** The iterator and the data of a reply. */
function partsOf(reply: unknown, position: number): [iterator: number, data: Uint8Array] {
  const name = `chunks[${position}]`;
  if (!isObject(reply)) throw new TypeError(mustBe(name, 'a Uint8Array or a reply of BF.SCANDUMP', reply));
  const { iterator, data, chunk = data } = reply as { iterator?: unknown; data?: unknown; chunk?: unknown };
  const [first, second] = Array.isArray(reply) ? (reply as unknown[]) : [iterator, chunk];
  if (typeof first !== 'number') throw new TypeError(mustBe(`the iterator of ${name}`, 'a number', first));
  if (typeof second === 'string')
    throw new TypeError(`the data of ${name} must be bytes, got a string: let the client return buffers`);
  return [first, requireBytes(`the data of ${name}`, second as Uint8Array)];
}

/** Collects the data of replies in their order, or bytes that are cut anywhere. */
export class DumpCollector {
  readonly parts: Uint8Array[] = [];
  #position = 0;
  /** The number of bytes of links that came. Undefined before the header. */
  #delivered: number | undefined;

  push(chunk: unknown): void {
    const position = this.#position++;
    if (isBytes(chunk)) {
      this.parts.push(requireBytes(`chunks[${position}]`, chunk).slice());
      return;
    }
    const [iterator, data] = partsOf(chunk, position);
    // The module ends with an iterator of 0 and no data.
    if (iterator === 0 && data.length === 0) return;
    const delivered = this.#delivered === undefined ? 0 : this.#delivered + data.length;
    if (iterator !== delivered + 1) {
      const reason = `the iterator of chunks[${position}] must be ${delivered + 1}, got ${show(iterator)}`;
      throw new SavedFilterError(`not a filter of RedisBloom: ${reason}`);
    }
    this.#delivered = delivered;
    this.parts.push(data.slice());
  }
}

import { CHECKSUM_AT, HEADER_BYTES, kindIn, requireSaved } from '../format/header.ts';
import { requireBytes } from '../keys/key.ts';
import { lowBitsFor, MAX_LOW_BITS, PlaceReader, PlaceWriter } from './rice.ts';

// A delta: 32 bytes of its own, the head of the new file, and the places of the bits of the body that differ.
// docs/format.md specifies it.

const MAGIC = [0x42, 0x4c, 0x4d, 0x44];
const VERSION = 1;
const PREFIX_BYTES = 32;
/** Where headers have what must be the same: kind, hash, sizes and seed, and the layout of the body. */
const SHAPE: readonly (readonly [from: number, to: number])[] = [
  [0, 24],
  [40, 56],
];

/** A file, and where its body begins. */
interface File {
  readonly bytes: Uint8Array;
  readonly bodyOffset: number;
}

/** Checks that a file has the length that its header says. The rest is checked by whoever loads it. */
function requireFile(name: string, given: Uint8Array): File {
  const bytes = requireBytes(name, given);
  kindIn(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const bodyOffset = view.getUint32(40, true);
  const length = bodyOffset + Number(view.getBigUint64(48, true));
  const code = bytes.length < length ? 'TRUNCATED' : 'DAMAGED';
  requireSaved(
    bytes.length === length && bodyOffset >= HEADER_BYTES,
    `it has ${bytes.length} of ${length} bytes`,
    code,
  );
  return { bytes, bodyOffset };
}

function areEqual(one: Uint8Array, other: Uint8Array, from: number, to: number): boolean {
  return one.subarray(from, to).every((byte, i) => byte === other[from + i]);
}

/** Whether two headers are of filters of one kind and size. */
function haveOneShape(one: Uint8Array, other: Uint8Array): boolean {
  return SHAPE.every(([from, to]) => areEqual(one, other, from, to));
}

/** Calls `visit` with the place of each bit that differs after `from`, in ascending order. */
function forEachDifference(one: Uint8Array, other: Uint8Array, from: number, visit: (place: number) => void): void {
  const [view, otherView] = [one, other].map(
    ({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength),
  ) as [DataView, DataView];
  const visitAll = (at: number, difference: number): void => {
    for (let left = difference; left !== 0; left &= left - 1) visit(8 * (at - from) + 31 - Math.clz32(left & -left));
  };
  const words = one.length - ((one.length - from) % 4);
  for (let at = from; at < words; at += 4) {
    const difference = view.getInt32(at, true) ^ otherView.getInt32(at, true);
    if (difference !== 0) visitAll(at, difference);
  }
  for (let at = words; at < one.length; at++) visitAll(at, (one[at] as number) ^ (other[at] as number));
}

/**
 * Makes the difference of two saved filters of one kind and size, such as those of yesterday and today: what `patch`
 * makes the second of, if it has the first.
 *
 * The more is the same, the shorter it is: of a `BloomFilter` or `BlockedBloomFilter` to which 1 % of its keys were added,
 * a thirtieth of the file. A fuse filter, in shards or not, is another one with each change of its keys, so its difference
 * is longer than the file. A fingerprint set has another size with another number of keys: take `difference` for it.
 * Takes about a second per GB.
 *
 * @param old the file that the receiver has, as `toBytes` makes it
 * @param next the file that the receiver is to have
 * @throws TypeError if an argument is not a Uint8Array; SavedFilterError if one is not a saved filter; RangeError if the two
 *   differ in kind, size, seed or hash
 */
export function diff(old: Uint8Array, next: Uint8Array): Uint8Array<ArrayBuffer> {
  const { bytes, bodyOffset } = requireFile('old', old);
  const { bytes: target } = requireFile('next', next);
  if (!haveOneShape(bytes, target)) {
    throw new RangeError('next must be a filter of the kind, size, seed and hash of old');
  }
  let count = 0;
  forEachDifference(bytes, target, bodyOffset, () => count++);
  const lowBits = lowBitsFor(count, 8 * (bytes.length - bodyOffset));
  const writer = new PlaceWriter(lowBits);
  forEachDifference(bytes, target, bodyOffset, (place) => writer.push(place));
  const places = writer.bytes;
  const delta = new Uint8Array(PREFIX_BYTES + bodyOffset + places.length);
  delta.set([...MAGIC, VERSION, lowBits]);
  new DataView(delta.buffer).setBigUint64(8, BigInt(count), true);
  delta.set(bytes.subarray(CHECKSUM_AT, HEADER_BYTES), 16);
  delta.set(target.subarray(0, bodyOffset), PREFIX_BYTES);
  delta.set(places, PREFIX_BYTES + bodyOffset);
  return delta;
}

function requireDelta(holds: boolean, reason: string): void {
  if (!holds) throw new RangeError(`delta must be what diff made: ${reason}`);
}

/**
 * Makes the new file of an old one and their difference. The new file is not checked here: `fromBytes` or `loadAny`
 * refuses it if the old file or the difference was damaged.
 *
 * @param old the file that was given to `diff` first; not changed
 * @param delta what `diff` returned
 * @throws TypeError if an argument is not a Uint8Array; SavedFilterError if `old` is not a saved filter; RangeError if it is
 *   another one than `diff` was given, or if `delta` is not what it returned
 */
export function patch(old: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> {
  const { bytes, bodyOffset } = requireFile('old', old);
  const given = requireBytes('delta', delta);
  const start = PREFIX_BYTES + bodyOffset;
  requireDelta(
    MAGIC.every((byte, i) => given[i] === byte),
    'it does not begin with BLMD',
  );
  requireDelta(given.length >= PREFIX_BYTES + HEADER_BYTES, `it has ${given.length} bytes`);
  const [version, lowBits = 0, ...unused] = given.subarray(4, 8);
  requireDelta(version === VERSION, `its version is ${version}`);
  const unusedBytes = [...unused, ...given.subarray(24, PREFIX_BYTES)];
  requireDelta(lowBits <= MAX_LOW_BITS && !unusedBytes.some(Boolean), 'a field is out of range');
  const isOfOld = areEqual(bytes.subarray(CHECKSUM_AT), given.subarray(16), 0, HEADER_BYTES - CHECKSUM_AT);
  if (!isOfOld) throw new RangeError('old must be the file that the delta was made from, got another one');
  const head = given.subarray(PREFIX_BYTES, start);
  requireDelta(head.length === bodyOffset && haveOneShape(bytes, head), 'its head is another one');
  const count = Number(new DataView(given.buffer, given.byteOffset).getBigUint64(8, true));
  const next = bytes.slice();
  next.set(head);
  const reader = new PlaceReader(given.subarray(start), lowBits);
  for (let i = 0; i < count; i++) {
    const place = reader.read();
    const at = bodyOffset + Math.floor((place ?? Infinity) / 8);
    requireDelta(place !== undefined && at < next.length, 'its places end too early, or are outside of the filter');
    next[at] = (next[at] as number) ^ (1 << ((place as number) % 8));
  }
  requireDelta(reader.isAtEnd, 'bytes follow its places');
  return next;
}

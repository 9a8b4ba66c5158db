// The specification, implemented slowly and plainly with BigInt. The engines are checked against it.

import type { Key } from '../../src/index.ts';
import { KEYED_SEED, SECRET } from './secret.ts';
import { siphash13 } from './siphash.ts';

const MASK = (1n << 64n) - 1n;
const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

const multiply = (a: bigint, b: bigint): bigint => (a * b) & MASK;
const rotate = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & MASK;

function avalanche(k: bigint): bigint {
  const once = multiply(k ^ (k >> 33n), 0xff51afd7ed558ccdn);
  const twice = multiply(once ^ (once >> 33n), 0xc4ceb9fe1a85ec53n);
  return twice ^ (twice >> 33n);
}

/** Reads up to 8 bytes from `at`, little-endian. */
function word(bytes: Uint8Array, at: number): bigint {
  if (at + 8 <= bytes.length) return new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0, true);
  let value = 0n;
  for (let i = bytes.length - 1; i >= at; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}

/** MurmurHash3 x64_128. */
export function murmur3(bytes: Uint8Array, seed: number): [h1: bigint, h2: bigint] {
  let h1 = BigInt(seed);
  let h2 = BigInt(seed);
  const whole = bytes.length - (bytes.length % 16);
  for (let at = 0; at < whole; at += 16) {
    h1 ^= multiply(rotate(multiply(word(bytes, at), C1), 31n), C2);
    h1 = (multiply(rotate(h1, 27n) + h2, 5n) + 0x52dce729n) & MASK;
    h2 ^= multiply(rotate(multiply(word(bytes, at + 8), C2), 33n), C1);
    h2 = (multiply(rotate(h2, 31n) + h1, 5n) + 0x38495ab5n) & MASK;
  }
  h2 ^= multiply(rotate(multiply(word(bytes, whole + 8), C2), 33n), C1);
  h1 ^= multiply(rotate(multiply(word(bytes, whole), C1), 31n), C2);
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 = (h1 + h2) & MASK;
  return [h1, (h2 + h1) & MASK];
}

/** The hash of a key in filters with this seed. One seed stands for the secret of the suites. */
export function hashOf(bytes: Uint8Array, seed: number): [h1: bigint, h2: bigint] {
  return seed === KEYED_SEED ? siphash13(bytes, SECRET) : murmur3(bytes, seed);
}

/** The bytes of a key. */
export function bytesOf(key: Key): Uint8Array {
  if (key instanceof Uint8Array) return key;
  if (typeof key === 'string') return utf8Of(key);
  return Uint8Array.from({ length: 8 }, (_, i) => Number((BigInt.asUintN(64, BigInt(key)) >> BigInt(8 * i)) & 0xffn));
}

/** Encodes UTF-8 by its definition, one code point at a time. A lone surrogate becomes U+FFFD. */
function utf8Of(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    let point = character.codePointAt(0) ?? 0;
    if (point >= 0xd800 && point < 0xe000) point = 0xfffd;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    }
  }
  return Uint8Array.from(bytes);
}

/** The indices of a hash in a classic filter of m bits and k hashes. */
export function indicesOfHash([h1, h2]: readonly [bigint, bigint], m: number, k: number): number[] {
  const d = h2 ^ 0x9e3779b97f4a7c15n;
  let s = h1;
  return Array.from({ length: k }, () => {
    const index = Number((s * BigInt(m)) >> 64n);
    s = (s * 0xd1342543de82ef95n + d) & MASK;
    return index;
  });
}

export function indicesOf(key: Key, m: number, k: number, seed: number): number[] {
  return indicesOfHash(hashOf(bytesOf(key), seed), m, k);
}

/** The bytes of a classic filter that holds these keys. */
export function classicBytes(keys: Iterable<Key>, m: number, k: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(m / 8));
  for (const key of keys) setBits(bytes, indicesOf(key, m, k, seed));
  return bytes;
}

/** One salt for each word. */
const SALTS: readonly bigint[] = [
  0x47b6137bn,
  0x44974d91n,
  0x8824ad5bn,
  0xa2b7289dn,
  0x705495c7n,
  0x2df1424bn,
  0x9efc4947n,
  0x5c6bfb31n,
];

/** The bits that a 32-bit half of the hash sets in eight 32-bit words, one in each. */
function wordBitsOf(half: bigint): number[] {
  return SALTS.map((salt, word) => 32 * word + Number(((half * salt) & 0xffffffffn) >> 27n));
}

/** The block that the high half of h1 chooses. */
function blockOf(h1: bigint, blocks: number): number {
  return Number(((h1 >> 32n) * BigInt(blocks)) >> 32n);
}

/** The bits that a hash sets in a split-block filter: one in each of the eight words of one block. */
export function blockedBitsOf(hash: bigint, blocks: number): number[] {
  const start = 256 * blockOf(hash, blocks);
  return wordBitsOf(hash & 0xffffffffn).map((bit) => start + bit);
}

/** Whether MurmurHash3 gave h1 = 2 x and h2 = 3 x. */
const areMultiples = (h1: bigint, h2: bigint): boolean => (3n * h1 - 2n * h2) % 2n ** 64n === 0n;

/** The bits that a hash sets in a wide-block filter: one in each of the sixteen words of one block. */
export function wideBitsOf(h1: bigint, h2: bigint, blocks: number, seed: number): number[] {
  const start = 512 * blockOf(h1, blocks);
  const half = seed >= 1 && seed <= 8 && areMultiples(h1, h2) ? (h1 & 0xffffffffn) * 0x9e3779b1n + (h2 >> 32n) : h2;
  const last = wordBitsOf(half & 0xffffffffn).map((bit) => 256 + bit);
  return [...wordBitsOf(h1 & 0xffffffffn), ...last].map((bit) => start + bit);
}

function setBits(bytes: Uint8Array, bits: readonly number[]): void {
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
}

/** The bytes of a blocked filter that holds these keys. */
export function blockedBytes(keys: Iterable<Key>, blocks: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(32 * blocks);
  for (const key of keys) setBits(bytes, blockedBitsOf(hashOf(bytesOf(key), seed)[0], blocks));
  return bytes;
}

/** The bytes of a wide-block filter that holds these keys. */
export function wideBytes(keys: Iterable<Key>, blocks: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(64 * blocks);
  for (const key of keys) setBits(bytes, wideBitsOf(...hashOf(bytesOf(key), seed), blocks, seed));
  return bytes;
}

const FULL = 15;

/** A counting filter with one byte per counter. */
export class Counters {
  readonly values: Uint8Array;
  readonly #indicesOf: (key: Key) => number[];

  constructor(m: number, k: number, seed: number) {
    this.values = new Uint8Array(m);
    this.#indicesOf = (key) => indicesOf(key, m, k, seed);
  }

  /** How often the key was added, according to its counters. */
  countOf(key: Key): number {
    return Math.min(...this.#indicesOf(key).map((index) => this.values[index] ?? 0));
  }

  /** Increments the counter of each index, up to 15. A counter whose index occurs twice is incremented twice. */
  add(key: Key): boolean {
    const isNew = this.countOf(key) === 0;
    for (const index of this.#indicesOf(key)) this.values[index] = Math.min(FULL, (this.values[index] ?? 0) + 1);
    return isNew;
  }

  /** Decrements the counter of each index, once per occurrence. Counters at 15 stay, and none falls below 0. */
  remove(key: Key): boolean {
    if (this.countOf(key) === 0) return false;
    for (const index of this.#indicesOf(key)) {
      const value = this.values[index] ?? 0;
      if (value > 0 && value < FULL) this.values[index] = value - 1;
    }
    return true;
  }

  /** Packs two counters into each byte, the even one in the low nibble. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(this.values.length / 2));
    return bytes.map((_, at) => (this.values[2 * at] ?? 0) | ((this.values[2 * at + 1] ?? 0) << 4));
  }
}

/** The bytes of a counting filter that holds these keys. */
export function countingBytes(keys: Iterable<Key>, m: number, k: number, seed: number): Uint8Array {
  const counters = new Counters(m, k, seed);
  for (const key of keys) counters.add(key);
  return counters.bytes();
}

/** A spatial filter with one number per cell. */
export class Spatial {
  readonly cells: number[];
  readonly cellBits: number;
  readonly #indicesOf: (key: Key) => number[];

  constructor(m: number, k: number, labels: number, seed: number) {
    this.cells = Array.from({ length: m }, () => 0);
    this.cellBits = [1, 2, 4, 8, 16].find((bits) => labels < 2 ** bits) ?? 0;
    this.#indicesOf = (key) => indicesOf(key, m, k, seed);
  }

  labelOf(key: Key): number {
    return Math.min(...this.#indicesOf(key).map((index) => this.cells[index] as number));
  }

  /** Returns the label before. */
  add(key: Key, label: number): number {
    const before = this.labelOf(key);
    for (const index of this.#indicesOf(key)) this.cells[index] = Math.max(label, this.cells[index] as number);
    return before;
  }

  /** Packs the cells one behind the other, each with its lowest bit first. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil((this.cells.length * this.cellBits) / 8));
    for (const [i, label] of this.cells.entries()) {
      const bits = Array.from({ length: this.cellBits }, (_, bit) => i * this.cellBits + bit);
      setBits(
        bytes,
        bits.filter((_, bit) => (label >> bit) & 1),
      );
    }
    return bytes;
  }
}

/** Where a key may be in a cuckoo filter. */
interface CuckooPlace {
  readonly fingerprint: number;
  readonly first: number;
  readonly second: number;
}

/** MurmurHash3's 32-bit finalizer. */
function mix32(x: bigint): bigint {
  const once = ((x ^ (x >> 16n)) * 0x85ebca6bn) & 0xffffffffn;
  const twice = ((once ^ (once >> 13n)) * 0xc2b2ae35n) & 0xffffffffn;
  return twice ^ (twice >> 16n);
}

/** A bucket on the way to a free slot: its entries come from slot `slot` of the bucket of `parent`. */
interface Visited {
  readonly bucket: number;
  readonly slot: number;
  readonly parent: Visited | undefined;
}

/** A cuckoo filter with one number per slot. */
export class Cuckoo {
  /** The fingerprints in each bucket; 0 is an empty slot. */
  readonly buckets: number[][];
  readonly #bits: number;
  readonly #seed: number;

  constructor(buckets: number, bits: number, seed: number) {
    this.buckets = Array.from({ length: buckets }, () => [0, 0, 0, 0]);
    this.#bits = bits;
    this.#seed = seed;
  }

  get count(): number {
    return this.buckets.flat().filter((fingerprint) => fingerprint > 0).length;
  }

  placeOf(key: Key): CuckooPlace {
    const [h1, h2] = hashOf(bytesOf(key), this.#seed);
    const first = Number((h1 * BigInt(this.buckets.length)) >> 64n);
    const half = areMultiples(h1, h2) ? h2 % 2n ** 32n : h2 >> 32n;
    const fingerprint = 1 + Number((half * (2n ** BigInt(this.#bits) - 1n)) >> 32n);
    return { fingerprint, first, second: this.#other(first, fingerprint) };
  }

  /** The other bucket of a fingerprint. */
  #other(bucket: number, fingerprint: number): number {
    const { length } = this.buckets;
    const odd = 2 * Number((mix32(BigInt(fingerprint)) * BigInt(length / 2)) >> 32n) + 1;
    return (odd - bucket + length) % length;
  }

  #slots(bucket: number): number[] {
    return this.buckets[bucket] as number[];
  }

  /** How often the key is stored, according to its fingerprint. */
  countOf(key: Key): number {
    const { fingerprint, first, second } = this.placeOf(key);
    return [...this.#slots(first), ...this.#slots(second)].filter((each) => each === fingerprint).length;
  }

  /** Stores a key. Returns false, and changes nothing, if the search reaches no free slot. */
  store(key: Key): boolean {
    return this.#insert(this.placeOf(key));
  }

  /** Stores all entries of another filter. Stops at the first entry without room, and returns false. */
  merge(other: Cuckoo): boolean {
    const entries = other.buckets.flatMap((slots, first) => slots.map((fingerprint) => ({ fingerprint, first })));
    return entries
      .filter(({ fingerprint }) => fingerprint > 0)
      .every(({ fingerprint, first }) => this.#insert({ fingerprint, first, second: this.#other(first, fingerprint) }));
  }

  #insert({ fingerprint, first, second }: CuckooPlace): boolean {
    const visited: Visited[] = [first, second].map((bucket) => ({ bucket, slot: 0, parent: undefined }));
    for (const node of visited) {
      const free = this.#slots(node.bucket).indexOf(0);
      if (free >= 0) {
        this.#move(node, free, fingerprint);
        return true;
      }
      for (const [slot, entry] of this.#slots(node.bucket).entries()) {
        const bucket = this.#other(node.bucket, entry);
        let up: Visited | undefined = node;
        while (up && up.bucket !== bucket) up = up.parent;
        if (visited.length < 1024 && up === undefined) visited.push({ bucket, slot, parent: node });
      }
    }
    return false;
  }

  /** Moves entries along the way to a free slot, from its end, and stores the fingerprint at its beginning. */
  #move({ bucket, slot, parent }: Visited, free: number, fingerprint: number): void {
    this.#slots(bucket)[free] = parent ? (this.#slots(parent.bucket)[slot] as number) : fingerprint;
    if (parent) this.#move(parent, slot, fingerprint);
  }

  remove(key: Key): boolean {
    const { fingerprint, first, second } = this.placeOf(key);
    const slots = [first, second].map((bucket) => this.#slots(bucket)).find((each) => each.includes(fingerprint));
    slots?.splice(slots.indexOf(fingerprint), 1, 0);
    return slots !== undefined;
  }

  /** Packs the slots one behind the other, each with its lowest bit first. */
  bytes(): Uint8Array {
    const bits = this.buckets
      .flat()
      .flatMap((entry) => Array.from({ length: this.#bits }, (_, i) => (entry / 2 ** i) & 1));
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    setBits(
      bytes,
      bits.flatMap((bit, at) => (bit ? [at] : [])),
    );
    return bytes;
  }
}

/** The bytes of a cuckoo filter that holds these keys. There must be room for them. */
export function cuckooBytes(keys: Iterable<Key>, buckets: number, bits: number, seed: number): Uint8Array {
  const filter = new Cuckoo(buckets, bits, seed);
  for (const key of keys) if (!filter.store(key)) throw new Error('there is no room for a key');
  return filter.bytes();
}

/** A cell of a d-left counting filter. It is empty if its count is 0, and then its remainder is 0 too. */
interface CountedCell {
  remainder: number;
  count: number;
}

/** A d-left counting filter with an object per cell. */
export class DLeft {
  /** The cells of each bucket of each of four tables. */
  readonly tables: CountedCell[][][];
  readonly #buckets: number;
  readonly #bits: number;
  readonly #seed: number;

  constructor(buckets: number, remainderBits: number, seed: number) {
    const some = <T>(length: number, make: () => T): T[] => Array.from({ length }, make);
    this.tables = some(4, () => some(buckets, () => some(8, () => ({ remainder: 0, count: 0 }))));
    this.#buckets = buckets;
    this.#bits = remainderBits;
    this.#seed = seed;
  }

  get cells(): CountedCell[] {
    return this.tables.flat(2);
  }

  get count(): number {
    return this.cells.reduce((sum, { count }) => sum + count, 0);
  }

  /** How far a table moves the bucket of a remainder. */
  #step(table: number, remainder: number): number {
    const mixed = mix32((BigInt(remainder) + BigInt(table) * 0x9e3779b9n) & 0xffffffffn);
    return table === 0 ? 0 : Number((mixed * BigInt(this.#buckets)) >> 32n);
  }

  /** The bucket of a remainder in each table, given that in the first one. */
  #bucketsOf(base: number, remainder: number): CountedCell[][] {
    return this.tables.map((table, t) => table[(base + this.#step(t, remainder)) % this.#buckets] as CountedCell[]);
  }

  #placeOf(key: Key): { remainder: number; buckets: CountedCell[][]; mine: CountedCell[] } {
    const [h1, h2] = hashOf(bytesOf(key), this.#seed);
    const base = Number((h1 * BigInt(this.#buckets)) >> 64n);
    const half = areMultiples(h1, h2) ? h2 % 2n ** 32n : h2 >> 32n;
    const remainder = Number(half >> BigInt(32 - this.#bits));
    const buckets = this.#bucketsOf(base, remainder);
    return { remainder, buckets, mine: this.#matching(buckets, remainder) };
  }

  #matching(buckets: CountedCell[][], remainder: number): CountedCell[] {
    return buckets.flat().filter((cell) => cell.count > 0 && cell.remainder === remainder);
  }

  countOf(key: Key): number {
    return this.#placeOf(key).mine.reduce((sum, { count }) => sum + count, 0);
  }

  /** Stores a key. Returns false, and changes nothing, if there is no room. */
  store(key: Key): boolean {
    const { remainder, buckets } = this.#placeOf(key);
    return this.#insert(buckets, remainder);
  }

  #insert(buckets: CountedCell[][], remainder: number): boolean {
    const again = this.#matching(buckets, remainder).find(({ count }) => count < 3);
    if (again) {
      again.count++;
      return true;
    }
    const empty = buckets.map((bucket) => bucket.filter(({ count }) => count === 0));
    const [first] = empty.find(({ length }) => empty.every((other) => other.length <= length)) ?? [];
    if (first) Object.assign(first, { remainder, count: 1 });
    return first !== undefined;
  }

  remove(key: Key): boolean {
    const last = this.#placeOf(key).mine.at(-1);
    if (last && --last.count === 0) last.remainder = 0;
    return last !== undefined;
  }

  /** Stores all entries of another filter. Stops at the first one without room, and returns false. */
  merge(other: DLeft): boolean {
    const entries = other.tables.flatMap((table, t) =>
      table.flatMap((cells, bucket) =>
        cells.flatMap(({ remainder, count }) => {
          const base = (bucket - this.#step(t, remainder) + this.#buckets) % this.#buckets;
          return Array.from({ length: count }, () => ({ base, remainder }));
        }),
      ),
    );
    return entries.every(({ base, remainder }) => this.#insert(this.#bucketsOf(base, remainder), remainder));
  }

  /** Packs the cells one behind the other, each with its count in the lowest bits. */
  bytes(): Uint8Array {
    const bits = this.cells.flatMap(({ remainder, count }) =>
      Array.from({ length: this.#bits + 2 }, (_, i) => ((4 * remainder + count) / 2 ** i) & 1),
    );
    const bytes = new Uint8Array(bits.length / 8);
    setBits(
      bytes,
      bits.flatMap((bit, at) => (bit ? [at] : [])),
    );
    return bytes;
  }
}

/** The bytes of a d-left counting filter that holds these keys. There must be room for them. */
export function dleftBytes(keys: Iterable<Key>, buckets: number, remainderBits: number, seed: number): Uint8Array {
  const filter = new DLeft(buckets, remainderBits, seed);
  for (const key of keys) if (!filter.store(key)) throw new Error('there is no room for a key');
  return filter.bytes();
}

/**
 * The size of the segments of a fuse filter, as a power of 2, and the number of segments that may hold a key's first
 * cell.
 */
export function fuseLayoutOf(n: number): { e: number; segments: number } {
  const froms = [5, 16, 53, 177, 588, 1957, 6514, 21_692, 72_233, 240_534, 800_977, 2_667_253, 8_881_950, 29_576_893];
  const bears = [500, 560, 600, 700, 780, 830, 860, 875, 885, 895, 903, 910, 915, 915, 915];
  const e = 2 + froms.filter((from) => from <= n).length;
  for (let segments = 1; ; segments++) {
    const middle = (bears[e - 2] as number) * segments + 512;
    const ends = e >= 8 ? 768 * segments + 1400 : 0;
    if (1024 * n <= 2 ** e * Math.max(middle, ends)) return { e, segments };
  }
}

/** A binary fuse filter with an array of its cells. */
export class Fuse {
  readonly count: number;
  readonly e: number;
  segments = 0;
  attempt = 0;
  cells: bigint[] = [];
  readonly #bits: number;

  /**
   * @param hashes the h1 of each key; some may be equal
   */
  constructor(hashes: Iterable<bigint>, bits: number) {
    const distinct = new Set(hashes);
    const { e, segments } = fuseLayoutOf(distinct.size);
    this.count = distinct.size;
    this.e = e;
    this.#bits = bits;
    for (; ; this.attempt++) {
      this.segments = segments + Math.floor(this.attempt / 4) * Math.max(1, Math.floor(segments / 16));
      if (this.#build(distinct)) return;
    }
  }

  /** The mixed hash, and the three cells. */
  #placesOf(h1: bigint): { mixed: bigint; places: number[] } {
    const mixed = avalanche((h1 + BigInt(this.attempt + 1) * 0x9e3779b97f4a7c15n) & MASK);
    const length = 2 ** this.e;
    const first = Number((mixed * BigInt(this.segments * length)) >> 64n);
    const segment = Math.floor(first / length);
    // In the next two segments, the place in the segment is changed by some bits of the hash.
    const within = (shift: bigint): number => Number((mixed >> shift) % BigInt(length)) ^ (first % length);
    return { mixed, places: [first, (segment + 1) * length + within(18n), (segment + 2) * length + within(0n)] };
  }

  #fingerprintOf(mixed: bigint): bigint {
    return (mixed ^ (mixed >> 32n)) % 2n ** BigInt(this.#bits);
  }

  /** Takes away keys that are alone in a cell, first in, first out, and then gives them their cells in reverse. */
  #build(hashes: ReadonlySet<bigint>): boolean {
    const keys: Set<bigint>[] = Array.from({ length: (this.segments + 2) * 2 ** this.e }, () => new Set());
    for (const h1 of hashes) for (const place of this.#placesOf(h1).places) keys[place]?.add(h1);
    const queue = keys.flatMap(({ size }, cell) => (size === 1 ? [cell] : []));
    const taken: { cell: number; h1: bigint }[] = [];
    for (const cell of queue) {
      const [h1] = keys[cell] as Set<bigint>;
      if (h1 === undefined) continue;
      taken.push({ cell, h1 });
      for (const place of this.#placesOf(h1).places) {
        keys[place]?.delete(h1);
        if (place !== cell && keys[place]?.size === 1) queue.push(place);
      }
    }
    if (taken.length < hashes.size) return false;
    this.cells = keys.map(() => 0n);
    for (const { cell, h1 } of taken.reverse()) this.cells[cell] = this.#differenceOf(h1);
    return true;
  }

  /** The fingerprint and the three cells, combined: 0 if the key may be present. */
  #differenceOf(h1: bigint): bigint {
    const { mixed, places } = this.#placesOf(h1);
    return places.reduce((sum, place) => sum ^ (this.cells[place] ?? 0n), this.#fingerprintOf(mixed));
  }

  has(h1: bigint): boolean {
    return this.count > 0 && this.#differenceOf(h1) === 0n;
  }

  /** All cells in a row, the lowest bit of each first. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil((this.cells.length * this.#bits) / 8));
    const bits = this.cells.flatMap((cell, i) =>
      Array.from({ length: this.#bits }, (_, bit) => ((cell >> BigInt(bit)) & 1n ? i * this.#bits + bit : -1)),
    );
    setBits(
      bytes,
      bits.filter((bit) => bit >= 0),
    );
    return bytes;
  }
}

/** How a rotating filter is made. */
interface RotatingShape {
  readonly lanes: number;
  readonly blocks: number;
  readonly quota: number;
  readonly seed: number;
  readonly window?: number;
  readonly now?: number;
}

/** A rotating filter with a set of bits for each lane, and a clock that is set by hand. */
export class Rotating {
  readonly #shape: RotatingShape;
  lanes: Set<number>[];
  current = 0;
  count = 0;
  rotations = 0;
  early = 0;
  now: number;
  /** In milliseconds times G − 1, so that it is exact if the clock is. */
  #begun: number;

  constructor(shape: RotatingShape) {
    this.#shape = shape;
    this.lanes = Array.from({ length: shape.lanes }, () => new Set());
    this.now = shape.now ?? 0;
    this.#begun = 0;
    this.#begin();
  }

  get begun(): number {
    return this.#begun / (this.#shape.lanes - 1);
  }

  #begin(): void {
    this.#begun = this.#shape.window ? this.now * (this.#shape.lanes - 1) : 0;
  }

  #bitsOf(key: Key): number[] {
    return blockedBitsOf(hashOf(bytesOf(key), this.#shape.seed)[0], this.#shape.blocks);
  }

  /** Clears a lane for each share of the window that is over. */
  #pass(): void {
    const { window = 0, lanes } = this.#shape;
    if (window === 0) return;
    const isDue = (): boolean => this.now * (lanes - 1) > this.#begun + window;
    for (let i = 0; i < lanes && isDue(); i++) {
      this.#turn();
      this.#begun += window;
    }
    if (isDue()) this.#begin();
  }

  #turn(): void {
    this.current = (this.current + 1) % this.#shape.lanes;
    this.lanes[this.current]?.clear();
    this.count = 0;
    this.rotations++;
  }

  rotate(): void {
    this.#pass();
    this.#turn();
    this.#begin();
  }

  #isIn(lane: Set<number> | undefined, key: Key): boolean {
    return this.#bitsOf(key).every((bit) => lane?.has(bit));
  }

  has(key: Key): boolean {
    this.#pass();
    return this.lanes.some((lane) => this.#isIn(lane, key));
  }

  add(key: Key): boolean {
    const isNew = !this.has(key);
    if (this.#isIn(this.lanes[this.current], key)) return false;
    if (this.count === this.#shape.quota) {
      this.#turn();
      if (this.#shape.window) {
        this.#begin();
        this.early++;
      }
    }
    for (const bit of this.#bitsOf(key)) this.lanes[this.current]?.add(bit);
    this.count++;
    return isNew;
  }

  refresh(key: Key): boolean {
    const isThere = this.has(key);
    if (isThere) this.add(key);
    return isThere;
  }

  /** The blocks of all lanes, side by side. */
  bytes(): Uint8Array {
    const { blocks, lanes } = this.#shape;
    const bytes = new Uint8Array(32 * blocks * lanes);
    for (const [lane, bits] of this.lanes.entries()) {
      setBits(
        bytes,
        [...bits].map((bit) => 256 * (Math.floor(bit / 256) * lanes + lane) + (bit % 256)),
      );
    }
    return bytes;
  }
}

/** The hashes of the keys that were removed from a filter and not added again. */
export class Tombstones {
  readonly #hashes = new Map<string, [bigint, bigint]>();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#hashes.size;
  }

  has(key: Key): boolean {
    return this.#hashes.has(String(hashOf(bytesOf(key), this.#seed)));
  }

  add(key: Key): void {
    const hash = hashOf(bytesOf(key), this.#seed);
    this.#hashes.set(String(hash), hash);
  }

  delete(key: Key): boolean {
    return this.#hashes.delete(String(hashOf(bytesOf(key), this.#seed)));
  }

  /** The entries of a file, without padding. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(16 * this.size);
    const pairs = [...this.#hashes.values()].map(([h1, h2]) => (h1 << 64n) | h2);
    for (const [i, pair] of pairs.sort((one, other) => (one < other ? -1 : 1)).entries()) {
      const view = new DataView(bytes.buffer, 16 * i);
      view.setBigUint64(0, pair >> 64n, true);
      view.setBigUint64(8, pair & MASK, true);
    }
    return bytes;
  }
}

/** The number of keys that a slice is sized for, at least 1000, and its error rate. */
export function sliceOf(
  slice: number,
  { capacity, errorRate, growth, tightening }: Record<'capacity' | 'errorRate' | 'growth' | 'tightening', number>,
): { readonly keys: number; readonly rate: number } {
  let rate = errorRate * (1 - tightening);
  for (let i = 0; i < slice; i++) rate *= tightening;
  return { keys: Math.max(1000, capacity * growth ** slice), rate };
}

/** How a scalable filter is made. */
interface ScalableShape {
  readonly capacity: number;
  readonly growth: number;
  readonly seed: number;
  /** The bits and hashes of a slice. */
  sizeOf(slice: number): { readonly m: number; readonly k: number };
}

/** A scalable filter with a set of bits for each slice. */
export class Scalable {
  readonly #shape: ScalableShape;
  readonly slices: { readonly m: number; readonly k: number; readonly bits: Set<number>; count: number }[] = [];

  constructor(shape: ScalableShape) {
    this.#shape = shape;
    this.#open();
  }

  #open(): void {
    this.slices.push({ ...this.#shape.sizeOf(this.slices.length), bits: new Set(), count: 0 });
  }

  has(key: Key): boolean {
    const { seed } = this.#shape;
    return this.slices.some(({ m, k, bits }) => indicesOf(key, m, k, seed).every((index) => bits.has(index)));
  }

  add(key: Key): boolean {
    const { capacity, growth, seed } = this.#shape;
    if (this.has(key)) return false;
    if (this.slices.at(-1)?.count === capacity * growth ** (this.slices.length - 1)) this.#open();
    const last = this.slices.at(-1);
    if (last === undefined) throw new Error('there is no slice');
    for (const index of indicesOf(key, last.m, last.k, seed)) last.bits.add(index);
    last.count++;
    return true;
  }

  /** All slices, each padded to 64 bytes. */
  bytes(): Uint8Array {
    const parts = this.slices.map(({ m, bits }) => {
      const bytes = new Uint8Array(64 * Math.ceil(m / 512));
      setBits(bytes, [...bits]);
      return bytes;
    });
    return Uint8Array.from(parts.flatMap((part) => [...part]));
  }
}

/** How a stable filter is made. */
interface StableShape {
  readonly cells: number;
  readonly cellBits: number;
  readonly hashes: number;
  readonly decrements: number;
  readonly seed: number;
}

/** A stable filter with one number per cell. */
export class Stable {
  readonly #shape: StableShape;
  values: number[] = [];
  state = 0n;

  constructor(shape: StableShape) {
    this.#shape = shape;
    this.clear();
  }

  clear(): void {
    this.values = Array.from({ length: this.#shape.cells }, () => 0);
    this.state = BigInt(this.#shape.seed);
  }

  get zeros(): number {
    return this.values.filter((value) => value === 0).length;
  }

  #indicesOf(key: Key): number[] {
    const { cells, hashes, seed } = this.#shape;
    return indicesOf(key, cells, hashes, seed);
  }

  has(key: Key): boolean {
    return this.#indicesOf(key).every((index) => this.values[index]);
  }

  /** Decrements the cells of a run one by one, and then sets those of the key. */
  add(key: Key): boolean {
    const { cells, cellBits, decrements } = this.#shape;
    const isNew = !this.has(key);
    this.state = (this.state * 0xd1342543de82ef95n + 0x9e3779b97f4a7c15n) & MASK;
    const start = Number((this.state * BigInt(cells)) >> 64n);
    for (let i = 0; i < decrements; i++) {
      const at = (start + i) % cells;
      this.values[at] = Math.max(0, (this.values[at] ?? 0) - 1);
    }
    for (const index of this.#indicesOf(key)) this.values[index] = 2 ** cellBits - 1;
    return isNew;
  }

  /** All cells in a row, the lowest bit of each first. */
  bytes(): Uint8Array {
    const { cells, cellBits } = this.#shape;
    const bytes = new Uint8Array(Math.ceil((cells * cellBits) / 8));
    for (const [i, value] of this.values.entries()) {
      const at = (i * cellBits) >> 3;
      bytes[at] = (bytes[at] ?? 0) | (value << ((i * cellBits) & 7));
    }
    return bytes;
  }
}

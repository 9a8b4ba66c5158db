// The specification of the cuckoo filter, implemented slowly and plainly.

import type { Key } from '../../src/index.ts';
import { areMultiples, bytesOf, hashOf, packed } from './oracle.ts';

/** Where a key may be in a cuckoo filter. */
type CuckooPlace = Readonly<Record<'fingerprint' | 'first' | 'second', number>>;

/** MurmurHash3's 32-bit finalizer, scaled to 0 … limit − 1. */
function mix32(x: number, limit: number): number {
  const once = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return Math.floor((((twice ^ (twice >>> 16)) >>> 0) * limit) / 2 ** 32);
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
    const odd = 2 * mix32(fingerprint, length / 2) + 1;
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
    const { first, fingerprint } = this.placeOf(key);
    return this.storeAt(first, fingerprint);
  }

  /** Stores all entries of another filter. Stops at the first entry without room, and returns false. */
  merge(other: Cuckoo): boolean {
    const entries = other.buckets.flatMap((slots, first) => slots.map((fingerprint) => ({ fingerprint, first })));
    return entries
      .filter(({ fingerprint }) => fingerprint > 0)
      .every(({ fingerprint, first }) => this.storeAt(first, fingerprint));
  }

  /** As `store`, given one of the two buckets. */
  storeAt(first: number, fingerprint: number): boolean {
    const buckets = [first, this.#other(first, fingerprint)];
    const visited: Visited[] = buckets.map((bucket) => ({ bucket, slot: 0, parent: undefined }));
    for (const node of visited) {
      const free = this.#slots(node.bucket).indexOf(0);
      if (free >= 0) {
        this.#move(node, free, fingerprint);
        return true;
      }
      for (const [slot, entry] of this.#slots(node.bucket).entries()) {
        if (visited.length === 1024) break;
        const bucket = this.#other(node.bucket, entry);
        let up: Visited | undefined = node;
        while (up && up.bucket !== bucket) up = up.parent;
        if (up === undefined) visited.push({ bucket, slot, parent: node });
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

  bytes(): Uint8Array {
    return packed(this.buckets.flat(), this.#bits);
  }
}

// The specification of fuse filters, implemented slowly and plainly with BigInt.

import { avalanche, MASK, packed } from './oracle.ts';

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

/** A binary fuse filter, or a map, with an array of its cells. */
export class Fuse {
  readonly count: number;
  readonly e: number;
  segments = 0;
  attempt = 0;
  cells: bigint[] = [];
  readonly #bits: number;
  readonly #values: ReadonlyMap<bigint, number>;
  readonly #valueBits: bigint;

  /**
   * @param hashes the h1 of each key; some may be equal
   * @param values of a map: the value of each h1, in the low `valueBits` bits of the cells
   */
  constructor(hashes: Iterable<bigint>, bits: number, values: ReadonlyMap<bigint, number> = new Map(), valueBits = 0) {
    const distinct = new Set(hashes);
    this.#values = values;
    this.#valueBits = BigInt(valueBits);
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
    return ((mixed ^ (mixed >> 32n)) << this.#valueBits) % 2n ** BigInt(this.#bits);
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
    for (const { cell, h1 } of taken.reverse())
      this.cells[cell] = this.#differenceOf(h1) ^ BigInt(this.#values.get(h1) ?? 0);
    return true;
  }

  /** The fingerprint and the three cells, combined: 0, or in a map the value, if the key may be present. */
  #differenceOf(h1: bigint): bigint {
    const { mixed, places } = this.#placesOf(h1);
    return places.reduce((sum, place) => sum ^ (this.cells[place] ?? 0n), this.#fingerprintOf(mixed));
  }

  has(h1: bigint): boolean {
    return this.count > 0 && this.#differenceOf(h1) === 0n;
  }

  get(h1: bigint): number | undefined {
    const value = this.#differenceOf(h1);
    return this.count > 0 && value >> this.#valueBits === 0n ? Number(value) : undefined;
  }

  bytes(): Uint8Array {
    return packed(this.cells, this.#bits);
  }
}

/** The shard of a key among so many. */
const shardOf = (h1: bigint, shards: number): number => Number((h1 * BigInt(shards)) >> 64n);

/** Fuse filters, or maps, in shards. */
export class ShardedFuse {
  readonly #shards: readonly Fuse[];
  readonly #bits: number;

  /** @param values see `Fuse` */
  constructor(
    hashes: readonly bigint[],
    shards: number,
    bits: number,
    values?: ReadonlyMap<bigint, number>,
    valueBits?: number,
  ) {
    this.#bits = bits;
    this.#shards = Array.from({ length: shards }, (_, shard) => {
      const own = hashes.filter((h1) => shardOf(h1, shards) === shard);
      return new Fuse(own, bits, values, valueBits);
    });
  }

  /** The shard of a key. */
  of(h1: bigint): Fuse {
    return this.#shards[shardOf(h1, this.#shards.length)] as Fuse;
  }

  /** The cells of all shards, each with as many as end at a byte. */
  bytes(): Uint8Array {
    return Buffer.concat(
      this.#shards.map((fuse) => {
        const bytes = new Uint8Array(Math.ceil(fuse.cells.length / 8) * this.#bits);
        bytes.set(fuse.bytes());
        return bytes;
      }),
    );
  }
}

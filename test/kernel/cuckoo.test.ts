import { describe, expect, it } from 'vitest';
import type { CuckooExports } from '../../src/kernel/generated/cuckoo/exports.ts';
import { randomFrom } from '../shared/random.ts';
import { builds, release } from './builds.ts';
import { Layout } from './layout.ts';

it.each(builds)('a key for which there is no room is flagged with 0, as are those after it: $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const { cuckoo_add, cuckoo_add_absent } = kernel as object as CuckooExports;
  const layout = new Layout(memory);
  const [body, hashes, flags] = [
    layout.take(Uint8Array, 64),
    layout.take(Uint32Array, 48),
    layout.take(Uint8Array, 12),
  ];
  // Two buckets have eight slots: the ninth copy of a hash does not fit, nor does another hash.
  for (let i = 0; i < 12; i++) hashes.set(i === 9 ? [7, 7, 7, 7 << 29] : [5, 5, 5, 5], 4 * i);
  const chunk = [body.byteOffset, 2, 7, hashes.byteOffset, 12, flags.byteOffset] as const;
  flags.fill(9);
  expect(cuckoo_add(...chunk)).toBe(8);
  expect([...flags]).toEqual([1, ...Array<number>(11).fill(0)]);
  flags.fill(9);
  expect(cuckoo_add_absent(...chunk)).toBe(9);
  expect([...flags]).toEqual(Array<number>(12).fill(0));
  expect(layout.intact).toBe(true);
});

/** The fingerprint of 16 bits that a half of h2 gives. */
const fingerprintOf = (half: bigint): number => 1 + Number((half * 0xffffn) >> 32n);

describe.each(builds)('a single hash in a cuckoo filter in $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const { cuckoo_add } = kernel as object as CuckooExports;
  const layout = new Layout(memory);
  const hashes = layout.take(BigUint64Array, 2);
  const flags = layout.take(Uint8Array, 1);
  const body = layout.take(Uint16Array, 4 * 1000);

  /** The bucket and the fingerprint of a hash in an empty filter. */
  function placeOf(h1: bigint, h2: bigint, buckets: number): [bucket: number, fingerprint: number] {
    body.fill(0);
    hashes.set([h1, h2]);
    cuckoo_add(body.byteOffset, buckets, 16, hashes.byteOffset, 1, flags.byteOffset);
    const slot = body.findIndex((fingerprint) => fingerprint > 0);
    return [slot / 4, body[slot] ?? 0];
  }

  it('is in the bucket that all 64 bits of h1 choose', () => {
    for (const buckets of [6, 998, 1000]) {
      for (let bucket = 1; bucket < buckets; bucket++) {
        const lowest = (BigInt(bucket) << 64n) / BigInt(buckets) + 1n;
        expect(placeOf(lowest, 7n << 40n, buckets)[0]).toBe(bucket);
        expect(placeOf(lowest - 2n, 7n << 40n, buckets)[0]).toBe(bucket - 1);
      }
    }
  });

  it('has another fingerprint only if h1 and h2 are the same multiples in all bits', () => {
    const x = 0x1234_5678_9abc_def1n;
    const [h1, h2] = [BigInt.asUintN(64, 2n * x), BigInt.asUintN(64, 3n * x)];
    expect(placeOf(h1, h2, 6)[1]).toBe(fingerprintOf(h2 & 0xffff_ffffn));
    const other = h2 ^ (1n << 40n);
    expect(placeOf(h1, other, 6)[1]).toBe(fingerprintOf(other >> 32n));
  });
});

it.each(builds)('a fingerprint of any width is found in each slot: $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const { cuckoo_add, cuckoo_has, cuckoo_count, cuckoo_remove } = kernel as object as CuckooExports;
  const layout = new Layout(memory);
  const hashes = layout.take(Uint32Array, 4);
  const flags = layout.take(Uint8Array, 1);
  const body = layout.take(BigUint64Array, 4);
  for (let bits = 7; bits <= 32; bits++) {
    for (const high of [0, 2 ** 31]) {
      const where = [body.byteOffset, 2, bits] as const;
      const all = [hashes.byteOffset, 1, flags.byteOffset] as const;
      body.fill(0n);
      hashes.set([0, high, 0, 0x89abcdef]);
      cuckoo_add(...where, ...all);
      // The whole body as one number: the fingerprint is in the first slot of its bucket.
      const whole = body.reduceRight((sum, word) => (sum << 64n) | word, 0n);
      for (let slot = 0; slot < 4; slot++) {
        const moved = whole << BigInt(slot * bits);
        for (const i of body.keys()) body[i] = BigInt.asUintN(64, moved >> BigInt(64 * i));
        const found = [cuckoo_has(...where, ...all), cuckoo_count(...where, hashes.byteOffset)];
        expect([...found, cuckoo_remove(...where, ...all)], `${bits} bits, slot ${slot}`).toEqual([1, 1, 1]);
        expect(body.every((word) => word === 0n)).toBe(true);
        expect(cuckoo_has(...where, ...all)).toBe(0);
      }
    }
  }
  expect(layout.intact).toBe(true);
});

/** The search for a free slot, as docs/format.md describes it, with fingerprints of 16 bits and in 32-bit arithmetic. */
class Twin {
  readonly slots: Uint16Array;
  readonly #buckets: number;

  constructor(buckets: number) {
    this.#buckets = buckets;
    this.slots = new Uint16Array(4 * buckets);
  }

  #other(bucket: number, fingerprint: number): number {
    let mixed = Math.imul(fingerprint ^ (fingerprint >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    const odd = 2 * Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) * (this.#buckets / 2)) / 2 ** 32) + 1;
    return (odd - bucket + this.#buckets) % this.#buckets;
  }

  /** Returns whether there was room. */
  add(high1: number, high2: number): boolean {
    const first = Math.floor((high1 * this.#buckets) / 2 ** 32);
    const fingerprint = 1 + Math.floor((high2 * 0xffff) / 2 ** 32);
    const visited = [first, this.#other(first, fingerprint)];
    /** Of each bucket but the first two: 4 times the number of the one before it, plus the slot. */
    const links = [0, 0];
    const isOnWay = (node: number, bucket: number): boolean =>
      visited[node] === bucket || (node > 1 && isOnWay((links[node] ?? 0) >> 2, bucket));
    for (const [node, bucket] of visited.entries()) {
      const free = this.slots.subarray(4 * bucket, 4 * bucket + 4).indexOf(0);
      if (free >= 0) {
        this.#move(visited, links, node, free, fingerprint);
        return true;
      }
      for (let slot = 0; slot < 4 && visited.length < 1024; slot++) {
        const other = this.#other(bucket, this.slots[4 * bucket + slot] ?? 0);
        if (!isOnWay(node, other)) links[visited.push(other) - 1] = 4 * node + slot;
      }
    }
    return false;
  }

  #move(visited: readonly number[], links: readonly number[], node: number, slot: number, fingerprint: number): void {
    const [bucket = 0, link = 0] = [visited[node], links[node]];
    const from = 4 * (visited[link >> 2] ?? 0) + (link & 3);
    this.slots[4 * bucket + slot] = node > 1 ? (this.slots[from] ?? 0) : fingerprint;
    if (node > 1) this.#move(visited, links, link >> 2, link & 3, fingerprint);
  }
}

it('the search for a free slot gives up where the format says', () => {
  const buckets = 1000;
  const { kernel, memory } = release.open(2);
  const { cuckoo_add } = kernel as object as CuckooExports;
  const layout = new Layout(memory);
  const hashes = layout.take(Uint32Array, 4);
  const flags = layout.take(Uint8Array, 1);
  const body = layout.take(Uint16Array, 4 * buckets);
  const twin = new Twin(buckets);
  // With this seed, it matters which buckets are the last ones that a search visits.
  const random = randomFrom(5);
  let used = 0;
  let refused = 0;
  for (let i = 0; i < 10_600; i++) {
    hashes.set([0, random(2 ** 32), 0, random(2 ** 32)]);
    const hasRoom = twin.add(hashes[1] ?? 0, hashes[3] ?? 0);
    if (hasRoom) used++;
    else refused++;
    if (cuckoo_add(body.byteOffset, buckets, 16, hashes.byteOffset, 1, flags.byteOffset) !== Number(hasRoom)) {
      throw new Error(`the key ${i} was ${hasRoom ? 'refused' : 'stored'}`);
    }
    // Empties a few slots of a filter that is all but full.
    for (let left = used > 0.998 * 4 * buckets ? 4 : 0; left > 0; left--) {
      const slot = random(4 * buckets);
      if (body[slot]) used--;
      body[slot] = 0;
      twin.slots[slot] = 0;
    }
  }
  expect(refused).toBeGreaterThan(5000);
  expect(body.every((fingerprint, slot) => fingerprint === twin.slots[slot])).toBe(true);
  expect(layout.intact).toBe(true);
});

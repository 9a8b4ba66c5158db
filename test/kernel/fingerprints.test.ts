// What kinds with fingerprints compute in the kernel. Those of a set whose places in a page are the same follow from a
// secret, so here it is known.

import { describe, expect, it } from 'vitest';
import type { CuckooExports } from '../../src/kernel/generated/cuckoo/exports.ts';
import type { DleftExports } from '../../src/kernel/generated/dleft/exports.ts';
import type { FingerprintSetExports } from '../../src/kernel/generated/fingerprint-set/exports.ts';
import type { FuseExports } from '../../src/kernel/generated/fuse/exports.ts';
import { probeFuse } from '../../src/kinds/fuse/probe.ts';
import { range } from '../shared/integers.ts';
import { BASE, builds, laidOut, release } from './builds.ts';

// Two buckets of a cuckoo filter have eight slots. Four buckets of a d-left filter have 32 cells, which count to 3.
const kinds = [
  { kind: 'cuckoo', buckets: 2, bits: 7, room: 8 },
  { kind: 'dleft', buckets: 1, bits: 16, room: 96 },
] as const;

describe.each(builds)('keys after one without room are flagged with 0 in $name', ({ open }) => {
  it.each(kinds)('$kind', ({ kind, buckets, bits, room }) => {
    const { kernel, layout } = laidOut<CuckooExports & DleftExports>(open(2));
    const count = room + 4;
    const body = layout.take(Uint8Array, 4 * 16 + 64);
    const hashes = layout.take(Uint32Array, 4 * count);
    const flags = layout.take(Uint8Array, count);
    // One copy more than there is room for, then another hash, for which there is none either.
    for (let i = 0; i < count; i++) hashes.set(i === room + 1 ? [7, 7, 7, 7 << 29] : [5, 5, 5, 5], 4 * i);
    for (const [verb, stored, first] of [
      ['add', room, 1],
      ['add_absent', room + 1, 0],
    ] as const) {
      flags.fill(9);
      const filter = [body.byteOffset, buckets, bits] as const;
      const found = kernel[`${kind}_${verb}`](...filter, hashes.byteOffset, count, flags.byteOffset);
      expect(found, verb).toBe(stored);
      expect([...flags]).toEqual([first, ...Array<number>(count - 1).fill(0)]);
    }
    expect(layout.intact).toBe(true);
  });
});

/** The fingerprint of 16 bits that a half of h2 gives. */
const fingerprintOf = (half: bigint): number => 1 + Number((half * 0xffffn) >> 32n);

describe.each(builds)('a single hash in a cuckoo filter in $name', ({ open }) => {
  const { kernel, layout } = laidOut<CuckooExports>(open(2));
  const hashes = layout.take(BigUint64Array, 2);
  const flags = layout.take(Uint8Array, 1);
  const body = layout.take(Uint16Array, 4 * 1000);

  /** The bucket and the fingerprint of a hash in an empty filter. */
  function placeOf(h1: bigint, h2: bigint, buckets: number): [bucket: number, fingerprint: number] {
    body.fill(0);
    hashes.set([h1, h2]);
    kernel.cuckoo_add(body.byteOffset, buckets, 16, hashes.byteOffset, 1, flags.byteOffset);
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
  const { kernel, layout } = laidOut<CuckooExports>(open(2));
  const { cuckoo_add, cuckoo_has, cuckoo_count, cuckoo_remove } = kernel;
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

it.each(builds)('a cell with more keys than a byte can count is refused: $name', ({ open }) => {
  const { kernel, layout } = laidOut<FuseExports>(open(2));
  // One segment of eight cells, and two more behind it: 13 bytes for each cell.
  const work = layout.take(Uint8Array, 13 * 24);
  const mixed = layout.take(Uint32Array, 2 * 256);
  // Equal hashes, which share their cells.
  mixed.fill(7);
  const count = (keys: number): number => kernel.fuse_count(work.byteOffset, 3, 1, 0, mixed.byteOffset, keys);
  expect(count(255)).toBe(1);
  expect(count(1)).toBe(0);
  work.fill(0);
  expect(count(256)).toBe(0);
  expect(layout.intact).toBe(true);
});

it.each(builds)('cells that begin past 2^32 bits are found: $name', ({ open }) => {
  const [exponent, segments, attempt] = [18, 600, 1];
  for (const bits of [29, 32]) {
    const bytes = ((segments + 2) * 2 ** exponent * bits) / 8 + 64;
    const { kernel, layout } = laidOut<FuseExports>(open(Math.ceil(bytes / 65_536) + 2));
    const hashes = layout.take(BigUint64Array, 2);
    const flags = layout.take(Uint8Array, 1);
    const body = layout.take(Uint8Array, bytes);
    const view = new DataView(body.buffer, body.byteOffset, bytes);
    const own = { exponent, segments, attempt, count: 1 };
    const cells = new Float64Array(3);
    const { place } = probeFuse({ own, cellBits: bits } as Parameters<typeof probeFuse>[0]);
    let fingerprint = 0;
    do {
      hashes[0] = (hashes[0] ?? 0n) + 1n;
      fingerprint = place([hashes[0], 0n], cells);
    } while (Math.min(...cells) < 2 ** 32);
    const has = (): number =>
      kernel.fuse_has(body.byteOffset, exponent, segments, attempt, bits, hashes.byteOffset, 1, flags.byteOffset);
    expect(has()).toBe(0);
    // The other two cells are 0.
    for (const cell of cells) {
      const at = Math.floor(cell / 8);
      view.setBigUint64(at, BigInt(fingerprint) << BigInt(cell % 8), true);
      expect(has()).toBe(1);
      view.setBigUint64(at, 0n);
    }
  }
});

const TABLE = BASE + 64;
/** After a directory of the most entries, 2^18. */
const FACTS = 128 + 2 ** 19;
const FINGERPRINTS = TABLE + 2 ** 20;
const FLAGS = FINGERPRINTS + 12_288;
const NUMBERS = FLAGS + 1024;
const MOST = 300;

/** Makes a table of pages of 64 cells. Searches begin in the first 56, and a page is divided when it has 48. */
function openTable(pages = 30, width = 12) {
  const { kernel, memory } = release.open(20);
  const set = kernel as object as FingerprintSetExports;
  const { buffer } = memory;
  new Uint32Array(buffer, TABLE, 10).set([0, 0, pages, 64 * width, 56, 48, 0, 0, FACTS, FACTS + 128]);
  // The factors of the secret are 1: then u is the high half of h1, and w the low half. After them, the bytes of a cell.
  new Uint32Array(buffer, TABLE + 40, 15).set([...Array.from({ length: 14 }, (_, i) => (i + 1) % 2), width]);
  set.fingerprints_empty(TABLE);
  const words = new Uint32Array(buffer, FINGERPRINTS, 3 * MOST);
  const flags = new Uint8Array(buffer, FLAGS, MOST);
  return {
    /** Passes fingerprints, each of its w and u, to a function, and returns the flags. */
    call(verb: 'add' | 'has' | 'remove', cells: readonly (readonly [w: number, u: number])[]): Uint8Array {
      flags.fill(7);
      words.set(cells.flatMap(([w, u]) => [w, u, 0]));
      set[`fingerprints_${verb}`](TABLE, FINGERPRINTS, 12, cells.length, FLAGS);
      return flags.slice(0, cells.length);
    },
    /** Numbers hashes, each of its w and u. Returns the numbers of those before the first without memory. */
    number(cells: readonly (readonly [w: number, u: number])[]): number[] {
      new Uint32Array(buffer, FINGERPRINTS, 4 * cells.length).set(cells.flatMap(([w, u]) => [w, u, 0, 77]));
      const count = set.fingerprints_number(TABLE, FINGERPRINTS, cells.length, NUMBERS);
      return [...new Uint32Array(buffer, NUMBERS, count)];
    },
  };
}

/** Cells, ten at each of thirty places. */
const crowds = range(0, MOST).map((i) => [(i % 30) * 2 ** 27, Math.imul(i + 1, 0x9e3779b9) >>> 0] as const);
/** More cells than a page takes, at places of their own. */
const spread = range(0, 60).map((i) => [i * 2 ** 26, i] as const);

const ones = (count: number): Uint8Array => new Uint8Array(count).fill(1);

it('fingerprints with one place are told apart, in a page and when it is divided', () => {
  const table = openTable();
  expect(table.call('add', crowds)).toEqual(ones(MOST));
  expect(table.call('has', crowds)).toEqual(ones(MOST));
  expect(table.call('remove', crowds.slice(0, 100))).toEqual(ones(100));
  expect(table.call('has', crowds)).toEqual(ones(MOST).fill(0, 0, 100));
});

it('a removal at the end of a page takes nothing of the next page', () => {
  const table = openTable();
  // The 49th divides the first page: those of a large u go to the next one, where the first cell is then in use.
  const divided = range(0, 50).map((i) => [i * 2 ** 25, i < 20 ? i + 1 : 2 ** 32 - 1 - i] as const);
  // All begin in the last but eight cells of the first page, and do not fit there.
  const crowded = range(0, 9).map((i) => [2 ** 32 - 1, (i + 1) * 2 ** 27] as const);
  const cells = [...divided, [0, 2 ** 32 - 1000] as const, ...crowded];
  expect(table.call('add', cells)).toEqual(ones(60));
  expect(table.call('remove', crowded.slice(0, 1))).toEqual(ones(1));
  expect(table.call('has', cells)).toEqual(ones(60).fill(0, 51, 52));
});

// So near to one another that no directory tells them apart, they need more entries than it may have.
it.each([1, 30])('a full table of %i pages refuses fingerprints, and takes others for those removed', (pages) => {
  const table = openTable(pages);
  for (const verb of ['add', 'has', 'remove', 'add'] as const) {
    expect(table.call(verb, spread)).toEqual(ones(60).fill(0, 48));
  }
});

it('hashes have the numbers that they got first, also when their pages are divided', () => {
  const table = openTable(30, 16);
  const numbers = [...crowds.keys()];
  const some = numbers.slice(0, 200);
  expect(table.number([...crowds.slice(0, 200), ...crowds.slice(0, 50)])).toEqual([...some, ...some.slice(0, 50)]);
  expect(table.number(crowds)).toEqual(numbers);
});

it('a full table numbers no more hashes than have room, and still those that it has', () => {
  const table = openTable(1, 16);
  const numbers = [...spread.keys()].slice(0, 48);
  expect(table.number(spread)).toEqual(numbers);
  expect(table.number([...spread.slice(0, 48), ...spread])).toEqual([...numbers, ...numbers]);
});

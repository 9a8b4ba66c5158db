// The bits that the loops of assembly/remainder.ts choose, beside those of a slow oracle.

import { describe, expect, it } from 'vitest';
import type { GuavaExports } from '../../src/kernel/generated/guava/exports.ts';
import type { SparkExports } from '../../src/kernel/generated/spark/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { randomBytes } from '../shared/awkward.ts';
import { type Build, builds, laidOut, release } from './builds.ts';

type Terms = (first: bigint, second: bigint, hashes: number) => bigint[];

const flipped = (value: bigint): bigint => (value < 0n ? ~value : value);
const indices = (hashes: number): bigint[] => Array.from({ length: hashes }, (_, i) => BigInt(i));
const low = (value: bigint): bigint => BigInt.asIntN(32, value);
const high = (value: bigint): bigint => BigInt.asIntN(32, value >> 32n);

const mitz32: Terms = (first, _, hashes) =>
  indices(hashes).map((i) => flipped(low(low(first) + (i + 1n) * high(first))));

/** The rules, and how a chunk of hashes is added and looked up by them. */
const rules: Readonly<Record<string, { module: 'guava' | 'spark'; narrow: number; terms: Terms }>> = {
  MITZ_64: {
    module: 'guava',
    narrow: 0,
    terms: (first, second, hashes) =>
      indices(hashes).map((i) => BigInt.asUintN(64, first + i * second) & 0x7fff_ffff_ffff_ffffn),
  },
  MITZ_32: { module: 'guava', narrow: 1, terms: mitz32 },
  'version 1': { module: 'spark', narrow: 1, terms: mitz32 },
  'version 2': {
    module: 'spark',
    narrow: 0,
    terms: (first, _, hashes) => indices(hashes).map((i) => flipped(low(first) * 2147483647n + (i + 1n) * high(first))),
  },
};

/** Halves of hashes that are extreme, or near a change of sign. */
const extremes = [
  ...[0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n],
  ...[0x7fff_ffff_ffff_ffffn, 0xffff_ffff_0000_0000n, 0x7fff_ffff_7fff_ffffn],
  ...[0x8000_0000_8000_0000n, 0x8000_0000_0000_0001n, 0x8000_0001_0000_0001n],
];

const COUNT = 300;

/** The first halves of hashes of which only the last term of version 2 has another sign, or is 0. */
function turning(hashes: number): bigint[] {
  return [
    [hashes - 1, -0x7fff_ffff],
    [-hashes, 0x7fff_ffff],
  ].map(([a = 0, b = 0]) => BigInt.asUintN(32, BigInt(a)) | (BigInt.asUintN(32, BigInt(b)) << 32n));
}

/** Some hashes, as pairs of halves: pairs of extremes, then random ones. */
function halves(seed: number, hashes: number): BigUint64Array<ArrayBuffer> {
  const all = new BigUint64Array(2 * COUNT);
  const pairs = extremes.flatMap((first) => extremes.map((second) => [first, second]));
  new Uint8Array(all.buffer).set(randomBytes(16 * COUNT, seed));
  all.set(pairs.slice(0, COUNT / 2).flat());
  all.set(turning(hashes).flatMap((first) => [first, 0n]));
  return all;
}

const PAGE = 65_536;

function check(some: readonly Build[], name: string, bits: number, hashes: number): void {
  const { module, narrow, terms } = rules[name] as (typeof rules)[string];
  const all = halves(bits + hashes, hashes);
  const expected = Array.from({ length: COUNT }, (_, i) =>
    terms(all[2 * i] as bigint, all[2 * i + 1] as bigint, hashes).map((term) => Number(term % BigInt(bits))),
  );
  const half = COUNT / 2;
  const added = new Set(expected.slice(0, half).flat());
  const present = expected.map((each) => Number(each.every((bit) => added.has(bit))));
  const set = new Set(added);
  const isNew = expected.slice(half).map((each) => {
    const isAbsent = each.some((bit) => !set.has(bit));
    for (const bit of each) set.add(bit);
    return Number(isAbsent);
  });

  for (const { name: build, open } of some) {
    const pages = Math.ceil(bits / 8 / PAGE) + 3;
    const { kernel, layout } = laidOut<KernelExports & GuavaExports & SparkExports>(open(pages, pages, { module }));
    const given = layout.take(BigUint64Array, 2 * COUNT);
    given.set(all);
    const flags = layout.take(Uint8Array, COUNT);
    const body = layout.take(Uint32Array, bits / 32);
    const filter = [body.byteOffset, bits, hashes, narrow] as const;
    const from = (i: number): number => given.byteOffset + 16 * i;
    const expectBits = (bits: ReadonlySet<number>): void => {
      const isSet = (bit: number): boolean => (((body[Math.floor(bit / 32)] ?? 0) >>> (bit % 32)) & 1) === 1;
      expect([...bits].every(isSet), build).toBe(true);
      // To count the bits of a huge body would take most of the time.
      if (body.byteLength > 2 ** 25) return;
      expect(kernel.bits_count(body.byteOffset, body.byteLength), build).toBe(bits.size);
    };

    kernel[`${module}_add`](...filter, from(0), half);
    expectBits(added);
    const found = kernel[`${module}_has`](...filter, from(0), COUNT, flags.byteOffset);
    expect([...flags], build).toEqual(present);
    expect(found).toBe(present.reduce((sum, flag) => sum + flag, 0));
    kernel[`${module}_add_flags`](...filter, from(half), half, flags.byteOffset);
    expect([...flags.subarray(0, half)], build).toEqual(isNew);
    expectBits(set);
    // A whole tile of present keys.
    expect(kernel[`${module}_has`](...filter, from(0), COUNT, flags.byteOffset), build).toBe(COUNT);

    // One by one, by another loop.
    for (const bit of set) body[Math.floor(bit / 32)] = 0;
    for (let i = 0; i < COUNT; i++) kernel[`${module}_add`](...filter, from(i), 1);
    expectBits(set);
    for (let i = 0; i < 20; i++) expect(kernel[`${module}_has`](...filter, from(i), 1, flags.byteOffset)).toBe(1);
    expect(layout.intact).toBe(true);
  }
}

const sizes: readonly [bits: number, hashes: number][] = [
  [64, 1],
  [64, 64],
  [128, 3],
  [448, 20],
  [64 * 1023, 7],
  [2 ** 16, 13],
  [2 ** 16 + 64, 2],
  [64 * 99_991, 11],
  [2 ** 25 - 64, 32],
  // As many hashes as the loop for small filters takes, one more, and so many that its estimates would be wrong.
  [2 ** 25, 32],
  [2 ** 25, 33],
  [2 ** 25, 255],
  [2 ** 25 + 64, 5],
  [64 * 600_011, 10],
];

describe.each(Object.keys(rules))('filters whose bits are residues: %s', (name) => {
  // More hashes than most loops take, which Spark may have.
  const all = name.startsWith('version') ? [...sizes, [64 * 1000, 1025] as const] : sizes;

  it.each(all)('choose the bits of the rule: %i bits, %i hashes', (bits, hashes) => check(builds, name, bits, hashes));

  // Where the estimates of quotients are the least exact, where they are no longer used, and where a bit has an index
  // of more than 32 bits.
  it('choose bits near and above 2^31', () => {
    for (const bits of [2 ** 31 - 64, 2 ** 31, 2 ** 31 + 64, 2 ** 32 + 2 ** 30]) check([release], name, bits, 9);
  });
});

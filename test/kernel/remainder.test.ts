// The bits that the loops of assembly/remainder.ts choose, beside those of a slow oracle.

import { describe, expect, it } from 'vitest';
import type { GuavaExports } from '../../src/kernel/generated/guava/exports.ts';
import type { SparkExports } from '../../src/kernel/generated/spark/exports.ts';
import { randomFrom } from '../shared/random.ts';
import { type Build, builds, release } from './builds.ts';
import { Layout } from './layout.ts';

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
  0n,
  1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
  0x7fff_ffff_ffff_ffffn,
  0xffff_ffff_0000_0000n,
  0x7fff_ffff_7fff_ffffn,
  0x8000_0000_8000_0000n,
  0x8000_0000_0000_0001n,
  0x8000_0001_0000_0001n,
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
  const random = randomFrom(seed);
  const all = new BigUint64Array(2 * COUNT);
  const pairs = extremes.flatMap((first) => extremes.map((second) => [first, second]));
  new Uint8Array(all.buffer).forEach((_, i, bytes) => {
    bytes[i] = random(256);
  });
  all.set(pairs.slice(0, COUNT / 2).flat());
  all.set(turning(hashes).flatMap((first) => [first, 0n]));
  return all;
}

const PAGE = 65536;

function check(build: Build, name: string, bits: number, hashes: number): void {
  const { module, narrow, terms } = rules[name] as (typeof rules)[string];
  const pages = Math.ceil(bits / 8 / PAGE) + 3;
  const { kernel, memory } = build.open(pages, pages, { module });
  const functions = kernel as typeof kernel & GuavaExports & SparkExports;
  const layout = new Layout(memory);
  const given = layout.take(BigUint64Array, 2 * COUNT);
  const flags = layout.take(Uint8Array, COUNT);
  const body = layout.take(Uint32Array, bits / 32);
  const [add, addFlags, has] =
    module === 'guava'
      ? [functions.guava_add, functions.guava_add_flags, functions.guava_has]
      : [functions.spark_add, functions.spark_add_flags, functions.spark_has];

  const all = halves(bits + hashes, hashes);
  const expected = Array.from({ length: COUNT }, (_, i) =>
    terms(all[2 * i] as bigint, all[2 * i + 1] as bigint, hashes).map((term) => Number(term % BigInt(bits))),
  );
  const isSet = (bit: number): boolean => (((body[Math.floor(bit / 32)] ?? 0) >>> (bit % 32)) & 1) === 1;

  const half = COUNT / 2;
  given.set(all);
  add(body.byteOffset, bits, hashes, narrow, given.byteOffset, half);
  const set = new Set(expected.slice(0, half).flat());
  expect([...set].every(isSet)).toBe(true);
  expect(kernel.bits_count(body.byteOffset, body.byteLength)).toBe(set.size);

  const found = has(body.byteOffset, bits, hashes, narrow, given.byteOffset, COUNT, flags.byteOffset);
  const present = expected.map((each) => Number(each.every((bit) => set.has(bit))));
  expect([...flags]).toEqual(present);
  expect(found).toBe(present.reduce((sum, flag) => sum + flag, 0));

  const isNew = expected.slice(half).map((each) => {
    const isAbsent = each.some((bit) => !set.has(bit));
    for (const bit of each) set.add(bit);
    return Number(isAbsent);
  });
  addFlags(body.byteOffset, bits, hashes, narrow, given.byteOffset + 16 * half, half, flags.byteOffset);
  expect([...flags.subarray(0, half)]).toEqual(isNew);
  expect(kernel.bits_count(body.byteOffset, body.byteLength)).toBe(set.size);

  // One by one, by another loop.
  for (const bit of set) body[Math.floor(bit / 32)] = 0;
  for (let i = 0; i < COUNT; i++) add(body.byteOffset, bits, hashes, narrow, given.byteOffset + 16 * i, 1);
  expect([...set].every(isSet)).toBe(true);
  expect(kernel.bits_count(body.byteOffset, body.byteLength)).toBe(set.size);
  for (let i = 0; i < 20; i++) {
    expect(has(body.byteOffset, bits, hashes, narrow, given.byteOffset + 16 * i, 1, flags.byteOffset)).toBe(1);
  }
  expect(layout.intact).toBe(true);
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

describe.each(builds)('filters whose bits are residues, in $name', (build) => {
  describe.each(Object.keys(rules))('%s', (name) => {
    it.each(sizes)('chooses the bits of the rule: %i bits, %i hashes', (bits, hashes) => {
      check(build, name, bits, hashes);
    });
  });

  it.each(['version 1', 'version 2'])('takes more hashes than most loops: %s', (name) => {
    check(build, name, 64 * 1000, 1025);
  });
});

// Where the estimates of quotients are the least exact, where they are no longer used, and where a bit has an index of
// more than 32 bits.
it.each(Object.keys(rules))('chooses bits near and above 2^31: %s', (name) => {
  for (const bits of [2 ** 31 - 64, 2 ** 31, 2 ** 31 + 64, 2 ** 32 + 2 ** 30]) check(release, name, bits, 9);
});

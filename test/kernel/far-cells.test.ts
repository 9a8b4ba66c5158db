import { describe, expect, it } from 'vitest';
import type { SpatialExports } from '../../src/kernel/generated/spatial/exports.ts';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { indicesOfHash, MASK, murmur3 } from '../shared/oracle.ts';
import { randomHashes } from '../shared/random.ts';
import { BASE, type Build, builds, Layout, laidOut, type Opened } from './builds.ts';

// Other tests compare small filters with oracles. Cells from 2^32 on have indices of more than 32 bits.

const PAGE = 65_536;
const COUNT = 40;
const HASHES = 5;

type Hash = readonly [bigint, bigint];

interface Filter {
  readonly hashes: readonly Hash[];
  readonly flags: Uint8Array;
  /** The arguments for all hashes. */
  readonly all: readonly [hashes: number, count: number, flags: number];
  readonly kernel: KernelExports & SpatialExports;
  readonly body: Uint8Array;
  cellAt(cell: number): number;
}

/** The byte of a cell of 2^width bits, and the bits before the cell in it. */
const placeOf = (cell: number, width: number) =>
  [Math.floor((cell * 2 ** width) / 8), (cell * 2 ** width) % 8] as const;

/** The value of a cell of 2^width bits. */
function valueAt(body: Uint8Array, cell: number, width: number): number {
  const [at, shift] = placeOf(cell, width);
  return ((body[at] ?? 0) >> shift) & (2 ** (2 ** width) - 1);
}

/** Makes a filter of m cells of 2^width bits, and random hashes. */
function open({ open }: Build, m: number, width: number, module?: string): Filter {
  const bytes = Math.ceil((m * 2 ** width) / 8);
  const pages = Math.ceil((BASE + PAGE + bytes) / PAGE);
  const opened = open(pages, pages, module === undefined ? undefined : { module });
  const { kernel, layout } = laidOut<KernelExports & SpatialExports>(opened);
  const words = layout.take(BigUint64Array, 2 * COUNT);
  const flags = layout.take(Uint8Array, 2 * COUNT);
  const body = layout.take(Uint8Array, bytes);
  const hashes = randomHashes(m, COUNT);
  words.set(hashes.flat());
  // In place of hashes, the module for Go takes the addresses and the lengths of keys.
  const places = layout.take(Uint32Array, 4 * COUNT);
  for (let i = 0; i < COUNT; i++) places.set([words.byteOffset + 16 * i, 16], 4 * i);
  return {
    hashes,
    flags,
    all: [(module === 'go' ? places : words).byteOffset, COUNT, flags.byteOffset],
    kernel,
    body,
    cellAt: (cell) => valueAt(body, cell, width),
  };
}

function cellsOf(hashes: readonly Hash[], m: number): number[] {
  const cells = hashes.flatMap((hash) => indicesOfHash(hash, m, HASHES));
  expect(new Set(cells).size, 'equal cells').toBe(cells.length);
  expect(cells.some((cell) => cell > 2 ** 32)).toBe(true);
  return cells;
}

describe.each(builds)('labels past 2^32 in $name', (build) => {
  it.each([
    [2 ** 32 + 2 ** 30, 0],
    [2 ** 33 - 7, 0],
    [2 ** 32 + 2 ** 30 + 3, 1],
  ])('are raised and found in %i cells, of 2^%i bits', (m, width) => {
    const { hashes, flags, all, kernel, body, cellAt } = open(build, m, width);
    const cells = cellsOf(hashes, m);
    const most = 2 ** (2 ** width) - 1;
    const labels = new Uint16Array(flags.buffer, flags.byteOffset, COUNT);
    const where = [body.byteOffset, m, HASHES, width] as const;
    expect(kernel.spatial_has(...where, ...all)).toBe(0);
    labels.fill(most);
    kernel.spatial_add(...where, ...all);
    expect(labels.every((label) => label === 0)).toBe(true);
    expect(cells.map(cellAt)).toEqual(cells.map(() => most));
    kernel.spatial_labels(...where, ...all);
    expect(labels.every((label) => label === most)).toBe(true);
    expect(kernel.spatial_has(...where, ...all)).toBe(COUNT);
  });
});

const large = builds.filter(({ maxPages }) => maxPages > 2 ** 15);
it.each(large)('counters past 2^32 are incremented, read and decremented in $name', (build) => {
  const m = 2 ** 32 + 2 ** 31;
  const { hashes, flags, all, kernel, body, cellAt } = open(build, m, 2);
  const cells = cellsOf(hashes, m);
  const values = (): number[] => [...new Set(cells.map(cellAt))];
  const where = [body.byteOffset, m, HASHES] as const;
  expect(kernel.counting_add(...where, ...all)).toBe(COUNT);
  expect(kernel.counting_add(...where, ...all)).toBe(0);
  expect(values()).toEqual([2]);
  expect(kernel.counting_has(...where, ...all)).toBe(COUNT);
  expect(kernel.counting_count(...where, all[0])).toBe(2);
  for (const left of [1, 0]) {
    expect(kernel.counting_remove(...where, ...all)).toBe(COUNT);
    expect(values()).toEqual([left]);
  }
  expect(kernel.counting_has(...where, ...all)).toBe(0);
  expect(flags.subarray(0, COUNT).every((flag) => flag === 0)).toBe(true);
});

/** The bits that filters of other systems choose for a hash, which is a key of 16 bytes to that of Go. */
const systems: Readonly<Record<string, (hash: Hash, m: number) => number[]>> = {
  redisbloom: ([a, b], m) => residues(m, ...[0n, 1n, 2n, 3n, 4n].map((i) => a + i * b)),
  go([first, second], m) {
    const key = new Uint8Array(BigUint64Array.of(first, second).buffer);
    const [h1, h2] = murmur3(key, 0);
    const [h3, h4] = murmur3(Uint8Array.of(...key, 1), 0);
    return residues(m, h1, h2 + h4, h1 + 2n * h4, h2 + 3n * h3, h1 + 4n * h3);
  },
};

function residues(m: number, ...terms: bigint[]): number[] {
  return terms.map((term) => Number(BigInt.asUintN(64, term) % BigInt(m)));
}

// Below 2^32 bits, the builds without instructions for 64 bits divide otherwise.
const divided = Object.keys(systems).flatMap((module) => [
  { module, m: 2 ** 32 - 5 },
  { module, m: 2 ** 32 + 2 ** 30 + 7 },
]);

describe.each(builds)('bits past 2^31 in $name', (build) => {
  it.each(divided)('are set and found in a filter of $module: $m bits', ({ module, m }) => {
    const bitsOf = systems[module] as (typeof systems)[string];
    const { hashes, all, kernel, body, cellAt } = open(build, m, 0, module);
    const bits = hashes.flatMap((hash) => bitsOf(hash, m));
    expect(Math.max(...bits)).toBeGreaterThan(m - 2 ** 28);
    const where = [body.byteOffset, m, HASHES] as const;
    expect(kernel.bloom_has(...where, ...all)).toBe(0);
    expect(kernel.bloom_add_flags(...where, ...all)).toBe(COUNT);
    expect(bits.map(cellAt)).toEqual(bits.map(() => 1));
    expect(kernel.bloom_has(...where, ...all)).toBe(COUNT);
    expect(kernel.bloom_add_flags(...where, ...all)).toBe(0);
  });
});

const STEP = 0xd1342543de82ef95n;
const INCREMENT = 0x9e3779b97f4a7c15n;
/** STEP · INVERSE = 1, modulo 2^64. */
const INVERSE = 0x572b5ee77a54e3bdn;

/** A stable filter of m cells of 2^width bits, and the same cells in a map that has only those that were looked at. */
function twins(opened: Opened, m: number, width: number) {
  const { kernel, layout } = laidOut<StableExports>(opened);
  const { stable_add, stable_has, stable_state } = kernel;
  const place = layout.take(BigUint64Array, 2);
  const flags = layout.take(Uint8Array, 1);
  const body = layout.take(Uint8Array, Math.ceil((m * 2 ** width) / 8));
  const cells = new Map<number, number>();
  const most = 2 ** (2 ** width) - 1;

  /** Fills the cells of a run, which begins at `start`, and those around it, adds a key, and compares. */
  return (hash: readonly [bigint, bigint], start: number, run: number): void => {
    const state = ((BigInt(start) << 64n) / BigInt(m) + 1n) & MASK;
    expect(Number((state * BigInt(m)) >> 64n)).toBe(start);
    const before = ((state - INCREMENT) * INVERSE) & MASK;
    expect((before * STEP + INCREMENT) & MASK).toBe(state);
    for (let i = -9; i < run + 9; i++) {
      const cell = (start + i + m) % m;
      const value = i % 3 === 0 ? 0 : most;
      const [at, shift] = placeOf(cell, width);
      body[at] = ((body[at] ?? 0) & ~(most << shift)) | (value << shift);
      cells.set(cell, value);
    }
    const indices = indicesOfHash(hash, m, HASHES);
    const isNew = indices.some((index) => (cells.get(index) ?? 0) === 0);
    for (let i = 0; i < run; i++) {
      const cell = (start + i) % m;
      cells.set(cell, Math.max(0, (cells.get(cell) ?? 0) - 1));
    }
    for (const index of indices) cells.set(index, most);

    place.set(hash);
    const filter = [body.byteOffset, m, width, HASHES] as const;
    const chunk = [place.byteOffset, 1, flags.byteOffset] as const;
    const words = [Number(before & 0xffffffffn), Number(before >> 32n)] as const;
    expect(stable_add(...filter, run, ...words, ...chunk)).toBe(Number(isNew));
    expect([stable_state(0) >>> 0, stable_state(1) >>> 0].map(BigInt)).toEqual([state & 0xffffffffn, state >> 32n]);
    expect(stable_has(...filter, ...chunk)).toBe(1);
    expect([...cells].filter(([cell, value]) => valueAt(body, cell, width) !== value)).toEqual([]);
    expect(layout.intact).toBe(true);
  };
}

describe.each(builds)('the stable filter in $name', ({ open }) => {
  it.each([
    [2 ** 32 - 1, 0],
    [2 ** 32, 0],
    [2 ** 32 + 1, 0],
    [2 ** 33 - 7, 0],
    [2 ** 32 + 35, 1],
    [2 ** 27 + 3, 3],
  ])('of %i cells, of 2^%i bits, changes the right ones', (m, width) => {
    const add = twins(open(Math.ceil((BASE + PAGE + (m * 2 ** width) / 8) / PAGE)), m, width);
    for (const run of [1, 70, 300]) {
      // At the front, in the middle, and at the end, where the run goes on from the first cell, or has that alone.
      const ends = [m - run - 1, m - run, (m - run + 1) % m, m - (run >> 1) - 1, m - 1];
      for (const start of [0, 2 ** 27 - 40, Math.floor(m / 3), ...ends]) {
        for (const hash of randomHashes(start + run, 1)) add(hash, start, run);
      }
    }
  });

  it('computes below the hash of a single key, and the secret, at the end of the work area', () => {
    const { kernel, memory } = open(Math.ceil((BASE + PAGE) / PAGE) + 1);
    const { stable_add, stable_has } = kernel as KernelExports & StableExports;
    const layout = new Layout(memory);
    const count = 512;
    const place = (bytes: number): number => layout.take(Uint8Array, bytes).byteOffset;
    const [hashes, flags, body] = [place(16 * count), place(count), place(1000)];
    const end = new Uint8Array(memory.buffer, 16_320, 64).fill(0xa5);
    for (let k = 1; k <= 300; k++) {
      stable_add(body, 1000, 3, k, 10, 1, 2, hashes, count, flags);
      stable_has(body, 1000, 3, k, hashes, count, flags);
      if (end.some((byte) => byte !== 0xa5)) throw new Error(`${k} hashes`);
    }
  });
});

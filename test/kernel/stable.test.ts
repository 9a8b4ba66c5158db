import { describe, expect, it } from 'vitest';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { indicesOfHash, MASK } from '../shared/oracle.ts';
import { randomHashes } from '../shared/random.ts';
import { BASE, builds, type Opened } from './builds.ts';
import { Layout } from './layout.ts';

// Other tests compare small filters with an oracle. Cells from 2^32 on need another way to compute their places.

const PAGE = 65_536;
const STEP = 0xd1342543de82ef95n;
const INCREMENT = 0x9e3779b97f4a7c15n;
/** STEP · INVERSE = 1, modulo 2^64. */
const INVERSE = 0x572b5ee77a54e3bdn;
const HASHES = 5;

/** A filter of m cells of 2^width bits, and the same cells in a map that has only those that were looked at. */
function twins(opened: Opened, m: number, width: number) {
  const { stable_add, stable_has, stable_state } = opened.kernel as KernelExports & StableExports;
  const layout = new Layout(opened.memory);
  const place = layout.take(BigUint64Array, 2);
  const flags = layout.take(Uint8Array, 1);
  const body = layout.take(Uint8Array, Math.ceil((m * 2 ** width) / 8));
  const cells = new Map<number, number>();
  const most = 2 ** (2 ** width) - 1;
  /** The byte of a cell, and the bits before the cell in it. */
  const placeOf = (cell: number) => [Math.floor((cell * 2 ** width) / 8), (cell * 2 ** width) % 8] as const;
  const cellAt = (cell: number): number => {
    const [at, shift] = placeOf(cell);
    return ((body[at] ?? 0) >> shift) & most;
  };

  /** Fills the cells of a run, which begins at `start`, and those around it, adds a key, and compares. */
  return (hash: readonly [bigint, bigint], start: number, run: number): void => {
    const state = ((BigInt(start) << 64n) / BigInt(m) + 1n) & MASK;
    expect(Number((state * BigInt(m)) >> 64n)).toBe(start);
    const before = ((state - INCREMENT) * INVERSE) & MASK;
    expect((before * STEP + INCREMENT) & MASK).toBe(state);
    for (let i = -9; i < run + 9; i++) {
      const cell = (start + i + m) % m;
      const value = i % 3 === 0 ? 0 : most;
      const [at, shift] = placeOf(cell);
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
    expect([...cells].filter(([cell, value]) => cellAt(cell) !== value)).toEqual([]);
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
    const [hashes, flags, body] = [16 * count, count, 1000].map(
      (bytes) => layout.take(Uint8Array, bytes).byteOffset,
    ) as [number, number, number];
    const end = new Uint8Array(memory.buffer, 16_320, 64).fill(0xa5);
    for (let k = 1; k <= 300; k++) {
      stable_add(body, 1000, 3, k, 10, 1, 2, hashes, count, flags);
      stable_has(body, 1000, 3, k, hashes, count, flags);
      if (end.some((byte) => byte !== 0xa5)) throw new Error(`${k} hashes`);
    }
  });
});

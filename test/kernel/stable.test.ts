import { describe, expect, it } from 'vitest';
import type { StableExports } from '../../src/kernel/generated/stable/exports.ts';
import type { KernelExports } from '../../src/kernel/instance.ts';
import { indicesOfHash } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { BASE, builds, type Opened } from './builds.ts';
import { Layout } from './layout.ts';

// Other tests compare small filters with an oracle. Cells from 2^32 on need another way to compute their places.

const PAGE = 65_536;
/** More than a layout takes besides the body. */
const BESIDES = PAGE;
const MASK = 2n ** 64n - 1n;
const STEP = 0xd1342543de82ef95n;
const INCREMENT = 0x9e3779b97f4a7c15n;
/** STEP · INVERSE = 1, modulo 2^64. */
const INVERSE = 0x572b5ee77a54e3bdn;

/** The size of a filter, by the names in the kernel. */
interface Size {
  readonly m: number;
  readonly width: number;
  readonly k: number;
}

/** A filter in the kernel, and the same cells in a map of its bytes, in which only those that are not 0 are kept. */
class Twin {
  readonly #kernel: KernelExports & StableExports;
  readonly #size: Size;
  readonly #layout: Layout;
  readonly #hashes: BigUint64Array;
  readonly #flags: Uint8Array;
  readonly #body: Uint8Array;
  readonly #bytes = new Map<number, number>();

  constructor({ kernel, memory }: Opened, size: Size) {
    this.#kernel = kernel as KernelExports & StableExports;
    this.#size = size;
    this.#layout = new Layout(memory);
    this.#hashes = this.#layout.take(BigUint64Array, 2);
    this.#flags = this.#layout.take(Uint8Array, 1);
    this.#body = this.#layout.take(Uint8Array, Math.ceil((size.m * 2 ** size.width) / 8));
  }

  /** The byte of a cell, and the bits before the cell in it. */
  #placeOf(cell: number): [at: number, shift: number] {
    const bit = cell * 2 ** this.#size.width;
    return [Math.floor(bit / 8), bit % 8];
  }

  get #most(): number {
    return 2 ** (2 ** this.#size.width) - 1;
  }

  #valueOf(cell: number): number {
    const [at, shift] = this.#placeOf(cell);
    return ((this.#bytes.get(at) ?? 0) >> shift) & this.#most;
  }

  #set(cell: number, value: number): void {
    const [at, shift] = this.#placeOf(cell);
    this.#bytes.set(at, ((this.#bytes.get(at) ?? 0) & ~(this.#most << shift)) | (value << shift));
  }

  /** Fills the cells of a run, which begins at `start`, and those around it, adds a key, and compares. */
  add(hash: [bigint, bigint], start: number, run: number): void {
    const { m, width, k } = this.#size;
    const state = ((BigInt(start) << 64n) / BigInt(m) + 1n) & MASK;
    expect(Number((state * BigInt(m)) >> 64n)).toBe(start);
    const before = ((state - INCREMENT) * INVERSE) & MASK;
    expect((before * STEP + INCREMENT) & MASK).toBe(state);
    for (let i = -9; i < run + 9; i++) {
      const cell = (start + i + m) % m;
      this.#set(cell, i % 3 === 0 ? 0 : this.#most);
    }
    for (const [at, byte] of this.#bytes) this.#body[at] = byte;

    const indices = indicesOfHash(hash, m, k);
    const fresh = indices.every((index) => this.#valueOf(index)) ? 0 : 1;
    for (let i = 0; i < run; i++) {
      const cell = (start + i) % m;
      this.#set(cell, Math.max(0, this.#valueOf(cell) - 1));
    }
    for (const index of indices) this.#set(index, this.#most);

    this.#hashes.set(hash);
    const [low, high] = [Number(before & 0xffffffffn), Number(before >> 32n)];
    const { stable_add, stable_has, stable_state } = this.#kernel;
    const [body, hashes, flags] = [this.#body, this.#hashes, this.#flags].map(({ byteOffset }) => byteOffset) as [
      number,
      number,
      number,
    ];
    expect(stable_add(body, m, width, k, run, low, high, hashes, 1, flags)).toBe(fresh);
    expect([stable_state(0) >>> 0, stable_state(1) >>> 0].map(BigInt)).toEqual([state & 0xffffffffn, state >> 32n]);
    expect(stable_has(body, m, width, k, hashes, 1, flags)).toBe(1);
    expect(new Map([...this.#bytes.keys()].map((at) => [at, this.#body[at]]))).toEqual(this.#bytes);
    expect(this.#layout.intact).toBe(true);
  }
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
    const random = randomFrom(m);
    const next = (): bigint => (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32));
    const opened = open(Math.ceil((BASE + BESIDES + (m * 2 ** width) / 8) / PAGE));
    const twin = new Twin(opened, { m, width, k: 5 });
    for (const run of [1, 70, 300]) {
      // At the front, in the middle, and at the end, where the run goes on from the first cell.
      for (const start of [0, 2 ** 27 - 40, Math.floor(m / 3), m - run - 1, m - run, m - (run >> 1) - 1, m - 1]) {
        twin.add([next(), next()], start, run);
      }
    }
  });

  it('computes below the hash of a single key, and the secret, at the end of the work area', () => {
    const { kernel, memory } = open(Math.ceil((BASE + BESIDES) / PAGE) + 1);
    const { stable_add, stable_has } = kernel as KernelExports & StableExports;
    const layout = new Layout(memory);
    const count = 512;
    const [body, hashes, flags] = [1000, 16 * count, count].map(
      (bytes) => layout.take(Uint8Array, bytes).byteOffset,
    ) as [number, number, number];
    const end = new Uint8Array(memory.buffer, 16_320, 64).fill(0xa5);
    for (let k = 1; k <= 300; k++) {
      stable_add(body, 1000, 3, k, 10, 1, 2, hashes, count, flags);
      stable_has(body, 1000, 3, k, hashes, count, flags);
      expect(
        end.every((byte) => byte === 0xa5),
        `${k} hashes`,
      ).toBe(true);
    }
  });
});

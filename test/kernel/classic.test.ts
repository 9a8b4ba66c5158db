import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indicesOfHash } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { BASE, builds, type Opened } from './builds.ts';
import { Layout } from './layout.ts';

type Hash = readonly [h1: bigint, h2: bigint];

const PAGE = 65536;
/** The bytes for the hashes, the flags and the guards. */
const BESIDES = 2 ** 15;
const MAX_HASHES = 1024;
const NO_FLAG = 0x77;
const MAX = 2n ** 64n - 1n;
const OFFSET = 0x9e3779b97f4a7c15n;

/** A classic filter by its definition: a set of indices. */
class Oracle {
  readonly indices = new Set<number>();
  readonly #m: number;

  constructor(m: number) {
    this.#m = m;
  }

  add(hash: Hash, k: number): boolean {
    const absent = !this.has(hash, k);
    for (const index of indicesOfHash(hash, this.#m, k)) this.indices.add(index);
    return absent;
  }

  has(hash: Hash, k: number): boolean {
    return indicesOfHash(hash, this.#m, k).every((index) => this.indices.has(index));
  }

  /** The bytes that are not zero, by their offsets. */
  bytes(): Map<number, number> {
    const bytes = new Map<number, number>();
    for (const index of this.indices) {
      const at = Math.floor(index / 8);
      bytes.set(at, (bytes.get(at) ?? 0) | (1 << (index % 8)));
    }
    return bytes;
  }
}

/** A filter in the kernel and its oracle: both take every step, and must have the same outcome. */
class Twin {
  readonly #kernel: Opened['kernel'];
  readonly #layout: Layout;
  readonly #m: number;
  readonly #hashes: BigUint64Array;
  readonly #flags: Uint8Array;
  readonly #body: Uint8Array;
  readonly #oracle: Oracle;

  constructor({ kernel, memory }: Opened, m: number) {
    this.#kernel = kernel;
    this.#layout = new Layout(memory);
    this.#m = m;
    this.#hashes = this.#layout.take(BigUint64Array, 2 * MAX_HASHES);
    this.#flags = this.#layout.take(Uint8Array, MAX_HASHES);
    this.#body = this.#layout.take(Uint8Array, Math.ceil(m / 8));
    this.#oracle = new Oracle(m);
  }

  add(hashes: readonly Hash[], k: number): void {
    this.#hashes.set(hashes.flat());
    for (const hash of hashes) this.#oracle.add(hash, k);
    this.#kernel.bloom_add(this.#body.byteOffset, this.#m, k, this.#hashes.byteOffset, hashes.length);
    this.#expectSame();
  }

  addFlags(hashes: readonly Hash[], k: number): void {
    const expected = hashes.map((hash) => this.#oracle.add(hash, k));
    expect(this.#flagged('bloom_add_flags', hashes, k)).toEqual(expected);
    this.#expectSame();
  }

  has(hashes: readonly Hash[], k: number): void {
    expect(this.#flagged('bloom_has', hashes, k)).toEqual(hashes.map((hash) => this.#oracle.has(hash, k)));
    this.#expectSame();
  }

  #flagged(name: 'bloom_add_flags' | 'bloom_has', hashes: readonly Hash[], k: number): boolean[] {
    const count = hashes.length;
    this.#hashes.set(hashes.flat());
    this.#flags.fill(NO_FLAG);
    const at = [this.#hashes.byteOffset, count, this.#flags.byteOffset] as const;
    const returned = this.#kernel[name](this.#body.byteOffset, this.#m, k, ...at);
    const flags = [...this.#flags.subarray(0, count)];
    expect(flags.every((flag) => flag < 2)).toBe(true);
    expect(returned).toBe(flags.filter((flag) => flag === 1).length);
    expect(this.#flags.subarray(count).every((flag) => flag === NO_FLAG)).toBe(true);
    return flags.map((flag) => flag === 1);
  }

  #expectSame(): void {
    const expected = this.#oracle.bytes();
    if (this.#body.length <= 2 ** 18) {
      const bytes = new Uint8Array(this.#body.length);
      for (const [at, byte] of expected) bytes[at] = byte;
      expect(Buffer.compare(this.#body, bytes)).toBe(0);
    } else {
      // In a huge body, compare only the bytes that the oracle sets: comparing zeros would take most of the time.
      expect(new Map([...expected.keys()].map((at) => [at, this.#body[at]]))).toEqual(expected);
    }
    expect(this.#layout.intact).toBe(true);
  }
}

const extremes: readonly Hash[] = [
  [0n, 0n],
  [MAX, MAX],
  [MAX, 0n],
  [0n, MAX],
  [2n ** 63n, 2n ** 63n],
  [2n ** 32n - 1n, 2n ** 32n],
  // d is 0 here, so that s is only multiplied.
  [0n, OFFSET],
  [MAX, OFFSET],
];

function someHashes(seed: number, count: number): Hash[] {
  const random = randomFrom(seed);
  const next = (): bigint => (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32));
  return Array.from({ length: count }, () => [next(), next()]);
}

function pagesFor(m: number): number {
  return Math.ceil((BASE + BESIDES + m / 8) / PAGE);
}

const anyHash = fc.oneof(
  fc.tuple(fc.bigInt({ min: 0n, max: MAX }), fc.bigInt({ min: 0n, max: MAX })),
  fc.constantFrom(...extremes),
);

describe.each(builds)('the classic filter in $name', ({ open, maxPages }) => {
  describe.each([1, 2, 7, 8, 9, 63, 64, 65, 1000, 2 ** 20, 2 ** 20 + 3])('%i bits', (m) => {
    const opened = open(pagesFor(m));

    it.each([1, 2, 7, 30, 255])('sets and finds the bits of %i hashes', (k) => {
      new Uint8Array(opened.memory.buffer).fill(0);
      const twin = new Twin(opened, m);
      twin.has(extremes, k);
      // Single keys first: in a filter of few bits, many keys would hide errors.
      for (const hash of someHashes(k, 3)) twin.add([hash], k);
      twin.add(extremes, k);
      twin.has(someHashes(m + k, 40), k);
      twin.addFlags(someHashes(m, 20), k);
      twin.has([...someHashes(m, 30), ...extremes], k);
    });
  });

  // Indices above 2^32 take more than a word. The largest bodies fill all the memory that the engine may have.
  const most = 8 * (maxPages * PAGE - BASE - BESIDES);
  it.each([2 ** 25, 2 ** 25 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 5_000_000_000, most])('fills %i bits', (m) => {
    const twin = new Twin(open(pagesFor(m)), m);
    for (const k of [1, 7, 255]) {
      twin.has(extremes, k);
      twin.addFlags(extremes, k);
      twin.add(someHashes(k, 20), k);
      twin.has([...extremes, ...someHashes(k, 30)], k);
    }
  });

  // Looks up more keys than the kernel does at a time. First most of them are present, then few.
  it.each([2 ** 18, 2 ** 25 + 1])('takes many keys at once: %i bits', (m) => {
    const twin = new Twin(open(pagesFor(m)), m);
    const [present, absent] = [someHashes(m, 500), someHashes(m + 1, 500)];
    for (const k of [1, 2, 3, 9]) {
      twin.addFlags(present, k);
      twin.has([...present, ...absent], k);
      twin.has([...absent, ...present], k);
    }
  });

  const { kernel, memory } = open(pagesFor(2 ** 18));

  it('computes the first index correctly for any number of bits up to 2^53', () => {
    const reach = 2n ** 18n;
    const layout = new Layout(memory);
    const hashes = layout.take(BigUint64Array, 2);
    const body = layout.take(Uint8Array, Number(reach / 8n));
    const wholes = fc.oneof(fc.integer({ min: 1, max: 2 ** 53 - 1 }), fc.integer({ min: 1, max: 2 ** 33 }));
    const property = fc.property(wholes, fc.bigInt({ min: 0n, max: MAX }), (m, fraction) => {
      // Only the front of so large a filter exists, so s is kept small enough to fall into it.
      const s = m <= reach ? fraction : ((fraction * reach) / BigInt(m)) & MAX;
      hashes.set([s, 0n]);
      kernel.bloom_add(body.byteOffset, m, 1, hashes.byteOffset, 1);
      const index = Number((s * BigInt(m)) >> 64n);
      expect(body[index >> 3]).toBe(1 << (index & 7));
      body[index >> 3] = 0;
    });
    fc.assert(property, { numRuns: 2000 });
    expect(body.every((byte) => byte === 0)).toBe(true);
    expect(layout.intact).toBe(true);
  });

  it('flags duplicates in a chunk as if added one by one', () => {
    const chunk = fc.array(anyHash, { minLength: 1, maxLength: 5 }).chain((hashes) =>
      fc.record({
        keys: fc.array(fc.constantFrom(...hashes), { maxLength: 20 }),
        m: fc.integer({ min: 1, max: 5000 }),
        k: fc.integer({ min: 1, max: 20 }),
      }),
    );
    const property = fc.property(chunk, ({ keys, m, k }) => {
      new Uint8Array(memory.buffer).fill(0);
      const twin = new Twin({ kernel, memory }, m);
      twin.addFlags(keys, k);
      twin.addFlags(keys, k);
      twin.has(keys, k);
    });
    fc.assert(property);
  });

  it('does nothing for no hashes', () => {
    new Uint8Array(memory.buffer).fill(0);
    const twin = new Twin({ kernel, memory }, 1000);
    twin.add([], 7);
    twin.addFlags([], 7);
    twin.has([], 7);
  });
});

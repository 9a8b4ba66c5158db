import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indicesOfHash } from '../shared/oracle.ts';
import { randomHashes } from '../shared/random.ts';
import { BASE, builds, laidOut, type Opened } from './builds.ts';

type Hash = readonly [h1: bigint, h2: bigint];

const PAGE = 65_536;
/** The bytes for the hashes, the flags and the guards. */
const BESIDES = 2 ** 15;
const MAX_HASHES = 1024;
const NO_FLAG = 0x77;
const MAX = 2n ** 64n - 1n;
const OFFSET = 0x9e3779b97f4a7c15n;

/** A filter in the kernel, and a set of indices: both take every step, and must have the same outcome. */
function twins(opened: Opened, m: number) {
  const { kernel, layout } = laidOut(opened);
  const place = layout.take(BigUint64Array, 2 * MAX_HASHES);
  const flags = layout.take(Uint8Array, MAX_HASHES);
  const body = layout.take(Uint8Array, Math.ceil(m / 8));
  const set = new Set<number>();
  const isIn = (hash: Hash, k: number): boolean => indicesOfHash(hash, m, k).every((index) => set.has(index));

  function addOne(hash: Hash, k: number): number {
    const isNew = !isIn(hash, k);
    for (const index of indicesOfHash(hash, m, k)) set.add(index);
    return Number(isNew);
  }

  function expectSame(): void {
    const expected = new Map<number, number>();
    for (const index of set) {
      const at = Math.floor(index / 8);
      expected.set(at, (expected.get(at) ?? 0) | (1 << (index % 8)));
    }
    if (body.length <= 2 ** 18) {
      const bytes = new Uint8Array(body.length);
      for (const [at, byte] of expected) bytes[at] = byte;
      expect(Buffer.compare(body, bytes)).toBe(0);
    } else {
      // In a huge body, compare only the bytes that the oracle sets: comparing zeros would take most of the time.
      expect(new Map([...expected.keys()].map((at) => [at, body[at]]))).toEqual(expected);
    }
    expect(layout.intact).toBe(true);
  }

  function flagged(name: 'bloom_add_flags' | 'bloom_has', hashes: readonly Hash[], k: number, wanted: number[]): void {
    place.set(hashes.flat());
    flags.fill(NO_FLAG);
    const count = kernel[name](body.byteOffset, m, k, place.byteOffset, hashes.length, flags.byteOffset);
    expect([...flags.subarray(0, hashes.length)]).toEqual(wanted);
    expect(count).toBe(wanted.filter(Boolean).length);
    expect(flags.subarray(hashes.length).every((flag) => flag === NO_FLAG)).toBe(true);
    expectSame();
  }

  return {
    add(hashes: readonly Hash[], k: number): void {
      place.set(hashes.flat());
      for (const hash of hashes) addOne(hash, k);
      kernel.bloom_add(body.byteOffset, m, k, place.byteOffset, hashes.length);
      expectSame();
    },
    addFlags(hashes: readonly Hash[], k: number): void {
      const wanted = hashes.map((hash) => addOne(hash, k));
      flagged('bloom_add_flags', hashes, k, wanted);
    },
    has(hashes: readonly Hash[], k: number): void {
      const wanted = hashes.map((hash) => Number(isIn(hash, k)));
      flagged('bloom_has', hashes, k, wanted);
    },
  };
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

const pagesFor = (m: number): number => Math.ceil((BASE + BESIDES + m / 8) / PAGE);

describe.each(builds)('the classic filter in $name', ({ open, maxPages }) => {
  // Indices above 2^32 take more than a word. The largest bodies fill all the memory that the engine may have.
  const most = 8 * (maxPages * PAGE - BASE - BESIDES);
  const large = [2 ** 25, 2 ** 25 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 5_000_000_000, most];
  it.each([1, 2, 7, 8, 9, 63, 64, 65, 1000, 2 ** 20, 2 ** 20 + 3, ...large])('sets and finds bits of %i', (m) => {
    const opened = open(pagesFor(m));
    for (const k of m < 2 ** 25 ? [1, 2, 7, 30, 255] : [255]) {
      if (m < 2 ** 25) new Uint8Array(opened.memory.buffer).fill(0);
      const { add, addFlags, has } = twins(opened, m);
      has(extremes, k);
      // Single keys first: in a filter of few bits, many keys would hide errors.
      for (const hash of randomHashes(k, 3)) add([hash], k);
      add(extremes, k);
      has(randomHashes(m + k, 40), k);
      addFlags(randomHashes(m, 20), k);
      has([...randomHashes(m, 30), ...extremes], k);
      for (const step of [add, addFlags, has]) step([], k);
    }
  });

  // Looks up more keys than the kernel does at a time. First most of them are present, then few.
  it.each([2 ** 18, 2 ** 25 + 1])('takes many keys at once: %i bits', (m) => {
    const { addFlags, has } = twins(open(pagesFor(m)), m);
    const [present, absent] = [randomHashes(m, 500), randomHashes(m + 1, 500)];
    for (const k of [1, 2, 3, 9]) {
      addFlags(present, k);
      has([...present, ...absent], k);
      has([...absent, ...present], k);
    }
  });

  it('computes the first index correctly for any number of bits up to 2^53', () => {
    const { kernel, layout } = laidOut(open(pagesFor(2 ** 18)));
    const reach = 2n ** 18n;
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
});

// Fingerprint sets that are not loaded: their files are in order, and are searched.

import { describe, expect, it } from 'vitest';
import { FingerprintSet } from '../../src/entries/fingerprint-set.ts';
import { HashedKeys } from '../../src/entries/hash.ts';
import { type OpenedFilter, openFilter, type RangeSource } from '../../src/entries/open.ts';
import { SavedFilterError } from '../../src/index.ts';
import { integersFrom } from '../shared/integers.ts';
import { randomHashes } from '../shared/random.ts';
import { type Counting, countingSource } from './filters.ts';

const HEADER = 64;
const BYTES = 12;
/** The fingerprints in 4 KiB, which a read gets at least. */
const FEW = 341;
const LARGEST = 2n ** 96n - 1n;

/** Hashes with these fingerprints, as numbers of 96 bits. */
function hashesOf(fingerprints: readonly bigint[]): HashedKeys {
  const halves = BigUint64Array.from(fingerprints.flatMap((each) => [each >> 32n, each & 0xffffffffn]));
  return new HashedKeys(new Uint8Array(halves.buffer));
}

/** Fingerprints as files have them. */
function bytesOf(fingerprints: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(BYTES * fingerprints.length);
  const view = new DataView(bytes.buffer);
  for (const [i, fingerprint] of fingerprints.entries()) {
    view.setBigUint64(BYTES * i, fingerprint >> 32n, true);
    view.setUint32(BYTES * i + 8, Number(fingerprint & 0xffffffffn), true);
  }
  return bytes;
}

/** The file of a set of fingerprints, or one that has them in another order. */
function fileOf(fingerprints: readonly bigint[], cells: readonly bigint[] = []): Uint8Array {
  const file = FingerprintSet.from(hashesOf(fingerprints)).toBytes();
  file.set(bytesOf(cells), HEADER);
  return file;
}

function fingerprintsIn(file: Uint8Array): bigint[] {
  const view = new DataView(file.buffer, file.byteOffset + HEADER);
  const at = (offset: number): bigint =>
    (view.getBigUint64(offset, true) << 32n) | BigInt(view.getUint32(offset + 8, true));
  return Array.from({ length: view.byteLength / BYTES }, (_, i) => at(BYTES * i));
}

async function open(file: Uint8Array, gap?: number): Promise<{ filter: OpenedFilter; source: Counting }> {
  const source = countingSource(file, gap === undefined ? {} : { gap });
  const filter = await openFilter([FingerprintSet], source);
  source.reads.length = 0;
  return { filter, source };
}

/** Looks keys up one after the other, expects these flags, and returns how many reads each took. */
async function readsFor(
  { filter, source }: { filter: OpenedFilter; source: Counting },
  fingerprints: readonly bigint[],
  isPresent: (fingerprint: bigint) => boolean,
): Promise<number[]> {
  const counts: number[] = [];
  const wrong: bigint[] = [];
  for (const each of fingerprints) {
    source.reads.length = 0;
    const [flag] = await filter.hasMany(hashesOf([each]));
    if (flag !== Number(isPresent(each))) wrong.push(each);
    counts.push(source.reads.length);
  }
  expect(wrong).toEqual([]);
  return counts;
}

const share = (counts: readonly number[], most: number): number =>
  counts.filter((count) => count <= most).length / counts.length;

describe('a fingerprint set that is not loaded', () => {
  it.each([0, 1, 2, 100, 100_000, 1_000_000])('of %i keys is read once to three times for a key', async (count) => {
    const keys = integersFrom(0, count);
    const file = FingerprintSet.from(keys).toBytes();
    const all = fingerprintsIn(file);
    const step = Math.ceil(count / 3000);
    const present = all.filter((_, i) => i % step === 0);
    const absent = randomHashes(count, 3000).map(([h1, h2]) => (h1 << 32n) | (h2 >> 32n));
    const last = all.at(-1) ?? 5n;
    const ends = [all[0] ?? 0n, (all[0] ?? 1n) - 1n, 0n, 1n, last, last + 1n, LARGEST].filter((each) => each >= 0n);
    const asked = [...present, ...absent, ...ends];
    const known = new Set(all);
    const isPresent = (each: bigint): boolean => known.has(each);

    const opened = await open(file);
    const counts = await readsFor(opened, asked, isPresent);
    // The number of keys before one is known up to √n / 2; after a read, up to the root of the distance to it.
    const deviation = Math.sqrt(count) / 2;
    const isOne = 6 * deviation < FEW;
    expect(Math.max(...counts)).toBeLessThanOrEqual(count === 0 ? 0 : isOne ? 2 : 3);
    if (count > 0) expect(share(counts, isOne ? 1 : 2)).toBeGreaterThan(0.98);
    expect(opened.filter.parameters).toMatchObject({
      reads: count === 0 ? 0 : 2 * deviation < FEW ? 1 : 2,
      cellCount: count,
    });

    // Where other reads are dear, one gets all the cells where a key may be.
    const far = await open(file, 2 ** 17);
    const farCounts = await readsFor(far, asked, isPresent);
    expect(share(farCounts, 1)).toBeGreaterThan(0.98);
    expect(Math.max(...farCounts)).toBeLessThanOrEqual(2);
    for (const [, length] of far.source.reads) expect(length).toBeLessThanOrEqual(2 ** 17);

    expect(await opened.filter.hasMany(keys.subarray(0, 5000))).toEqual(new Uint8Array(Math.min(count, 5000)).fill(1));
    opened.source.reads.length = 0;
    const flags = await opened.filter.hasMany(hashesOf(asked));
    expect([...flags]).toEqual(asked.map((each) => Number(isPresent(each))));
    // The reads of many keys are joined.
    expect(opened.source.reads.length).toBeLessThan(asked.length / 5);
    await opened.filter.verify();
  });

  it('is not read again while the cache has its pages', async () => {
    const file = FingerprintSet.from(integersFrom(0, 300_000)).toBytes();
    const source = countingSource(file);
    const filter = await openFilter([FingerprintSet], source, { cacheBytes: 2 ** 20 });
    expect(await filter.has(77)).toBe(true);
    const { length } = source.reads;
    expect(length).toBeGreaterThan(1);
    expect(await filter.hasMany([77, 77])).toEqual(Uint8Array.of(1, 1));
    expect(source.reads).toHaveLength(length);
  });

  it('is read no more after it is closed, or after a signal, between two reads for a key', async () => {
    const file = FingerprintSet.from(integersFrom(0, 1_000_000)).toBytes();
    const reason = new Error('enough');
    for (const isClosed of [false, true]) {
      const controller = new AbortController();
      const counting = countingSource(file);
      const source: RangeSource = {
        ...counting,
        async read(...range) {
          const bytes = await counting.read(...range);
          if (range[0] > 0) await (isClosed ? filter.close() : controller.abort(reason));
          return bytes;
        },
      };
      const filter: OpenedFilter = await openFilter([FingerprintSet], source);
      counting.reads.length = 0;
      const error = isClosed ? new TypeError('the filter was used after close()') : reason;
      await expect(filter.hasMany(integersFrom(0, 3), { signal: controller.signal })).rejects.toEqual(error);
      await new Promise((done) => setImmediate(done));
      expect(counting.reads.length).toBeLessThanOrEqual(3);
    }
  });
});

describe('the largest fingerprint set', () => {
  const COUNT = 2 ** 32;
  const head = new FingerprintSet().toBytes();
  const view = new DataView(head.buffer, head.byteOffset);
  view.setBigUint64(16, BigInt(COUNT), true);
  view.setBigUint64(48, BigInt(BYTES * COUNT), true);

  it.each<[string, (i: bigint) => bigint, number]>([
    ['evenly', (i) => (i << 64n) + 1n, 1],
    ['less and less densely', (i) => ((i * i) << 32n) + 1n, 4 + 1 + Math.ceil(Math.log2(COUNT / FEW))],
  ])('is answered in few reads, of a MiB at most, if its fingerprints are spread %s', async (_, at, most) => {
    const lengths: number[] = [];
    const source: RangeSource = {
      size: HEADER + BYTES * COUNT,
      gap: 2 ** 40,
      async read(offset, length) {
        if (offset === 0) return Buffer.concat([head, new Uint8Array(length - head.length)]);
        lengths.push(length);
        const first = (offset - HEADER) / BYTES;
        return bytesOf(Array.from({ length: length / BYTES }, (_, i) => at(BigInt(first + i))));
      },
    };
    const filter = await openFilter([FingerprintSet], source);
    for (const cell of [0, 1, 77_777, 2 ** 31, COUNT - 2, COUNT - 1]) {
      const fingerprint = at(BigInt(cell));
      expect(await filter.hasMany(hashesOf([fingerprint]))).toEqual(Uint8Array.of(1));
      expect(lengths.splice(0).length).toBeLessThanOrEqual(most);
      expect(await filter.hasMany(hashesOf([fingerprint + 1n]))).toEqual(Uint8Array.of(0));
      expect(Math.max(...lengths)).toBeLessThanOrEqual(2 ** 20);
      expect(lengths.splice(0).length).toBeLessThanOrEqual(most);
    }
  });
});

describe('a fingerprint set whose fingerprints were chosen', () => {
  const COUNT = 20_000;
  const from = (make: (i: bigint) => bigint): bigint[] => Array.from({ length: COUNT }, (_, i) => make(BigInt(i)));
  const root = (i: bigint): bigint => BigInt(Math.floor(2 ** ((96 * Number(i + 1n)) / (COUNT + 1)))) + i;
  const sets: [string, bigint[]][] = [
    ['in a corner', from((i) => i + 1n)],
    ['in the other corner', from((i) => LARGEST - i)],
    ['with one h1', from((i) => (7n << 64n) + 3n * i)],
    ['with one beginning, and one that has another', [...from((i) => (7n << 64n) + i ** 3n), LARGEST]],
    ['with distances that double', from(root)],
    ['in two heaps', from((i) => (i % 2n === 0n ? i + 1n : LARGEST - i))],
  ];

  it.each(sets)('is answered with few reads all the same: %s', async (_, chosen) => {
    const known = new Set(chosen);
    const file = fileOf(chosen);
    const present = fingerprintsIn(file).filter((_, i) => i % 61 === 0);
    const near = present.flatMap((each) => [each - 1n, each + 1n]).filter((each) => each > 0n && each <= LARGEST);
    const opened = await open(file, 0);
    const asked = [...present, ...near, 1n, LARGEST];
    const counts = await readsFor(opened, asked, (each) => known.has(each));
    // A fingerprint of zeros counts as 1.
    expect(await opened.filter.hasMany(hashesOf([0n]))).toEqual(Uint8Array.of(Number(known.has(1n))));
    // Four steps, and then halves, down to what one read gets.
    expect(Math.max(...counts)).toBeLessThanOrEqual(5 + Math.ceil(Math.log2(COUNT / FEW)));
    expect([...(await opened.filter.hasMany(hashesOf(asked)))]).toEqual(asked.map((each) => Number(known.has(each))));
  });
});

describe('a file whose fingerprints do not ascend', () => {
  const all = fingerprintsIn(FingerprintSet.from(integersFrom(0, 20_000)).toBytes());
  const middle = all[10_000] as bigint;
  const files: [string, bigint[], number][] = [
    ['they descend', all.toReversed(), 500],
    ['they are all the same', all.map(() => middle), 500],
    ['they are zeros', all.map(() => 0n), 600],
    ['they are the largest', all.map(() => LARGEST), 500],
    ['they are in any order', randomHashes(9, 20_000).map(([h1, h2]) => (h1 << 32n) | (h2 >> 32n)), 500],
    // For each key, all that is read of them ascends.
    ['halves are exchanged', [...all.slice(10_000), ...all.slice(0, 10_000)], 0],
  ];

  it.each(files)('is refused where that is seen, after few reads: %s', async (_, cells, least) => {
    const { filter, source } = await open(fileOf(all, cells), 0);
    let refused = 0;
    for (const key of [...integersFrom(0, 300), ...integersFrom(1e6, 300)]) {
      source.reads.length = 0;
      const error = await filter.has(key).catch((each: unknown) => each);
      if (typeof error !== 'boolean') {
        expect(error).toBeInstanceOf(SavedFilterError);
        expect((error as Error).message).toMatch(/: its fingerprint \d+ is not between those before and after it$/);
        refused++;
      }
      expect(source.reads.length).toBeLessThan(12);
    }
    expect(refused).toBeGreaterThanOrEqual(least);
    const many = filter.hasMany(integersFrom(0, 500));
    if (least > 0) await expect(many).rejects.toThrow(SavedFilterError);
    else expect(await many).toContain(0);
    await expect(filter.verify()).rejects.toThrow(/its checksum is wrong$/);
  });
});

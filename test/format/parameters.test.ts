// Parts of the format for kinds that need more than the header: their own parameters after it, cells of any width in a
// range, and bodies of several segments. The kind in these tests is made up.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FileKind,
  HEADER_BYTES,
  type Head,
  type Reader,
  requireSaved,
  requireZeros,
  type Saved,
} from '../../src/format/header.ts';
import { readBytes, readChunks } from '../../src/format/load.ts';
import { toBytes, toChunks } from '../../src/format/save.ts';
import type { Engine, Region } from '../../src/kernel/region.ts';
import { randomBytes } from '../shared/awkward.ts';
import { entries } from '../shared/kinds.ts';
import { watched } from '../shared/open.ts';
import { concat } from '../shared/stream-tools.ts';
import {
  asynchronous,
  checksumOf,
  cutOrLonger,
  expectAllRefuse,
  flippedOnce,
  forge,
  MIB,
  REFUSED,
  splitAt,
  viewOf,
} from './saved.ts';

/** A number for the filter, and a length and a number for each segment. */
interface Own {
  readonly mark: number;
  readonly segments: readonly { readonly length: number; readonly mark: number }[];
}

const MAX_SEGMENTS = 5;

const KIND: FileKind<Own> = {
  id: 200,
  name: 'wide',
  cellName: 'slots',
  cellBits: [3, 17],
  own: {
    maxSegments: MAX_SEGMENTS,
    byteLength: (segments) => 4 + 12 * segments,
    write(view, { mark, segments }) {
      view.setUint32(0, mark, true);
      for (const [i, segment] of segments.entries()) {
        view.setBigUint64(4 + 12 * i, BigInt(segment.length), true);
        view.setUint32(12 + 12 * i, segment.mark, true);
      }
    },
    read(view, _head, count) {
      requireZeros(view, 4 + 12 * count);
      const segments = Array.from({ length: count }, (_, i) => ({
        length: Number(view.getBigUint64(4 + 12 * i, true)),
        mark: view.getUint32(12 + 12 * i, true),
      }));
      requireSaved(
        segments.every(({ length }) => length >= 1 && length <= 2 ** 40),
        'its segments are of a wrong length',
      );
      return { mark: view.getUint32(0, true), segments };
    },
    segmentLengths: ({ own }: Head<Own>) => own.segments.map(({ length }) => length),
  },
};

/** The specified offset of a body of `segments` segments. */
const offsetOf = (segments: number): number => 64 + 64 * Math.ceil((4 + 12 * segments) / 64);

function made(engine: Engine, lengths: readonly number[], cellBits = 8): Saved<Own> {
  const segments = lengths.map((length, i) => {
    const region = engine.reserve(length);
    region.bytes.set(randomBytes(length, i + 1));
    return region;
  }) as [Region, ...Region[]];
  return {
    // The cells fill whole bytes, so no bits follow the last cell.
    parameters: { cellCount: 8 * lengths.length, hashes: 2, seed: 7, capacity: 0, errorRate: 0 },
    cellBits,
    own: { mark: 2 ** 32 - 1, segments: lengths.map((length, i) => ({ length, mark: i })) },
    segments,
  };
}

function readerOf(engine: Engine): Reader<Saved> {
  return { kind: KIND as FileKind, engine, make: (saved) => saved };
}

/** A filter without its memory, for comparisons: no two filters have the same memory. */
function contentOf({ parameters, cellBits, own, segments }: Saved): object {
  return { parameters, cellBits, own, bytes: segments.map(({ bytes, byteLength }) => bytes.slice(0, byteLength)) };
}

describe.each(entries)("a kind's own parameters and segments: $name", ({ engine }) => {
  const lengths = [100, 1, 64];
  const file = toBytes(KIND as FileKind, made(engine, lengths));

  it.each([[[1]], [[100]], [[64, 1]], [[1, 2, 3, 4, 5]], [[MIB + 1, 3, 2 * MIB]]])(
    'are written as specified: segments of %j bytes',
    (given) => {
      const saved = made(engine, given, 17);
      const bytes = toBytes(KIND as FileKind, saved);
      const view = viewOf(bytes);
      const offset = offsetOf(given.length);
      expect([view.getUint8(5), view.getUint8(7)]).toEqual([200, 17]);
      expect([view.getUint32(40, true), view.getUint32(44, true)]).toEqual([offset, given.length]);
      expect(view.getBigUint64(48, true)).toBe(BigInt(bytes.length - offset));
      expect(view.getBigUint64(56, true)).toBe(checksumOf(bytes, offset, given));
      expect(view.getUint32(HEADER_BYTES, true)).toBe(2 ** 32 - 1);
      expect(bytes.subarray(HEADER_BYTES + 4 + 12 * given.length, offset).every((byte) => byte === 0)).toBe(true);
      const body = concat(saved.segments.map(({ bytes: all, byteLength }) => all.subarray(0, byteLength)));
      expect(Buffer.compare(bytes.subarray(offset), body)).toBe(0);
      expect(Buffer.compare(concat(toChunks(KIND as FileKind, saved)), bytes)).toBe(0);
    },
  );

  it('can be loaded, whole or in chunks of any size', async () => {
    const expected = contentOf(made(engine, lengths));
    expect(contentOf(readBytes(file, () => readerOf(engine)))).toEqual(expected);
    const ends = fc.array(fc.integer({ min: 0, max: file.length }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(ends, async (places) => {
        const chunks = splitAt(file, places);
        expect(contentOf(await readChunks(chunks, () => readerOf(engine)))).toEqual(expected);
        expect(contentOf(await readChunks(asynchronous(chunks), () => readerOf(engine)))).toEqual(expected);
      }),
      { seed: 3, numRuns: 30 },
    );
  });

  it('can be loaded if a segment has its own instance', async () => {
    const large = [50, 2 * MIB + 5, 70];
    const saved = made(engine, large);
    const bytes = toBytes(KIND as FileKind, saved);
    const read = await readChunks(splitAt(bytes, [70, 129, MIB, MIB + 9]), () => readerOf(engine));
    expect(Buffer.compare(toBytes(KIND as FileKind, read), bytes)).toBe(0);
  });

  function expectRefused(bad: Uint8Array, where: string, saying?: RegExp): void {
    const { engine: seen, regions } = watched(engine);
    const ways = [
      () => readBytes(bad, () => readerOf(seen)),
      () => readChunks([bad], () => readerOf(seen)),
      () => readChunks(splitAt(bad, [1, 64, 65, 128, 140]), () => readerOf(seen)),
    ];
    expectAllRefuse(ways, regions, where, saying);
  }

  it('are refused with any single bit flipped', () => {
    for (const damaged of flippedOnce(file)) expectRefused(damaged.file, damaged.where);
  });

  it('are refused with any number of bytes cut off, or with bytes added', () => {
    for (const damaged of cutOrLonger(file)) expectRefused(damaged.file, damaged.where);
  });

  const last = HEADER_BYTES + 4 + 12 * lengths.length;
  it.each<[string, RegExp, (view: DataView) => void]>([
    ['no segment', /number of segments is 0$/, (view) => view.setUint32(44, 0, true)],
    ['one segment less', /body offset|body length|parameters/, (view) => view.setUint32(44, 2, true)],
    ['too many segments', /number of segments is 6$/, (view) => view.setUint32(44, MAX_SEGMENTS + 1, true)],
    ['2^32 − 1 segments', /number of segments/, (view) => view.setUint32(44, 2 ** 32 - 1, true)],
    ['a body right after the header', /body offset is 64$/, (view) => view.setUint32(40, 64, true)],
    ['a body further on', /body offset is 192$/, (view) => view.setUint32(40, 192, true)],
    ['a body at 2^32 − 64', /body offset/, (view) => view.setUint32(40, 2 ** 32 - 64, true)],
    ['a byte in the padding', /between its parameters and its body/, (view) => view.setUint8(last, 1)],
    ['a byte at the end of the padding', /between its parameters/, (view) => view.setUint8(127, 128)],
    ['cells of 2 bits', /bits per cell is 2$/, (view) => view.setUint8(7, 2)],
    ['cells of 18 bits', /bits per cell is 18$/, (view) => view.setUint8(7, 18)],
    ['a segment of no bytes', /wrong length/, (view) => view.setBigUint64(68, 0n, true)],
    ['a segment of 2^63 bytes', /wrong length/, (view) => view.setBigUint64(68, 2n ** 63n, true)],
    ['a longer segment', /body length/, (view) => view.setBigUint64(68, 101n, true)],
    ['a longer body', /has \d+ of|body length/, (view) => view.setBigUint64(48, 166n, true)],
    ['a body of 2^64 − 1 bytes', /has \d+ of|body length/, (view) => view.setBigUint64(48, 2n ** 64n - 1n, true)],
  ])('are refused with %s', (name, saying, change) => {
    expectRefused(forge(file, change, offsetOf(lengths.length), lengths), name, saying);
  });

  it('are refused with other segment lengths of the same sum', () => {
    // Moving one byte between two segments changes the pieces that are hashed.
    const moved = file.slice();
    const view = viewOf(moved);
    view.setBigUint64(68, 99n, true);
    view.setBigUint64(80, 2n, true);
    expectRefused(moved, 'moved', /checksum/);
  });

  it('cause almost no allocation, whatever size they state', () => {
    const claim = 2 ** 30;
    const states = (view: DataView): void => {
      for (const at of [68, 80, 92]) view.setBigUint64(at, BigInt(claim), true);
      view.setBigUint64(48, BigInt(3 * claim), true);
    };
    const header = forge(file.slice(0, 128), states, 128, []);
    const { engine: seen, regions } = watched(engine);
    expect(() => readBytes(header, () => readerOf(seen))).toThrow(REFUSED);
    expect(regions).toEqual([]);
    const memories: number[] = [];
    const reserve: Engine['reserve'] = (byteLength, grows) => {
      const region = seen.reserve(byteLength, grows);
      memories.push(region.instance.memory.buffer.byteLength);
      return region;
    };
    expect(() => readChunks([header, new Uint8Array(1000)], () => readerOf({ ...seen, reserve }))).toThrow(REFUSED);
    // Only the first segment is reserved, and of its memory little more than the scratch.
    expect(memories.length).toBe(1);
    expect(memories[0]).toBeLessThan(MIB / 2);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });

  it('pass on the error of a kind that cannot make a filter, and free all memory', () => {
    const { engine: seen, regions } = watched(engine);
    const failing = {
      ...readerOf(seen),
      make(): never {
        throw new RangeError('bytes must be a saved filter: its cells contradict each other');
      },
    };
    expect(() => readBytes(file, () => failing)).toThrow(/contradict/);
    expect(() => readChunks([file], () => failing)).toThrow(/contradict/);
    expect(regions.length).toBe(2 * lengths.length);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { column, type Key, lines } from '../../src/index.ts';
import { awkwardKeys, awkwardStrings, randomBytes } from '../shared/awkward.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { concat } from '../shared/stream-tools.ts';

const shapes = [
  { cells: 1, hashes: 1, seed: 0 },
  { cells: 8, hashes: 255, seed: 1 },
  { cells: 1021, hashes: 7, seed: 0 },
  { cells: 65_537, hashes: 3, seed: 2 ** 32 - 1 },
  { cells: 1_000_003, hashes: 10, seed: 0x9747b28c },
];

function asColumn(keys: readonly Uint8Array[]): ReturnType<typeof column> {
  const offsets = [0];
  for (const key of keys) offsets.push((offsets.at(-1) ?? 0) + key.length);
  return column(concat(keys), Int32Array.from(offsets));
}

/** Used instead of `toEqual`, which takes a second to print a million bytes that help nobody. */
function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.length).toBe(expected.length);
  const same = Buffer.compare(actual, expected) === 0;
  expect(same ? -1 : actual.findIndex((byte, at) => byte !== expected[at]), 'the first byte that differs').toBe(-1);
}

it('uses an oracle that computes MurmurHash3 correctly', () => {
  // The result of SMHasher's own implementation: h1, then h2.
  const key = new TextEncoder().encode('The quick brown fox jumps over the lazy dog');
  expect(murmur3(key, 0).map((half) => half.toString(16))).toEqual(['e34bbc7bbc071b6c', '7a433ca9c49a9347']);
});

describe.each(combinableKinds)('every bit is where the format specifies: $name', ({ open, bytesOf: expectedOf }) => {
  const keys = awkwardKeys(3000, 42);

  it.each(shapes)('for keys of all types: $cells cells, $hashes hashes, seed $seed', (shape) => {
    const expected = expectedOf(keys, shape);
    const batch = open(shape);
    batch.filter.addMany(keys);
    expectSame(batch.bytes(), expected);
    const iterated = open(shape);
    iterated.filter.addMany(keys.values());
    expectSame(iterated.bytes(), expected);
    const single = open(shape);
    for (const key of keys) single.filter.add(key);
    expectSame(single.bytes(), expected);
  });

  it('for strings and byte arrays of every length from 0 to 200', () => {
    const lengths = Array.from({ length: 201 }, (_, length) => length);
    const all: Key[] = [
      ...lengths.map((length) => 'x'.repeat(length)),
      ...lengths.map((length) => '漢'.repeat(length)),
      ...lengths.map((length) => randomBytes(length, length)),
    ];
    const { filter, bytes } = open({ cells: 100_003, hashes: 4 });
    filter.addMany(all);
    expectSame(bytes(), expectedOf(all, { cells: 100_003, hashes: 4 }));
  });

  it('for surrogates that meet where two strings do', () => {
    const strings = [
      'a\ud83d',
      '\ude00b',
      '\ud83d',
      '',
      '\ude00',
      '\ud83d',
      '',
      '',
      '\ude00\ud83d',
      '\ude00',
      '😀',
      '\ud800\ud800',
      '\udc00',
    ];
    const { filter, bytes } = open({ cells: 4099, hashes: 5 });
    filter.addMany(strings);
    expectSame(bytes(), expectedOf(strings, { cells: 4099, hashes: 5 }));
  });

  it('for keys longer than the scratch, in every form', () => {
    // 98,304 bytes and 32,768 units fit. Characters of every width straddle the cuts.
    const texts = [32_767, 32_768, 32_769, 65_500, 100_001].flatMap((length) =>
      ['x', '😀', 'x😀', '\ud83d', '漢x'].map((unit) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)),
    );
    const blobs = [98_303, 98_304, 98_305, 98_320, 200_000, 300_007].map((length) => randomBytes(length, length));
    const long: Key[] = ['before', ...texts, 'between', ...blobs, 7];
    const expected = expectedOf(long, { cells: 20_011, hashes: 3, seed: 9 });
    const shape = { cells: 20_011, hashes: 3, seed: 9 };
    const batch = open(shape);
    batch.filter.addMany(long);
    expectSame(batch.bytes(), expected);
    const single = open(shape);
    for (const key of long) single.filter.add(key);
    expectSame(single.bytes(), expected);
    const inColumn = open(shape);
    inColumn.filter.addMany(asColumn(long.map(bytesOf)));
    expectSame(inColumn.bytes(), expected);
  });

  it('for lines and columns of the same text', () => {
    const strings = awkwardStrings(3000, 7).map((text) => text.replaceAll(/[\r\n]/g, ''));
    const expected = expectedOf(strings, { cells: 50_021, hashes: 6, seed: 3 });
    for (const terminator of ['\n', '\r\n']) {
      for (const end of ['', terminator]) {
        // The last line is not empty: without a final newline, an empty one would not count.
        const text = new TextEncoder().encode(`${strings.join(terminator)}${terminator}last${end}`);
        const { filter, bytes } = open({ cells: 50_021, hashes: 6, seed: 3 });
        filter.addMany(lines(text));
        expectSame(bytes(), expectedOf([...strings, 'last'], { cells: 50_021, hashes: 6, seed: 3 }));
      }
    }
    const inColumn = open({ cells: 50_021, hashes: 6, seed: 3 });
    inColumn.filter.addMany(asColumn(strings.map(bytesOf)));
    expectSame(inColumn.bytes(), expected);
  });

  it('for lines longer than the scratch', () => {
    const long = [98_303, 98_304, 98_305, 250_000].map((length) => 'y'.repeat(length));
    const all = ['a', ...long, '', 'b'];
    const { filter, bytes } = open({ cells: 4099, hashes: 5 });
    filter.addMany(lines(new TextEncoder().encode(all.join('\r\n'))));
    expectSame(bytes(), expectedOf(all, { cells: 4099, hashes: 5 }));
  });

  it('for integer arrays', () => {
    const numbers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), ...Array.from({ length: 9000 }, (_, i) => i * 77_777)];
    for (const array of [Int32Array.from(numbers), Uint32Array.from(numbers)]) {
      const { filter, bytes } = open({ cells: 300_007, hashes: 3 });
      filter.addMany(array.subarray(1));
      expectSame(bytes(), expectedOf(array.subarray(1), { cells: 300_007, hashes: 3 }));
    }
    for (const array of [BigInt64Array.from(numbers, BigInt), BigUint64Array.from(numbers, BigInt)]) {
      const { filter, bytes } = open({ cells: 300_007, hashes: 3 });
      filter.addMany(array.subarray(1));
      expectSame(bytes(), expectedOf(array.subarray(1), { cells: 300_007, hashes: 3 }));
    }
  });
});

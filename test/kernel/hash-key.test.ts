import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

const encoder = new TextEncoder();

const ascii = fc.integer({ min: 0, max: 0x7f });
/** Code units of every kind, chosen one by one, so that surrogates occur alone, in pairs and in the wrong order. */
const units = fc.oneof(
  { weight: 6, arbitrary: ascii },
  fc.integer({ min: 0x80, max: 0x7ff }),
  fc.integer({ min: 0x800, max: 0xffff }),
  fc.integer({ min: 0xd800, max: 0xdbff }),
  fc.integer({ min: 0xdc00, max: 0xdfff }),
  fc.constantFrom(0x7f, 0x80, 0xff, 0x100, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff),
);
const text = (unit: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  fc.array(unit, { maxLength: 70, size: 'max' }).map((codes) => String.fromCharCode(...codes));
const seeds = fc.integer({ min: 1, max: 2 ** 32 - 1 });

const secret = Uint8Array.from({ length: 16 }, (_, i) => 0xf0 + i);
const subjects = builds.flatMap(({ name, open }) => [
  { name, opened: open(2), bytes: 16 },
  { name: `${name}, under a secret`, opened: open(2, 2, { module: 'keyed', secret }), bytes: 16 },
  { name: `${name}, with the hash of Spark`, opened: open(2, 2, { module: 'spark' }), bytes: 8 },
]);

// hashes.test.ts proves the hash of bytes right.
describe.each(subjects)('a string has the hash of its bytes in $name', ({ opened: { kernel, memory }, bytes }) => {
  const layout = new Layout(memory);
  const place = layout.take(Uint8Array, 3 * 5000 + 32);
  const hexAt = (pointer: number): string => Buffer.from(memory.buffer, pointer, bytes).toString('hex');

  function check(key: string, seed = 7): void {
    const { written } = encoder.encodeInto(key, place);
    place.fill(0xff, written, written + 32);
    const expected = hexAt(kernel.hash_key(null, place.byteOffset, written, seed));
    const found = hexAt(kernel.hash_key(key, 0, key.length, seed));
    if (found !== expected) expect(found, JSON.stringify(key)).toBe(expected);
  }

  it.each([
    ['ASCII', text(ascii)],
    ['any units', text(units)],
    [
      'ASCII except for one unit',
      fc.tuple(text(ascii), units, text(ascii)).map(([a, unit, b]) => `${a}${String.fromCharCode(unit)}${b}`),
    ],
  ])('if it has %s', (_, keys) => {
    fc.assert(fc.property(keys, seeds, check), { seed: 1970, numRuns: 300 });
  });

  it('of any length up to 100, or a long one', () => {
    for (const unit of ['a', 'é', '漢', '😀', '\ud800']) {
      for (const length of [...Array(101).keys(), 5000]) check(unit.repeat(length).slice(0, length));
    }
  });

  it('with one unit that is not ASCII, at any position', () => {
    for (const unit of ['\x80', 'é', '漢', '\ud800']) {
      for (let length = 1; length <= 64; length++) {
        for (let at = 0; at < length; at++) check(`${'a'.repeat(at)}${unit}${'a'.repeat(length - 1 - at)}`);
      }
    }
  });

  it('if it is a rope, or part of a longer string', () => {
    const rope = 'abcdefghijklm'.repeat(2) + String(Math.PI);
    for (const key of [rope, rope.slice(3, 30), `漢${rope}`, `漢${rope}`.slice(1)]) check(key, 0);
  });
});

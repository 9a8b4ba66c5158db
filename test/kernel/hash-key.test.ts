import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

const BITS = 2 ** 12;
const HASHES = 20;
const encoder = new TextEncoder();

/** Code units of every kind, chosen one by one, so that surrogates occur alone, in pairs and in the wrong order. */
const units = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
  fc.integer({ min: 0x80, max: 0x7ff }),
  fc.integer({ min: 0x800, max: 0xffff }),
  fc.integer({ min: 0xd800, max: 0xdbff }),
  fc.integer({ min: 0xdc00, max: 0xdfff }),
  fc.constantFrom(0x7f, 0x80, 0xff, 0x100, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff),
);
const text = (unit: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  fc.array(unit, { maxLength: 70, size: 'max' }).map((codes) => String.fromCharCode(...codes));
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe.each(builds)('a single key in $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const layout = new Layout(memory);
  const bytes = layout.take(Uint8Array, 3 * 5000 + 32);
  const ofText = layout.take(Uint8Array, BITS / 8);
  const ofBytes = layout.take(Uint8Array, BITS / 8);

  /** The bits that a string sets, and the bits that its bytes set: they show the two hashes. */
  function bothWays(key: string, seed: number): [string, string] {
    ofText.fill(0);
    ofBytes.fill(0);
    kernel.bloom_add_key(ofText.byteOffset, BITS, HASHES, key, 0, key.length, seed);
    const { written } = encoder.encodeInto(key, bytes);
    bytes.fill(0xff, written, written + 32);
    kernel.bloom_add_key(ofBytes.byteOffset, BITS, HASHES, null, bytes.byteOffset, written, seed);
    return [Buffer.from(ofText).toString('hex'), Buffer.from(ofBytes).toString('hex')];
  }

  it.each([
    ['ASCII', text(fc.integer({ min: 0, max: 0x7f }))],
    ['any units', text(units)],
    ['ASCII except for one unit', fc.tuple(text(fc.integer({ min: 0, max: 0x7f })), units, text(fc.constant(0x61)))],
  ])('has the same hash as a string and as bytes: %s', (_, keys: fc.Arbitrary<string | [string, number, string]>) => {
    fc.assert(
      fc.property(keys, seeds, (parts, seed) => {
        const key = typeof parts === 'string' ? parts : parts[0] + String.fromCharCode(parts[1]) + parts[2];
        const [one, other] = bothWays(key, seed);
        expect(one).toBe(other);
      }),
      { seed: 1970, numRuns: 500 },
    );
  });

  it('may be a string of any length up to 100, or a long one', () => {
    for (const unit of ['a', 'é', '漢', '😀', '\ud800']) {
      for (const length of [...Array(101).keys(), 5000]) {
        const [one, other] = bothWays(unit.repeat(length).slice(0, length), 7);
        expect(one, `${length} units of ${unit}`).toBe(other);
      }
    }
  });

  it('may be a string with one unit that is not ASCII, at any position', () => {
    for (const unit of ['\x80', 'é', '漢', '\ud800']) {
      for (let length = 1; length <= 64; length++) {
        for (let at = 0; at < length; at++) {
          const [one, other] = bothWays(`${'a'.repeat(at)}${unit}${'a'.repeat(length - 1 - at)}`, 7);
          expect(one, `${unit} at ${at} of ${length}`).toBe(other);
        }
      }
    }
  });

  it('may be a rope, or part of a longer string', () => {
    const rope = 'abcdefghijklm'.repeat(2) + String(Math.PI);
    for (const key of [rope, rope.slice(3, 30), `漢${rope}`, `漢${rope}`.slice(1)]) {
      const [one, other] = bothWays(key, 0);
      expect(one).toBe(other);
    }
  });
});

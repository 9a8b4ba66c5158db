import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FuseMap } from '../../src/entries/fuse-map.ts';
import { FuseMapLookup } from '../../src/entries/lookup.ts';
import { expectSame } from './refused.ts';

it('answers as the map, for any keys, values, widths, seeds and shards', () => {
  const bytes = fc.uint8Array({ maxLength: 100 }).map((all) => all.subarray(all.length >> 3));
  const keys = fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), bytes), { maxLength: 60, selector: String });
  const widths = fc.constantFrom([1, 0], [1, 31], [5, 3], [8, 8], [31, 1], [32, 0]);
  const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const property = fc.property(
    keys,
    widths,
    seeds,
    fc.constantFrom(1, 8, 256),
    (given, [valueBits = 0, rest = 0], seed, shards) => {
      const values = given.map((_, i) => (i === 0 ? 2 ** valueBits - 1 : i % 2 ** valueBits));
      const map = FuseMap.from(given, values, { fingerprintBits: rest, seed, shards });
      const lookup = FuseMapLookup.fromBytes(map.toBytes());
      const others = Array.from({ length: 50 }, (_, i) => `other-${i}`);
      expect(given.map((key) => lookup.get(key))).toEqual(values);
      for (const key of [...others, '\ud800', '']) {
        expect([lookup.get(key), lookup.has(key)]).toEqual([map.get(key), map.has(key)]);
      }
      expect(lookup.capacity).toBe(map.count);
    },
  );
  fc.assert(property, { seed: 34, numRuns: 60 });
});

it('answers as a map of several parts', () => {
  const keys = Array.from({ length: 400_000 }, (_, i) => `key-${i}`);
  const values = Uint32Array.from(keys, (_, i) => i);
  const file = FuseMap.from(keys, values, { shards: 2 }).toBytes();
  const lookup = FuseMapLookup.fromBytes(file);
  for (let i = 0; i < keys.length; i += 97) expect(lookup.get(keys[i] as string)).toBe(i);
  expect(() => lookup.get(7 as never)).toThrow(/^key must be a string or a Uint8Array, got 7$/);
});

it('refuses the files that the map refuses, for the same reason, and takes all others', () => {
  const fileOf = (keys: string[], i: number) =>
    FuseMap.from(keys, [...keys.keys()], { fingerprintBits: i, seed: i, shards: 2 ** i }).toBytes();
  const theirs = (file: Uint8Array) => FuseMap.fromBytes(file).get('key 0');
  const ours = (file: Uint8Array) => FuseMapLookup.fromBytes(file).get('key 0');
  expectSame(35, fileOf, [theirs, ours], 100);
});

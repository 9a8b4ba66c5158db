import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { keyed } from '../../src/entries/keyed.ts';
import { FuseLookup } from '../../src/entries/lookup.ts';
import { range } from '../shared/integers.ts';
import { bytesOf } from '../shared/oracle.ts';
import { SECRET } from '../shared/secret.ts';
import { expectSame } from './refused.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('a lookup in the file of a fuse filter', () => {
  it('answers as the filter, for any keys, widths and seeds', () => {
    // Bytes at any offset in their buffer, and of more than a block of the hash.
    const bytes = fc.uint8Array({ maxLength: 100 }).map((all) => all.subarray(all.length >> 3));
    const keys = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), bytes), { maxLength: 100 });
    const property = fc.property(keys, fc.integer({ min: 1, max: 32 }), seeds, (given, fingerprintBits, seed) => {
      const filter = BinaryFuseFilter.from(given, { fingerprintBits, seed });
      const lookup = FuseLookup.fromBytes(filter.toBytes());
      const others = Array.from({ length: 50 }, (_, i) => `other-${i}`);
      for (const key of [...given, ...others, '\ud800', '']) expect(lookup.has(key)).toBe(filter.has(key));
      expect(lookup.capacity).toBe(filter.capacity);
    });
    fc.assert(property, { seed: 34, numRuns: 60 });
  });

  it('answers as a filter of several parts, whose cells lie behind the first 2^24 bits', () => {
    const keys = Array.from({ length: 600_000 }, (_, i) => `key-${i}`);
    const filter = BinaryFuseFilter.from(keys, { fingerprintBits: 32 });
    const file = filter.toBytes();
    expect(file.length).toBeGreaterThan(2 * 2 ** 20);
    const lookup = FuseLookup.fromBytes(file);
    const some = keys.filter((_, i) => i % 97 === 0);
    expect(some.filter((key) => !lookup.has(key))).toEqual([]);
    expect(some.filter((key) => lookup.has(`no ${key}`))).toEqual([]);
    file[file.length - 1] = (file.at(-1) as number) ^ 1;
    expect(() => FuseLookup.fromBytes(file)).toThrow('its checksum is wrong');
  });

  it('answers as a filter that was built at a later attempt', () => {
    const keys = range(12 * 8083, 12 * 8084).map(bytesOf);
    const lookup = FuseLookup.fromBytes(BinaryFuseFilter.from(keys, { fingerprintBits: 9 }).toBytes());
    expect(keys.filter((key) => !lookup.has(key))).toEqual([]);
  });

  it('takes an ArrayBuffer, and bytes at any offset', () => {
    const file = BinaryFuseFilter.from(['ada']).toBytes();
    const moved = new Uint8Array(file.length + 5);
    moved.set(file, 5);
    expect(FuseLookup.fromBytes(file.buffer).has('ada')).toBe(true);
    expect(FuseLookup.fromBytes(moved.subarray(5)).has('ada')).toBe(true);
  });

  it('refuses the files that the filter refuses, for the same reason, and takes all others', () => {
    const fileOf = (keys: string[], i: number) =>
      BinaryFuseFilter.from(keys, { fingerprintBits: 1 + 7 * i, seed: i }).toBytes();
    const theirs = (file: Uint8Array) => BinaryFuseFilter.fromBytes(file).has('key 0');
    const ours = (file: Uint8Array) => FuseLookup.fromBytes(file).has('key 0');
    expectSame(34, fileOf, [theirs, ours], 200);
  });

  it('refuses a file that was made under a secret', () => {
    const file = keyed(BinaryFuseFilter, SECRET).from(['ada']).toBytes();
    expect(() => FuseLookup.fromBytes(file)).toThrow(expect.objectContaining({ code: 'SECRET' }));
  });

  const lookup = FuseLookup.fromBytes(BinaryFuseFilter.from(['ada']).toBytes());
  it.each<[() => unknown, string]>([
    [() => FuseLookup.fromBytes(null as never), 'bytes must be a Uint8Array, got null'],
    [() => FuseLookup.fromBytes('BLMY' as never), 'bytes must be a Uint8Array, got "BLMY"'],
    [() => FuseLookup.fromBytes([] as never), 'bytes must be a Uint8Array, got an object (Array)'],
    [() => lookup.has(7 as never), 'key must be a string or a Uint8Array, got 7'],
    [() => lookup.has(null as never), 'key must be a string or a Uint8Array, got null'],
    [() => lookup.has(['ada'] as never), 'key must be a string or a Uint8Array, got an object (Array)'],
  ])('refuses what is no file, and what is no key: %s', (call, message) => {
    expect(call).toThrow(new TypeError(message));
  });
});

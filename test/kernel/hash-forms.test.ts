// Keys in other forms than bytes that lie alone: lines, packed keys and strings. hashes.test.ts proves the hash of bytes
// right.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDS_TOO_MANY } from '../../src/kernel/scratch.ts';
import { NUMBER } from '../../src/keys/encode.ts';
import { bytesOf } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { builds, Layout, laidOut } from './builds.ts';

const SEED = 0x9747b28c;
const MAX_KEYS = 2048;
const MAX_BYTES = 65536;

type Line = Readonly<{ key: string; end: number }>;

/** Splits a text into lines, slowly and plainly. */
function split(text: string, last: boolean, crlf: boolean): Line[] {
  const parts = text.split('\n');
  const unfinished = parts.pop();
  let end = 0;
  const lines = parts.map((part) => {
    end += part.length + 1;
    return { key: crlf && part.endsWith('\r') ? part.slice(0, -1) : part, end };
  });
  if (last && unfinished) lines.push({ key: unfinished, end: text.length });
  return lines;
}

/** Writes keys one after the other, and their ends. */
function put(keys: readonly Uint8Array[], bytes: Uint8Array, ends: Uint32Array): void {
  let end = 0;
  bytes.set(Buffer.concat(keys));
  ends.set(keys.map(({ length }) => (end += length)));
}

const secret = Uint8Array.from({ length: 16 }, (_, i) => 0xf0 + i);
const subjects = builds.flatMap(({ name, open }) => [
  { name, opened: open(6) },
  { name: `${name} under a secret`, opened: open(6, 6, { module: 'keyed', secret }) },
]);

describe.each(subjects)('hash_lines in $name', ({ opened: { kernel, memory } }) => {
  const layout = new Layout(memory);
  const bytes = layout.take(Uint8Array, MAX_BYTES + 32);
  const ends = layout.take(Uint32Array, MAX_KEYS + ENDS_TOO_MANY);
  const hashes = layout.take(BigUint64Array, 2 * MAX_KEYS);

  /** The hashes by hash_packed, which hashes.test.ts proves right. */
  function hashesOf(keys: readonly Uint8Array[]): bigint[] {
    put(keys, bytes, ends);
    kernel.hash_packed(bytes.byteOffset, ends.byteOffset, keys.length, SEED, hashes.byteOffset);
    return [...hashes.subarray(0, 2 * keys.length)];
  }

  interface Options {
    readonly last?: boolean;
    readonly crlf?: boolean;
    readonly limit?: number;
    readonly alignment?: number;
    /** The value of the bytes around the text, which must not matter. */
    readonly around?: number;
  }

  const UNTOUCHED = 0xdeadbeef;

  function check(text: string, given: Options = {}): void {
    const { last = true, crlf = true, limit = MAX_KEYS, alignment = 0, around = 0x0a } = given;
    const at = 1 + alignment;
    bytes.fill(around, 0, at + text.length + 32).set(bytesOf(text), at);
    ends.fill(UNTOUCHED);
    hashes.fill(0n, 0, 2 * text.length + 2);
    const options = [Number(last), Number(crlf), limit, SEED, hashes.byteOffset, ends.byteOffset] as const;
    const count = kernel.hash_lines(bytes.byteOffset + at, text.length, ...options);
    expect(ends[count + ENDS_TOO_MANY], 'an end far behind the last line').toBe(UNTOUCHED);
    if (count < limit) expect(ends[count + 3], 'an end behind the last line').toBe(UNTOUCHED);
    expect(hashes[2 * count], 'a hash behind the last line').toBe(0n);
    const found = [...hashes.subarray(0, 2 * count)];
    const expected = split(text, last, crlf).slice(0, limit);
    expect([...ends.subarray(0, count)]).toEqual(expected.map(({ end }) => end));
    expect(found).toEqual(hashesOf(expected.map(({ key }) => bytesOf(key))));
  }

  it.each(['\n', '\r\n'])('finds %j at every offset of a text of every length', (mark) => {
    for (let length = mark.length; length <= 40; length++) {
      for (let offset = 0; offset <= length - mark.length; offset++) {
        const text = 'x'.repeat(offset) + mark + 'y'.repeat(length - mark.length - offset);
        check(text, { last: (length + offset) % 3 > 0, alignment: offset & 15 });
      }
    }
    expect(layout.intact).toBe(true);
  });

  const unit = fc.constantFrom('a', '\n', '\r');
  const anyText = fc.oneof(...[4, 100].map((maxLength) => fc.string({ unit, maxLength })));
  const anyOptions = fc.record({
    last: fc.boolean(),
    crlf: fc.boolean(),
    limit: fc.oneof(fc.constant(MAX_KEYS), fc.nat(8)),
    alignment: fc.nat(15),
    around: fc.constantFrom(0x00, 0x0a, 0x0d, 0x61),
  });

  it('agrees with the slow splitter for any text, for many lines, and long ones', () => {
    const longest = randomFrom(1);
    const lines = Array.from({ length: 1000 }, (_, i) => 'z'.repeat(longest(i % 100 ? 40 : 3000)));
    check(lines.join('\n'), { alignment: 5 });
    check(lines.join('\r\n'), { alignment: 11, limit: 777 });
    fc.assert(fc.property(anyText, anyOptions, check), { numRuns: 700 });
    expect(layout.intact).toBe(true);
  });
});

describe.each(builds)('keys in $name', ({ open }) => {
  const { kernel, layout } = laidOut(open(4));
  const bytes = layout.take(Uint8Array, MAX_BYTES + 32);
  const ends = layout.take(Uint32Array, MAX_KEYS);
  const flags = layout.take(Uint8Array, MAX_KEYS);

  const units = [
    ...'\0a\x7f\x80é\u07ff\u0800漢\ufeff\uffff😀\u{10000}\u{10ffff}',
    ...['👨‍👩‍👧', 'e\u0301', '\ud83d', '\udbff', '\ude00', '\udfff'],
  ];
  const halves = fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00'), maxLength: 3 });
  /** With SIMD, ASCII is found 16 bytes at a time. */
  const mostlyAscii = fc
    .tuple(fc.nat(40), fc.constantFrom('', ...units), fc.nat(40))
    .map(([before, unit, after]) => 'a'.repeat(before) + unit + 'b'.repeat(after));
  const anyString = fc.oneof(
    halves,
    mostlyAscii,
    fc.string({ unit: fc.constantFrom(...units) }),
    fc.string({ unit: 'binary' }),
  );
  it('utf8_ends counts as TextEncoder does, and finds pairs that two strings made', () => {
    const seen = { met: 0, apart: 0 };
    const check = (some: readonly string[]): void => {
      let at = 0;
      ends.set(some.map(({ length }) => (at += length)));
      ends[some.length] = 7;
      const { written } = new TextEncoder().encodeInto(some.join(''), bytes.fill(0xbf));
      const lengths = some.map((each) => bytesOf(each).length);
      const isApart = written === lengths.reduce((sum, length) => sum + length, 0);
      expect(kernel.utf8_ends(bytes.byteOffset, written, ends.byteOffset, some.length)).toBe(Number(isApart));
      seen[isApart ? 'apart' : 'met']++;
      if (!isApart) return;
      let end = 0;
      expect([...ends.subarray(0, some.length + 1)]).toEqual([...lengths.map((length) => (end += length)), 7]);
    };
    for (const unit of units) check(['', unit, 'a', unit, '']);
    const numRuns = 200;
    const anyStrings = fc.array(anyString);
    const meeting = fc
      .tuple(anyStrings, anyString, anyString, anyStrings)
      .map(([before, one, other, after]) => [...before, `${one}\ud83d`, `\ude00${other}`, ...after]);
    fc.assert(fc.property(anyStrings, check), { numRuns });
    fc.assert(fc.property(meeting, check), { numRuns });
    fc.assert(fc.property(fc.array(fc.string({ unit: 'binary' })), check), { numRuns });
    expect(Math.min(seen.met, seen.apart)).toBeGreaterThanOrEqual(numRuns);
    expect(layout.intact).toBe(true);
  });

  it('keep_packed moves the wanted keys to the front', () => {
    const anyKeys = fc.array(fc.record({ key: fc.uint8Array({ maxLength: 100 }), flag: fc.constantFrom(0, 1) }));
    const property = fc.property(anyKeys, fc.constantFrom(0, 1), (keys, wanted) => {
      const all = keys.map(({ key }) => key);
      put(all, bytes, ends);
      flags.set(keys.map(({ flag }) => flag));
      const kept = keys.flatMap(({ key, flag }) => (flag === wanted ? [key] : []));
      const count = kernel.keep_packed(bytes.byteOffset, ends.byteOffset, keys.length, flags.byteOffset, wanted);
      expect(count).toBe(kept.length);
      let end = 0;
      expect([...ends.subarray(0, count)]).toEqual(kept.map(({ length }) => (end += length)));
      expect(Buffer.compare(bytes.subarray(0, end), Buffer.concat(kept))).toBe(0);
    });
    fc.assert(property, { numRuns: 200 });
    expect(layout.intact).toBe(true);
  });
});

const ascii = fc.integer({ min: 0, max: 0x7f });
/** Code units of every kind, chosen one by one, so that surrogates occur alone, in pairs and in the wrong order. */
const anyUnit = fc.oneof(
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

const hashing = builds.flatMap(({ name, open }) => [
  { name, opened: open(2), bytes: 16 },
  { name: `${name}, under a secret`, opened: open(2, 2, { module: 'keyed', secret }), bytes: 16 },
  { name: `${name}, with the hash of Spark`, opened: open(2, 2, { module: 'spark' }), bytes: 8 },
]);

describe.each(hashing)('a string has the hash of its bytes in $name', ({ opened: { kernel, memory }, bytes }) => {
  const layout = new Layout(memory);
  const place = layout.take(Uint8Array, 3 * 5000 + 32);
  const out = layout.take(Uint8Array, 16);
  const hashOf = (text: string | null, length: number, seed: number): string => {
    out.fill(0);
    kernel.hash_key(text, place.byteOffset, length, seed, out.byteOffset);
    return Buffer.from(out.subarray(0, bytes)).toString('hex');
  };

  function check(key: string, seed = 7): void {
    const { written } = new TextEncoder().encodeInto(key, place);
    place.fill(0xff, written, written + 32);
    const expected = hashOf(null, written, seed);
    const found = hashOf(key, key.length, seed);
    if (found !== expected) expect(found, JSON.stringify(key)).toBe(expected);
  }

  it.each(Object.entries({ ASCII: text(ascii), 'any units': text(anyUnit) }))('if it has %s', (_, keys) => {
    fc.assert(fc.property(keys, seeds, check), { seed: 1970, numRuns: 300 });
  });

  it('of any length up to 100, or a long one', () => {
    for (const unit of ['a', 'é', '漢', '😀', '\ud800']) {
      for (const length of [...Array(101).keys(), 5000]) check(unit.repeat(length).slice(0, length));
    }
  });

  it('and a number, written as a float, the hash of its 8 bytes', () => {
    const view = new DataView(memory.buffer, place.byteOffset, 8);
    const integer = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -0, 2 ** 32, -1));
    const property = fc.property(integer, seeds, (key, seed) => {
      view.setBigInt64(0, BigInt(key), true);
      const expected = hashOf(null, 8, seed);
      view.setFloat64(0, key, true);
      expect(hashOf(null, NUMBER, seed)).toBe(expected);
    });
    fc.assert(property, { seed: 1970, numRuns: 300 });
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
    expect(layout.intact).toBe(true);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDS_TOO_MANY } from '../../src/kernel/scratch.ts';
import { randomFrom } from '../shared/random.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

const SEED = 0x9747b28c;
const MAX_KEYS = 2048;
const MAX_BYTES = 65536;
const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);

interface Line {
  readonly key: string;
  readonly end: number;
}

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

const secret = Uint8Array.from({ length: 16 }, (_, i) => 0xf0 + i);
const subjects = builds.flatMap(({ name, open }) => [
  { name, opened: open(6) },
  { name: `${name} under a secret`, opened: open(6, 6, { module: 'keyed', secret }) },
]);

describe.each(subjects)('keys in $name', ({ opened: { kernel, memory } }) => {
  const layout = new Layout(memory);
  const bytes = layout.take(Uint8Array, MAX_BYTES + 32);
  const ends = layout.take(Uint32Array, MAX_KEYS + ENDS_TOO_MANY);
  const flags = layout.take(Uint8Array, MAX_KEYS);
  const integers = layout.take(BigInt64Array, MAX_KEYS);
  const hashes = layout.take(BigUint64Array, 2 * MAX_KEYS);

  function put(keys: readonly Uint8Array[]): void {
    let end = 0;
    for (const [i, key] of keys.entries()) {
      bytes.set(key, end);
      end += key.length;
      ends[i] = end;
    }
  }

  /** The hashes by hash_packed, which murmur3.test.ts and siphash.test.ts prove right. */
  function hashesOf(keys: readonly Uint8Array[]): bigint[] {
    put(keys);
    kernel.hash_packed(bytes.byteOffset, ends.byteOffset, keys.length, SEED, hashes.byteOffset);
    return [...hashes.subarray(0, 2 * keys.length)];
  }

  describe('hash_lines', () => {
    interface Options {
      readonly last?: boolean;
      readonly crlf?: boolean;
      readonly limit?: number;
      readonly alignment?: number;
      /** The value of the bytes around the text, which must not matter. */
      readonly around?: number;
    }

    const UNTOUCHED = 0xdeadbeef;

    function hashLines(text: string, options: Options): { lines: number[]; hashes: bigint[] } {
      const { last = true, crlf = true, limit = MAX_KEYS, alignment = 0, around = 0x0a } = options;
      const at = 1 + alignment;
      bytes.subarray(0, at + text.length + 32).fill(around);
      bytes.set(bytesOf(text), at);
      ends.fill(UNTOUCHED);
      hashes.fill(0n, 0, 2 * text.length + 2);
      const where = [hashes.byteOffset, ends.byteOffset] as const;
      const options32 = [Number(last), Number(crlf), limit, SEED] as const;
      const count = kernel.hash_lines(bytes.byteOffset + at, text.length, ...options32, ...where);
      expect(ends[count + ENDS_TOO_MANY], 'an end far behind the last line').toBe(UNTOUCHED);
      if (count < limit) expect(ends[count + 3], 'an end behind the last line').toBe(UNTOUCHED);
      expect(hashes[2 * count], 'a hash behind the last line').toBe(0n);
      return { lines: [...ends.subarray(0, count)], hashes: [...hashes.subarray(0, 2 * count)] };
    }

    function check(text: string, options: Options = {}): void {
      const { last = true, crlf = true, limit = MAX_KEYS } = options;
      const expected = split(text, last, crlf).slice(0, limit);
      const found = hashLines(text, options);
      expect(found.lines).toEqual(expected.map(({ end }) => end));
      expect(found.hashes).toEqual(hashesOf(expected.map(({ key }) => bytesOf(key))));
    }

    it.each([
      ['nothing', ''],
      ['one line without its newline', 'a'],
      ['a final newline, which adds no line', 'a\n'],
      ['empty lines', '\n\n\na\n\n'],
      ['\\r\\n', 'a\r\n\r\nb\r\n'],
      ['\\r without \\n', '\r'],
      ['\\r at the end of a text without its newline', 'a\n\r'],
      ['\\r\\r\\n, of which one \\r is the key’s', 'a\r\r\n\r\r\n'],
      ['\\r within a line', 'a\rb\n\rc\n'],
      ['\\n\\r', 'a\n\rb\n\r'],
    ])('takes %s', (_, text) => {
      for (const last of [true, false]) {
        for (const crlf of [true, false]) {
          for (const around of [0x0a, 0x0d, 0x61]) check(text, { last, crlf, around });
        }
      }
      expect(layout.intact).toBe(true);
    });

    it('takes a text whose lines are listed here', () => {
      // This checks the slow splitter too.
      const text = 'one\r\n\ntwo\rthree\r';
      expect(split(text, true, true)).toEqual([
        { key: 'one', end: 5 },
        { key: '', end: 6 },
        { key: 'two\rthree\r', end: 16 },
      ]);
      expect(hashLines(text, {}).lines).toEqual([5, 6, 16]);
      expect(hashLines(text, { last: false }).lines).toEqual([5, 6]);
      expect(hashLines(text, { crlf: false }).hashes.slice(0, 2)).toEqual(hashesOf([bytesOf('one\r')]));
    });

    it.each(['\n', '\r\n'])('finds %j at every offset of a text of every length', (mark) => {
      for (let length = mark.length; length <= 50; length++) {
        for (let offset = 0; offset <= length - mark.length; offset++) {
          const text = 'x'.repeat(offset) + mark + 'y'.repeat(length - mark.length - offset);
          for (const last of [true, false]) check(text, { last, alignment: offset & 15 });
        }
      }
      expect(layout.intact).toBe(true);
    });

    const anyText = fc.string({ unit: fc.constantFrom('a', '\n', '\r'), maxLength: 100 });
    const anyOptions = fc.record({
      last: fc.boolean(),
      crlf: fc.boolean(),
      limit: fc.oneof(fc.constant(MAX_KEYS), fc.nat(8)),
      alignment: fc.nat(15),
      around: fc.constantFrom(0x00, 0x0a, 0x0d, 0x61),
    });

    it('agrees with the slow splitter for any text', () => {
      fc.assert(fc.property(anyText, anyOptions, check), { numRuns: 1000 });
      expect(layout.intact).toBe(true);
    });

    it('can continue after the last line that it took', () => {
      const property = fc.property(anyText, fc.integer({ min: 1, max: 5 }), fc.boolean(), (text, limit, crlf) => {
        const found: bigint[] = [];
        for (let at = 0; at < text.length; ) {
          const some = hashLines(text.slice(at), { limit, crlf });
          found.push(...some.hashes);
          at += some.lines.at(-1) ?? Infinity;
        }
        expect(found).toEqual(hashesOf(split(text, true, crlf).map(({ key }) => bytesOf(key))));
      });
      fc.assert(property, { numRuns: 300 });
    });

    it('takes many lines, and long ones', () => {
      const random = randomFrom(1);
      const lines = Array.from({ length: 1000 }, (_, i) => 'z'.repeat(random(i % 100 ? 40 : 3000)));
      check(lines.join('\n'), { alignment: 5 });
      check(lines.join('\r\n'), { alignment: 11, limit: 777 });
      expect(layout.intact).toBe(true);
    });
  });

  describe('integers', () => {
    const littleEndian = (value: bigint): Uint8Array =>
      new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, value)).buffer);
    const extremes = [0n, 1n, -1n, 2n ** 31n, -(2n ** 31n), 2n ** 32n - 1n, 2n ** 63n - 1n, -(2n ** 63n)];

    it('hash_u64 hashes the 8 bytes of each', () => {
      const property = fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (more) => {
        const values = [...extremes, ...more];
        const expected = hashesOf(values.map(littleEndian));
        integers.set(values);
        hashes.fill(0n, 0, 2 * values.length + 2);
        kernel.hash_u64(integers.byteOffset, values.length, SEED, hashes.byteOffset);
        expect([...hashes.subarray(0, 2 * values.length + 1)]).toEqual([...expected, 0n]);
      });
      fc.assert(property);
      expect(layout.intact).toBe(true);
    });

    it.each([
      ['signed', 1, Int32Array],
      ['unsigned', 0, Uint32Array],
    ] as const)('hash_32 hashes the same value in 8 bytes: %s', (_, signed, View) => {
      const property = fc.property(fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 })), (more) => {
        const count = extremes.length + more.length;
        const words = new View(integers.buffer, integers.byteOffset, count);
        words.set([...extremes.map((value) => Number(BigInt.asIntN(32, value))), ...more]);
        const expected = hashesOf([...words].map((value) => littleEndian(BigInt(value))));
        hashes.fill(0n, 0, 2 * count + 2);
        kernel.hash_32(words.byteOffset, count, signed, SEED, hashes.byteOffset);
        expect([...hashes.subarray(0, 2 * count + 1)]).toEqual([...expected, 0n]);
      });
      fc.assert(property);
      expect(layout.intact).toBe(true);
    });
  });

  describe('utf8_ends', () => {
    const units = [
      ...'\0a\x7f\x80é\u07ff\u0800漢\ufeff\uffff😀\u{10000}\u{10ffff}',
      ...['👨‍👩‍👧', 'e\u0301', '\ud83d', '\udbff', '\ude00', '\udfff'],
    ];
    const anyString = fc.oneof(fc.string({ unit: fc.constantFrom(...units) }), fc.string({ unit: 'binary' }));

    function endsOf(strings: readonly string[]): number[] {
      let units = 0;
      ends.set(strings.map(({ length }) => (units += length)));
      ends[strings.length] = 7;
      bytes.fill(0xbf);
      const { written } = encoder.encodeInto(strings.join(''), bytes);
      kernel.utf8_ends(bytes.byteOffset, written, ends.byteOffset, strings.length);
      expect(ends[strings.length], 'the word behind the ends').toBe(7);
      return [...ends.subarray(0, strings.length)];
    }

    it('counts the bytes of characters of every width', () => {
      for (const unit of units) {
        const { length } = bytesOf(unit);
        expect(endsOf(['', unit, 'a', unit, ''])).toEqual([0, length, length + 1, 2 * length + 1, 2 * length + 1]);
      }
    });

    it('counts as TextEncoder does', () => {
      const property = fc.property(fc.array(anyString), (strings) => {
        // Surrogates that meet where two strings do would become one character: no caller passes such strings.
        fc.pre(bytesOf(strings.join('')).length === strings.reduce((sum, text) => sum + bytesOf(text).length, 0));
        let end = 0;
        expect(endsOf(strings)).toEqual(strings.map((text) => (end += bytesOf(text).length)));
      });
      fc.assert(property, { numRuns: 500 });
      expect(layout.intact).toBe(true);
    });
  });

  describe('keep_packed', () => {
    const anyKeys = fc.array(fc.record({ key: fc.uint8Array({ maxLength: 100 }), flag: fc.constantFrom(0, 1) }));

    it('moves the wanted keys to the front', () => {
      const property = fc.property(anyKeys, fc.constantFrom(0, 1), (keys, wanted) => {
        put(keys.map(({ key }) => key));
        flags.set(keys.map(({ flag }) => flag));
        const kept = keys.flatMap(({ key, flag }) => (flag === wanted ? [key] : []));
        const count = kernel.keep_packed(bytes.byteOffset, ends.byteOffset, keys.length, flags.byteOffset, wanted);
        expect(count).toBe(kept.length);
        let end = 0;
        expect([...ends.subarray(0, count)]).toEqual(kept.map(({ length }) => (end += length)));
        expect(Buffer.from(bytes.subarray(0, end)).equals(Buffer.concat(kept))).toBe(true);
      });
      fc.assert(property, { numRuns: 500 });
      expect(layout.intact).toBe(true);
    });
  });
});

import { describe, expect, it } from 'vitest';
import { BloomFilter, column, KeyColumn, KeyLines, lines } from '../../src/index.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { text } from '../shared/stream-tools.ts';

describe.each(combinableKinds)('lines as keys: $name', ({ Filter }) => {
  it('give lines for lines, with their terminators', () => {
    const filter = Filter.from(['b', '', 'ö'], { errorRate: 1e-5 });
    const given = lines(text('a\r\nb\r\n\n\r\nb\nö\nx\nb'));
    const picked = filter.pick(given);
    expect(picked).toBeInstanceOf(KeyLines);
    expect(new TextDecoder().decode(picked.bytes)).toBe('b\r\n\n\r\nb\nö\nb');
    expect(new TextDecoder().decode(filter.omit(given).bytes)).toBe('a\r\nx\n');
    expect(picked.count()).toBe(6);
    expect(new TextDecoder().decode(filter.pick(lines(text('b\r\nb'), { crlf: false })).bytes)).toBe('b');
  });

  it('refuse lines and columns of anything but bytes', () => {
    const filter = new Filter({ capacity: 10 });
    expect(() => filter.addMany(new KeyLines('abc' as never, true))).toThrow(/^bytes must be a Uint8Array, got "abc"$/);
    expect(() => filter.addMany(new KeyLines(text('abc'), 1 as never))).toThrow(/^options\.crlf must be a boolean/);
    expect(() => filter.addMany(new KeyColumn('abc' as never, Int32Array.of(0)))).toThrow(/^data must be a Uint8Array/);
  });
});

describe('the number of lines', () => {
  const counted = (bytes: Uint8Array): number => {
    const newlines = bytes.filter((byte) => byte === 10).length;
    return bytes.length > 0 && bytes.at(-1) !== 10 ? newlines + 1 : newlines;
  };

  it('is right at every offset and for every length, for any bytes', () => {
    const random = randomFrom(5);
    // Newlines, the adjacent values, and bytes that differ from newlines in one bit.
    const bytes = [10, 10, 9, 11, 8, 14, 26, 42, 74, 138, 0, 255];
    const text = Uint8Array.from({ length: 64 }, () => bytes[random(bytes.length)] ?? 0);
    for (let from = 0; from < 8; from++) {
      for (let to = from; to <= text.length; to++) {
        const part = text.subarray(from, to);
        expect(lines(part).count(), `${from}–${to}`).toBe(counted(part));
      }
    }
  });

  it('is right for a long text that consists of newlines', () => {
    const text = new Uint8Array(10_007).fill(10);
    for (const from of [0, 1, 2, 3]) expect(lines(text.subarray(from)).count()).toBe(text.length - from);
  });

  it('is right for lines that a filter has picked, short and longer than a chunk', () => {
    const long = 'x'.repeat(200_000);
    const text = ['', 'a', long, 'b', '', long, ...Array.from({ length: 10_000 }, (_, i) => `${i}`), 'a'].join('\n');
    const filter = BloomFilter.from(['', 'a', long, '77', '9999'], { errorRate: 1e-9 });
    for (const bytes of ['', 'c', text, `${text}\n`].map((each) => new TextEncoder().encode(each))) {
      for (const some of [filter.pick(lines(bytes)), filter.omit(lines(bytes))]) {
        expect(some.count()).toBe(counted(some.bytes));
      }
    }
  });
});

describe('the memory of the keys that a filter has picked', () => {
  // Longer than a chunk, so that it is hashed where it lies.
  const long = 'x'.repeat(200_000);

  it.each([
    ['lines', (bytes: Uint8Array) => new BloomFilter({ capacity: 1 }).dedupe(lines(bytes)).bytes],
    [
      'a column',
      (bytes: Uint8Array) =>
        new BloomFilter({ capacity: 1 }).dedupe(column(bytes, Uint32Array.of(0, long.length))).data,
    ],
  ])('is not that of a Buffer: %s', (_name, dedupe) => {
    const given = Buffer.from(long);
    const picked = dedupe(given);
    given.fill('y');
    expect(Buffer.from(picked).equals(Buffer.from(long))).toBe(true);
    expect(picked.constructor).toBe(Uint8Array);
  });
});

describe('lines of a text larger than 2 GiB', () => {
  it('are found on both sides of 2^31, after a line of almost 2^31 bytes', { timeout: 120_000 }, () => {
    const border = 2 ** 31;
    // Zeros that were never written take no memory.
    const bytes = new Uint8Array(border + 200_000);
    const start = border - 100_000;
    bytes[start - 1] = 10;
    const random = randomFrom(31);
    const encoder = new TextEncoder();
    const keys: string[] = [];
    for (let at = start; at < bytes.length - 100; ) {
      const key = `key ${random(1_000_000)}`;
      keys.push(key);
      at += encoder.encodeInto(`${key}${random(2) === 0 ? '\r' : ''}\n`, bytes.subarray(at)).written;
      if (at > bytes.length - 100) bytes.fill(10, at);
    }
    const begun = performance.now();
    const filter = new BloomFilter({ capacity: 100_000, errorRate: 1e-5 });
    filter.addMany(lines(bytes));
    console.log(`added ${bytes.length} bytes, most of them one line, in ${(performance.now() - begun).toFixed(0)} ms`);
    expect(keys.every((key) => filter.has(key))).toBe(true);
    expect(filter.has('')).toBe(true);
    const lineBreaks = bytes.subarray(start).filter((byte) => byte === 10).length;
    expect(lines(bytes).count()).toBe(1 + lineBreaks);
    const distinct = new Set(keys).size + 2;
    expect(Math.abs(filter.estimateCount() / distinct - 1)).toBeLessThan(0.02);
  });
});

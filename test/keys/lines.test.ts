import { describe, expect, it } from 'vitest';
import { BloomFilter, column, KeyColumn, KeyLines, lines } from '../../src/index.ts';
import { text } from '../shared/stream-tools.ts';

/** Longer than a chunk, so that it is hashed where it lies. */
const long = 'x'.repeat(200_000);

describe('lines as keys', () => {
  it('give lines for lines, with their terminators', () => {
    const filter = BloomFilter.from(['b', '', 'ö'], { errorRate: 1e-5 });
    const given = lines(text('a\r\nb\r\n\n\r\nb\nö\nx\nb'));
    const picked = filter.pick(given);
    expect(picked).toBeInstanceOf(KeyLines);
    expect(picked.bytes).toEqual(text('b\r\n\n\r\nb\nö\nb'));
    expect(filter.omit(given).bytes).toEqual(text('a\r\nx\n'));
    expect(picked.count()).toBe(6);
    for (const key of ['b', long]) {
      const some = text(`${key}\r\nc`);
      for (const crlf of [true, false]) {
        const one = BloomFilter.from([crlf ? key : `${key}\r`], { errorRate: 1e-5 });
        expect(one.pick(lines(some, { crlf })).bytes).toEqual(text(`${key}\r\n`));
        expect(one.pick(lines(some, { crlf: !crlf })).bytes.length).toBe(0);
      }
    }
  });

  it('are refused unless they are of bytes', () => {
    const filter = new BloomFilter({ capacity: 10 });
    expect(() => filter.addMany(new KeyLines('abc' as never, true))).toThrow(/^bytes must be a Uint8Array, got "abc"$/);
    expect(() => filter.addMany(new KeyLines(text('abc'), 1 as never))).toThrow(/^options\.crlf must be a boolean/);
    expect(() => filter.addMany(new KeyColumn('abc' as never, Int32Array.of(0)))).toThrow(/^data must be a Uint8Array/);
  });

  it.each([
    ['lines', (bytes: Uint8Array) => new BloomFilter({ capacity: 1 }).dedupe(lines(bytes)).bytes],
    [
      'a column',
      (bytes: Uint8Array) =>
        new BloomFilter({ capacity: 1 }).dedupe(column(bytes, Uint32Array.of(0, long.length))).data,
    ],
  ])('are picked into memory that is not that of a Buffer: %s', (_name, dedupe) => {
    const given = Buffer.from(long);
    const picked = dedupe(given);
    given.fill('y');
    expect(Buffer.from(picked).equals(Buffer.from(long))).toBe(true);
    expect(picked.constructor).toBe(Uint8Array);
  });
});

describe('the number of lines', () => {
  const counted = (bytes: Uint8Array): number => {
    const newlines = bytes.filter((byte) => byte === 10).length;
    return bytes.length > 0 && bytes.at(-1) !== 10 ? newlines + 1 : newlines;
  };

  it('is right for texts and for what a filter has picked of them, short and longer than a chunk', () => {
    const all = ['', 'a', long, 'b', '', long, ...Array.from({ length: 5000 }, (_, i) => `${i}`), 'a'].join('\n');
    const filter = BloomFilter.from(['', 'a', long, '77', '4999'], { errorRate: 1e-9 });
    for (const bytes of ['', 'c', all, `${all}\n`, '\n'.repeat(10_007)].map(text)) {
      expect(lines(bytes).count()).toBe(counted(bytes));
      for (const some of [filter.pick(lines(bytes)), filter.omit(lines(bytes))]) {
        expect(some.count()).toBe(counted(some.bytes));
      }
    }
  });
});

it('lines are found on both sides of 2^31, after a line of almost 2^31 bytes', { timeout: 120_000 }, () => {
  const border = 2 ** 31;
  // Zeros that were never written take no memory.
  const bytes = new Uint8Array(border + 100_000).fill(10, border - 50_001);
  const keys: string[] = [];
  for (let at = border - 50_000; at < bytes.length - 100; ) {
    const key = `key ${keys.length}`;
    keys.push(key);
    at += new TextEncoder().encodeInto(`${key}${keys.length % 2 ? '\r' : ''}\n`, bytes.subarray(at)).written;
  }
  const filter = new BloomFilter({ capacity: 100_000, errorRate: 1e-5 }).addMany(lines(bytes));
  expect(filter.hasMany([...keys, '']).every(Boolean)).toBe(true);
  const lineBreaks = bytes.subarray(border - 50_001).filter((byte) => byte === 10).length;
  expect(lines(bytes).count()).toBe(lineBreaks);
  // The long line and empty ones are two more.
  expect(Math.abs(filter.estimateCount() / (keys.length + 2) - 1)).toBeLessThan(0.02);
});

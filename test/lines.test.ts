import { describe, expect, it } from 'vitest';
import { BloomFilter, lines } from '../src/index.ts';
import { randomFrom } from './random.ts';

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

import { describe, expect, it } from 'vitest';
import { BloomFilter, lines } from '../src/index.ts';
import { randomFrom } from './random.ts';

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

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lines } from '../src/index.ts';
import { entries, open, rowOf } from './kinds.ts';

interface Expected {
  bits: number;
  hashes: number;
  popcount: number;
  fnv1a: string;
}

const vectors = JSON.parse(readFileSync(new URL('./vectors/native.json', import.meta.url), 'utf8')) as {
  count: number;
  classic: Expected[];
};

function fnv1a(bytes: Uint8Array): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

const urls = Array.from({ length: 100_000 }, (_, i) => `https://example.org/${i * i}${i % 7 === 0 ? '/é漢😀' : ''}`);
const keys = [...urls, ''];
const text = new TextEncoder().encode(keys.map((key) => `${key}\n`).join(''));

describe.each(entries)('the bits that native code sets: $name', ({ engine }) => {
  it.each(vectors.classic)('are the same: $bits bits, $hashes hashes', ({ bits, hashes, popcount, fnv1a: hash }) => {
    expect(keys.length).toBe(vectors.count);
    for (const source of [keys, lines(text)]) {
      const { filter, bytes } = open(rowOf('classic').Core, engine, { bits, hashes });
      filter.addMany(source);
      expect(Math.round(filter.fillRatio() * bits)).toBe(popcount);
      expect(fnv1a(bytes())).toBe(hash);
    }
  });
});

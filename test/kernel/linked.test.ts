// Filters of an entry whose functions are in a linked module.

import { describe, expect, it } from 'vitest';
import * as jsWide from '../../src/entries/js/wide.ts';
import * as wasmWide from '../../src/entries/wide.ts';
import { BloomFilter } from '../../src/index.ts';
import { range } from '../shared/integers.ts';
import { wideBytes } from '../shared/oracle.ts';

describe.each([
  { name: 'wasm', api: wasmWide },
  { name: 'js', api: jsWide },
])('filters of a linked module: $name', ({ api: { WideBlockedBloomFilter } }) => {
  it('work alongside filters of the main entry, whose memory they do not share', () => {
    const filters = range(0, 20).map((i) => ({
      plain: new BloomFilter({ bits: 4096, hashes: 3 }).addMany([`plain ${i}`]),
      wide: new WideBlockedBloomFilter({ bits: 4096 }).addMany([`wide ${i}`]),
    }));
    for (const [i, { plain, wide }] of filters.entries()) {
      expect([plain.has(`plain ${i}`), wide.has(`wide ${i}`)]).toEqual([true, true]);
      expect(Math.round(plain.fillRatio() * 4096)).toBeLessThanOrEqual(3);
      expect(Math.round(wide.fillRatio() * 4096)).toBe(16);
    }
  });

  it('work after the memory has grown, which replaces its buffer', () => {
    const first = new WideBlockedBloomFilter({ bits: 51_200 }).addMany(range(0, 100));
    const others = range(0, 40).map(() => new WideBlockedBloomFilter({ bits: 2 ** 22 }).addMany(range(0, 10)));
    expect(first.toBytes().subarray(64)).toEqual(wideBytes(range(0, 100), 100, 0));
    expect(first.hasMany(range(0, 100))).toEqual(new Uint8Array(100).fill(1));
    for (const other of others) expect(other.equals(others[0] as typeof other)).toBe(true);
    first.addMany(range(0, 200));
    expect(first.toBytes().subarray(64)).toEqual(wideBytes(range(0, 200), 100, 0));
  });
});

import { describe, expect, it } from 'vitest';
import type * as js from '../../../src/entries/js.ts';
import * as wasm from '../../../src/index.ts';
import { blockedBitsOf, bytesOf, hashOf, indicesOf } from '../../../test/shared/oracle.ts';
import { CacheLines, describeLines, MOST_KEYS } from '../../src/how/models/cache-lines.ts';
import { nameAt } from '../../src/how/small/names.ts';

const engine = wasm as typeof js;
const BITS = 4096;
const HASHES = 8;

function distinctLines(bits: readonly number[]): number[] {
  return [...new Set(bits.map((bit) => Math.floor(bit / 512)))].sort((a, b) => a - b);
}

describe('the cache lines of a classic and a blocked filter', () => {
  it('are those of the bits in the specification', () => {
    const lines = new CacheLines(engine);
    for (const key of ['ada', '', 'é', ...Array.from({ length: 50 }, (_, i) => nameAt(i))]) {
      const { classic, blocked } = lines.linesOfKey(key);
      expect(classic).toEqual(distinctLines(indicesOf(key, BITS, HASHES, 0)));
      expect(blocked).toEqual(distinctLines(blockedBitsOf(hashOf(bytesOf(key), 0)[0], BITS / 256)));
      expect(blocked).toHaveLength(1);
    }
  });

  it('are counted once for each key', () => {
    const lines = new CacheLines(engine);
    const added = lines.add(100);
    expect(added).toEqual(Array.from({ length: 100 }, (_, i) => nameAt(i)));
    const sum = added.reduce((all, key) => all + lines.linesOfKey(key).classic.length, 0);
    expect(lines.read).toEqual({ classic: sum, blocked: 100 });
    expect(sum).toBeGreaterThan(400);
  });
});

describe('the step about cache lines', () => {
  it('stops at its limit, and says so', () => {
    const lines = new CacheLines(engine);
    expect(lines.add(MOST_KEYS + 1)).toHaveLength(MOST_KEYS);
    expect(lines.add(1)).toEqual([]);
    expect(lines.keys).toBe(MOST_KEYS);
    expect(describeLines([], lines.read, lines.wrong)).toBe('The filters have 1,000 keys: no more are added here.');
  });
});

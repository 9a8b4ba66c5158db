import { describe, expect, it } from 'vitest';
import * as js from '../../../src/entries/js.ts';
import * as wasm from '../../../src/index.ts';
import { blockedBitsOf, bytesOf, hashOf, indicesOf } from '../../../test/shared/oracle.ts';
import {
  CacheLines,
  cutIntoLines,
  describeLines,
  FIRST_KEYS,
  LINE_BITS,
  linesOf,
  MOST_KEYS,
} from '../../src/how/models/cache-lines.ts';
import { absentNames, nameAt } from '../../src/how/small/names.ts';

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

  it('cut the array without loss', () => {
    const bits = Array.from({ length: 2 * LINE_BITS }, (_, i) => i % 2);
    expect(cutIntoLines(bits).flat()).toEqual(bits);
    expect(linesOf(Uint8Array.from([...new Uint8Array(128), 4, ...new Uint8Array(63)]))).toEqual([2]);
  });
});

describe('the step about cache lines', () => {
  it('shows false positives after 50 more keys, more of them in the blocked filter', () => {
    const lines = new CacheLines(engine);
    lines.add(FIRST_KEYS);
    const before = lines.wrong;
    lines.add(50);
    const { classic, blocked } = lines.wrong;
    expect(classic).toBeGreaterThan(before.classic);
    expect(blocked).toBeGreaterThan(before.blocked);
    expect(blocked).toBeGreaterThan(classic);
  });

  it('shows the errors of the library, and its formulas', () => {
    const lines = new CacheLines(engine);
    const added = lines.add(400);
    const classic = new wasm.BloomFilter({ bits: BITS, hashes: HASHES });
    const blocked = new wasm.BlockedBloomFilter({ bits: BITS });
    for (const filter of [classic, blocked]) filter.addMany(added);
    expect(lines.wrong).toEqual({
      classic: classic.pick(absentNames).length,
      blocked: blocked.pick(absentNames).length,
    });
    expect(lines.expected.classic).toBe(10_000 * wasm.expectedErrorRate(400, BITS, HASHES));
    expect(lines.expected.blocked).toBe(10_000 * wasm.expectedBlockedErrorRate(400, BITS));
    const other = new CacheLines(js);
    other.add(400);
    expect(other.bits).toEqual(lines.bits);
  });

  it('stops at its limit, and says so', () => {
    const lines = new CacheLines(engine);
    expect(lines.add(MOST_KEYS + 1)).toHaveLength(MOST_KEYS);
    expect(lines.add(1)).toEqual([]);
    expect(lines.keys).toBe(MOST_KEYS);
    expect(describeLines([], lines.read, lines.wrong)).toBe('The filters have 1,000 keys: no more are added here.');
  });

  it('says how many lines were read', () => {
    const wrong = { classic: 3, blocked: 10 };
    expect(describeLines(['ada'], { classic: 6, blocked: 1 }, wrong)).toMatch(
      /^Added “ada”: the classic filter read 6 cache lines, the blocked one 1\. /,
    );
    expect(describeLines(['ada', 'bob'], { classic: 12, blocked: 2 }, wrong)).toMatch(
      /^Added 2 keys: .* 12 cache lines, the blocked one 2\. Of 10,000 names never added, 3 look .*, and 10 in /,
    );
  });
});

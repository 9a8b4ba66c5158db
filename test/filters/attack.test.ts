// docs/security.md: what somebody can do who chooses the keys of a filter, with and without a secret. The attacks are
// those of examples/strangers.

import { describe, expect, it } from 'vitest';
import { collidingIds, fillingNames } from '../../examples/strangers/attack.ts';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { hashKeys } from '../../src/hash.ts';
import { BloomFilter } from '../../src/index.ts';
import { keyed, keyedHashKeys } from '../../src/keyed.ts';
import { errorOf } from '../format/saved.ts';
import { expectRate } from '../shared/binomial.ts';
import { range } from '../shared/integers.ts';
import { murmur3 } from '../shared/oracle.ts';
import { SECRET } from '../shared/secret.ts';

const ERROR_RATE = 0.01;
/** How many keys the filters have, and have room for. */
const COUNT = 1000;
const options = { capacity: COUNT, errorRate: ERROR_RATE };

const ids = collidingIds(10);
const [first, ...others] = ids as [Uint8Array, ...Uint8Array[]];
const honest = range(0, COUNT - 1).map((i) => `user ${i}`);
const strangers = range(0, 50_000).map((i) => `guest ${i}`);

const KeyedBloom = keyed(BloomFilter, SECRET);
const KeyedCuckoo = keyed(CuckooFilter, SECRET);

/** Expects that as many keys look present as in a filter of random keys. */
function expectNominal(filter: BloomFilter, keys: readonly (string | Uint8Array)[]): void {
  expectRate(filter.pick(keys).length, keys.length, filter.estimateErrorRate(), 1.05, 1.05 * ERROR_RATE);
}

describe('keys with one hash', () => {
  it.each([0, 2 ** 32 - 1])('have it for every seed, look present once one is, and fill two buckets: %i', (seed) => {
    expect(new Set(ids.map(String)).size).toBe(1024);
    const hashes = new BigUint64Array(hashKeys(ids, { seed }).bytes.buffer);
    expect(hashes.subarray(0, 2)).toEqual(BigUint64Array.from(murmur3(first, seed)));
    expect(new Set(hashes).size).toBe(2);
    const filter = new BloomFilter({ ...options, seed }).addMany(honest);
    filter.add(first);
    expect(filter.omit(others)).toEqual([]);
    expectNominal(filter, strangers);
    const cuckoo = new CuckooFilter({ capacity: 100_000, errorRate: ERROR_RATE, seed });
    for (const id of ids.slice(0, 8)) cuckoo.add(id);
    expect(errorOf(() => cuckoo.add(ids[8] as Uint8Array))).toMatchObject({ code: 'COPIES' });
  });

  it('have other hashes under a secret, look present at the nominal rate, and all fit into a cuckoo filter', () => {
    expect(new Set(new BigUint64Array(keyedHashKeys(SECRET)(ids).bytes.buffer)).size).toBe(2 * ids.length);
    const filter = new KeyedBloom(options).addMany(honest);
    filter.add(first);
    expectNominal(filter, others);
    const cuckoo = new KeyedCuckoo({ capacity: 100_000, errorRate: ERROR_RATE }).addMany(ids);
    expect([cuckoo.count, cuckoo.omit(ids)]).toEqual([ids.length, []]);
  });
});

describe('keys that share no bit', () => {
  const { bits, hashes } = new BloomFilter(options);
  const filling = fillingNames(hashKeys, COUNT, bits, hashes);

  it('set as many bits as they have hashes, so other keys look present ten times as often', () => {
    const filter = new BloomFilter(options).addMany(filling);
    // Now and then, two hashes of one key have the same bit.
    expect(filter.fillRatio()).toBeGreaterThan((0.99 * COUNT * hashes) / bits);
    expect(filter.estimateErrorRate()).toBeGreaterThan(10 * ERROR_RATE);
    expectRate(filter.pick(strangers).length, strangers.length, filter.estimateErrorRate());
  });

  it('fill a filter under a secret no faster than others', () => {
    const filter = new KeyedBloom(options).addMany(filling);
    expectNominal(filter, strangers);
  });
});

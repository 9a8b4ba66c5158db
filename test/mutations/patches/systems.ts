// Patches of the files for other systems and for threads.

import type { Patches } from './patch.ts';

export const systems: Patches = {
  'remainder.ts': [
    ['<usize>(bit >> 5) << 2', '<usize>(<u32>bit >> 5) << 2', 'never reaches a bit past 2^32'],
    ['sign(c + (k - 1) * d)', 'sign(c + (k - 2) * d)', 'does not see that the last term has another sign'],
    ['distance * one - (distance & sign(distance))', 'distance * one', 'rounds a negative step wrongly'],
    [' && m * (k << 2) <= 1 << 32', '', 'estimates residues of more hashes than the estimates are good for'],
    ['INDICES / k)', 'INDICES / k + 1)', 'writes bits of a key too many to the work area'],
    ['+= size << 4;\n    flags += size;', '+= size << 4;', 'writes all flags over those of the first tile'],
  ],
  'divisor.ts': [
    ['(rest + m - 1) / m', 'rest / m', 'rounds a fraction down'],
    ['m > 1 << 31) return;', 'm >= 1 << 31) return;', 'has no constants for 2^31 bits'],
    ['<u64>m >> 31 ? x', '<u64>m >> 32 ? x', 'estimates residues of 2^31 bits and more'],
    ['return <u32>(f >> 32) + 1;', 'return <u32>(f >> 32);', 'rounds the upper half of a fraction down'],
    ['min<u64>(bits, 1 << 31)', 'bits', 'divides narrow terms by more than 2^31'],
    ['(((one * x) >> 32) + 1) * m', '((one * x) >> 32) * m', 'rounds the fraction of a narrow term down'],
  ],
  'residues.ts': [
    ['m >> 32) return', 'm >> 33) return', 'without SIMD, divides by m modulo 2^32 up to 2^33 bits'],
    [
      '<f64>(<u32>(x >> 32) % m)',
      '<f64>(<i32>(<u32>(x >> 32) % m))',
      'without SIMD, takes a residue from 2^31 on for a negative one',
    ],
  ],
  'terms.ts': [
    ['const a = <i64>load<i32>(hash)', 'const a = <i64>load<u32>(hash)', 'takes the first word of a hash for unsigned'],
    ['(<u32>(<i32>c >> 31) ^', '(<u32>(<i32>c >> 30) ^', 'takes terms from 2^30 on for negative ones'],
  ],
  'guava.ts': [
    ['hasAll(body, bits, k, narrow,', 'hasAll(body, bits, k, 0,', 'looks single keys up by one of the two strategies'],
  ],
  'spark.ts': [
    [
      'hasAll(body, bits, k, narrow, hashKey(text, key, length, seed)',
      'hasAll(body, bits, k, narrow, hashKey(text, key, length, 0)',
      'looks single keys up without the seed',
    ],
  ],
  'parquet.ts': [
    ['{ blocked_add_key, blocked_has_key }', '{ blocked_add_key }', 'looks single keys up by the hash of the kernel'],
  ],
  'go.ts': [
    ['if (rest == 15) {', 'if (rest == 14) {', 'does not see that the added byte completes a block'],
    ['length + 1, HASHES + 16)', 'length, HASHES + 16)', 'does not count the added byte'],
    ['look(body, <u64>bits, k, places', 'look(body, <u64><u32>bits, k, places', 'looks up many keys modulo 2^32 bits'],
  ],
  'redisbloom.ts': [
    ['look(body, <u64>bits, k, hashes', 'look(body, <u64><u32>bits, k, hashes', 'looks up many keys modulo 2^32 bits'],
    ['mark(body, <u64>bits, k, hashes', 'mark(body, <u64><u32>bits, k, hashes', 'adds many keys modulo 2^32 bits'],
  ],
  'threads.ts': [
    [
      'return loaded & bit ? loaded : atomic.or<u32>(word, bit);',
      'if (!(loaded & bit)) atomic.or<u32>(word, bit);\n  return loaded;',
      'tells two threads that they have set a bit',
    ],
    [
      'return loaded & bit ? loaded : atomic.or<u32>(word, bit);',
      'store<u32>(word, loaded | bit);\n  return loaded;',
      'loses bits that another thread sets meanwhile',
    ],
    [
      'return missing ? missing & ~atomic.or<u64>(word, missing) : 0;',
      'if (missing) atomic.or<u64>(word, missing);\n  return missing;',
      'tells two threads that they have set the bits of a block',
    ],
    ['setMissing(words + 8,', 'setMissing(words,', 'sets the bits of a half in the other one'],
  ],
  'shared.ts': [
    ['blocked_add, blocked_has,', 'blocked_has as blocked_add, blocked_has,', 'adds no key to a blocked filter'],
  ],
};

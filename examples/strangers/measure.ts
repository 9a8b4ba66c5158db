// Attacks filters with a public seed, with a secret seed and with a secret, by the same keys.
//
//   npm run example examples/strangers/measure.ts [NAMES]

import { BloomFilter, type Key } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { hashKeys } from 'bloomery/hash';
import { generateSecret } from 'bloomery/keyed';
import { heading, integer, must, percent, row, sizeArgument } from '../report.ts';
import { collidingIds, fillingNames } from './attack.ts';
import { classesUnder } from './strangers.ts';

const NAMES = sizeArgument('names', 2000);
const ERROR_RATE = 0.01;
const { Names, Sessions } = classesUnder(generateSecret());
const [secretSeed = 0] = crypto.getRandomValues(new Uint32Array(1));

const honest = Array.from({ length: NAMES }, (_, i) => `user ${i}`);
const strangers = Array.from({ length: 100_000 }, (_, i) => `guest ${i}`);
const options = { capacity: NAMES, errorRate: ERROR_RATE };

const share = (filter: BloomFilter, keys: readonly Key[]): number => filter.pick(keys).length / keys.length;

const [first = new Uint8Array(0), ...others] = collidingIds(12);
heading(`One id is added. The share of ${integer(others.length)} others, made by a stranger, that look present`);
const found = [
  ['public seed', new BloomFilter(options)],
  ['secret seed', new BloomFilter({ ...options, seed: secretSeed })],
  ['secret', new Names(options)],
].map(([label, filter]) => {
  const names = filter as BloomFilter;
  names.addMany(honest.slice(1)).add(first);
  row(label as string, percent(share(names, others)), `of all others: ${percent(share(names, strangers))}`);
  return share(names, others);
});

/** How many keys a filter takes before it refuses one. */
function taken(filter: CuckooFilter, keys: readonly Key[]): number {
  for (const [i, key] of keys.entries()) {
    try {
      filter.add(key);
    } catch {
      return i;
    }
  }
  return keys.length;
}

heading(`Of the ${integer(others.length)} ids, a cuckoo filter with room for ${integer(100_000)} takes`);
const room = { capacity: 100_000, errorRate: ERROR_RATE };
const refused = taken(new CuckooFilter({ ...room, seed: secretSeed }), others);
const accepted = taken(new Sessions(room), others);
row('secret seed', integer(refused));
row('secret', integer(accepted));

heading(
  `A stranger adds ${integer(NAMES)} chosen names, for which there is room. The share of others that look present`,
);
const { bits, hashes } = new BloomFilter(options);
const filling = fillingNames(hashKeys, NAMES, bits, hashes);
const filled = share(new BloomFilter(options).addMany(filling), strangers);
const kept = share(new Names(options).addMany(filling), strangers);
row('public seed', percent(filled));
row('secret', percent(kept));

must(found[0] === 1 && found[1] === 1 && refused <= 8, 'the attack works without a secret');
must((found[2] ?? 1) < 3 * ERROR_RATE, 'under a secret, colliding ids look present no more often than others');
must(accepted === others.length, 'a cuckoo filter with a secret takes all ids');
must(filled > 5 * ERROR_RATE && kept < 1.5 * ERROR_RATE, 'a stranger cannot fill a filter with a secret faster');

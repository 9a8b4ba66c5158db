// Makes the vectors in test/vectors/migrate, from a package in the node_modules of a folder:
// `npx tsx test/migrate/make.ts bloom-filters bench > test/vectors/migrate/bloom-filters-3.0.4.json`.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { awkwardStrings, randomBytes } from '../shared/awkward.ts';
import { randomFrom } from '../shared/random.ts';
import type { Vectors } from './vectors.ts';

/** A filter to make. Of `bloomfilter`, the type tells how it is saved. */
type Setting = readonly [type: string, size: number, hashes: number, seed?: number];

/** What is used of the filters of both packages. */
interface TheirFilter {
  seed: number;
  readonly buckets: ArrayLike<number>;
  add(key: string | Uint8Array): void;
  has(key: string | Uint8Array): boolean;
  test(key: string | Uint8Array): boolean;
  saveAsJSON(): object;
  toJSON?(): object;
}

type Classes = Readonly<Record<string, new (size: number, hashes: number, loadFactor?: number) => TheirFilter>>;

/** Keys of every length and alphabet: prefixes of words, pairs of surrogates and halves of them, long ones. */
function strings(count: number, seed: number): string[] {
  const random = randomFrom(seed);
  const alphabets = ['abcdefghij-', 'àéîõüß', '漢字かなカナ', '😀👨‍👩‍👧🦊', '\ud800\udfffx\udbff\udc00é'];
  const made = awkwardStrings(count, seed + 1).map((awkward, i) => {
    if (i % 4 === 0) return awkward;
    const alphabet = alphabets[random(alphabets.length)] as string;
    const length = random(20) === 0 ? random(400) : random(40);
    return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join('');
  });
  // A long one that is hashed in several pieces, and one whose last piece is empty.
  return ['', ...made, 'é漢😀a'.repeat(700), 'a'.repeat(2048)];
}

/** Byte keys of 0 to 70 bytes, and longer than a piece. */
function byteKeys(seed: number): Buffer[] {
  return [...Array.from({ length: 71 }, (_, i) => i), 1024, 1056, 3001].map((length) =>
    Buffer.from(randomBytes(length, seed + length)),
  );
}

/** Sizes that are and are not multiples of bytes and words, and odd seeds. */
const ofPackages: Readonly<Record<string, readonly Setting[]>> = {
  'bloom-filters': [
    ['BloomFilter', 1, 1],
    ['BloomFilter', 3, 9],
    ['BloomFilter', 257, 1],
    ['BloomFilter', 1000, 3, 0],
    ['BloomFilter', 1024, 4, -1],
    ['BloomFilter', 1031, 7, -2],
    ['BloomFilter', 2500, 5, 2 ** 32 + 7],
    ['BloomFilter', 2501, 40, 0.5],
    ['BloomFilter', 4099, 10, -(2 ** 40) - 3],
    ['CountingBloomFilter', 301, 2],
    ['CountingBloomFilter', 640, 5, 9],
    // Version 2 saves these otherwise.
    ['PartitionedBloomFilter', 700, 1],
    ['PartitionedBloomFilter', 1001, 4],
    ['PartitionedBloomFilter', 2048, 8, 3],
  ],
  bloomfilter: [
    ['buckets', 32, 1],
    ['buckets', 32, 40],
    ['buckets', 250, 2],
    ['buckets', 1000, 3],
    ['buckets', 1024, 7],
    ['buckets', 4100, 10],
    ['json', 3000, 5],
  ],
};

const binary = (flags: readonly boolean[]): string => flags.map(Number).join('');

const [name = '', folder = 'bench'] = process.argv.slice(2);
const home = join(resolve(folder), 'node_modules', name);
const { version }: { version: string } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const isBloomfilter = name === 'bloomfilter';
const main = isBloomfilter ? join(home, 'bloomfilter.js') : createRequire(join(home, 'any.js')).resolve(home);
const classes: Classes = await import(pathToFileURL(main).href);
const keys = strings(300, 33);
const bytes = isBloomfilter ? [] : byteKeys(33);

/** What a package saves for a setting, and what it answers. The last strings were added, and the first bytes. */
function filterOf([type, size, hashes, seed]: Setting): Vectors['filters'][number] {
  const filter = new (classes[isBloomfilter ? 'BloomFilter' : type] as Classes[string])(size, hashes, 0.5);
  if (seed !== undefined) filter.seed = seed;
  // So many that about half of the bits are set.
  const members = Math.min(Math.ceil((0.7 * size) / hashes), keys.length >> 1);
  // From the end, where the long ones are, so that short ones are absent too.
  for (const key of keys.slice(-members)) filter.add(key);
  for (const key of bytes.slice(0, members >> 2)) filter.add(key);
  const has = (key: string | Uint8Array): boolean => (isBloomfilter ? filter.test(key) : filter.has(key));
  const buckets = (): object => ({ saved: Array.from(filter.buckets), hashes });
  const saved = isBloomfilter ? type === 'json' && filter.toJSON?.() : filter.saveAsJSON();
  const answers = { members, strings: binary(keys.map(has)), bytes: binary(bytes.map(has)) };
  return { ...((saved ? { saved } : buckets()) as { saved: object }), ...answers };
}

const settings = ofPackages[name]?.filter(([type]) => !version.startsWith('2.') || !type.startsWith('Partitioned'));
const filters = settings?.map(filterOf);
console.log(
  JSON.stringify({ version, strings: keys, bytes: bytes.map((key) => key.toString('hex')), filters }, null, 1),
);

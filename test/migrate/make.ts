// Makes the vectors in test/vectors/migrate, from a package in the node_modules of a folder:
// `npx tsx test/migrate/make.ts bloom-filters bench > test/vectors/migrate/bloom-filters-3.0.4.json`.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { awkwardStrings, randomBytes } from '../shared/awkward.ts';
import { randomFrom } from '../shared/random.ts';
import type { Vectors } from './vectors.ts';

/** A filter of one of the packages: it is filled, saved and asked. */
interface TheirFilter {
  add(key: string | Uint8Array): void;
  has(key: string | Uint8Array): boolean;
  /** What it saves, and the number of hashes where that does not contain it. */
  save(): { readonly saved: object; readonly hashes?: number };
}

/** A filter to make. */
interface Setting {
  readonly type: string;
  readonly size: number;
  readonly hashes: number;
  readonly seed?: number;
}

/** Makes an empty filter. */
type Maker = (setting: Setting) => TheirFilter;

interface BloomFiltersFilter {
  seed: number;
  add(key: string | Uint8Array): void;
  has(key: string | Uint8Array): boolean;
  saveAsJSON(): object;
}

type BloomFiltersModule = Readonly<
  Record<string, new (size: number, hashes: number, loadFactor?: number) => BloomFiltersFilter>
>;

/** Makes filters of the `bloom-filters` that a folder contains. */
function bloomFiltersIn(folder: string): Maker {
  const load = createRequire(join(resolve(folder), 'of-any-name.js'));
  const classes = load('bloom-filters') as BloomFiltersModule;
  return ({ type, size, hashes, seed }) => {
    const Class = classes[type];
    if (Class === undefined) throw new Error(`bloom-filters has no ${type}`);
    const filter = new Class(size, hashes, 0.5);
    if (seed !== undefined) filter.seed = seed;
    return {
      add: (key) => filter.add(key),
      has: (key) => filter.has(key),
      save: () => ({ saved: filter.saveAsJSON() }),
    };
  };
}

interface BloomfilterModule {
  readonly BloomFilter: new (
    bits: number,
    hashes: number,
  ) => {
    readonly buckets: ArrayLike<number>;
    readonly k: number;
    add(key: unknown): void;
    test(key: unknown): boolean;
    toJSON?(): object;
  };
}

/** Makes filters of the `bloomfilter` that a folder contains. */
async function bloomfilterIn(folder: string): Promise<Maker> {
  const file = pathToFileURL(join(resolve(folder), 'node_modules/bloomfilter/bloomfilter.js'));
  const { BloomFilter } = (await import(file.href)) as BloomfilterModule;
  return ({ type, size, hashes }) => {
    const filter = new BloomFilter(size, hashes);
    return {
      add: (key) => filter.add(key),
      has: (key) => filter.test(key),
      save() {
        if (type === 'json' && filter.toJSON) return { saved: filter.toJSON() };
        return { saved: Array.from(filter.buckets), hashes };
      },
    };
  };
}

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

/** Filters of `bloom-filters` with sizes that are and are not multiples of bytes and words, and odd seeds. */
const bloomFiltersSettings: readonly Setting[] = [
  { type: 'BloomFilter', size: 1, hashes: 1 },
  { type: 'BloomFilter', size: 3, hashes: 9 },
  { type: 'BloomFilter', size: 257, hashes: 1 },
  { type: 'BloomFilter', size: 1000, hashes: 3, seed: 0 },
  { type: 'BloomFilter', size: 1024, hashes: 4, seed: -1 },
  { type: 'BloomFilter', size: 1031, hashes: 7, seed: -2 },
  { type: 'BloomFilter', size: 2500, hashes: 5, seed: 2 ** 32 + 7 },
  { type: 'BloomFilter', size: 2501, hashes: 40, seed: 0.5 },
  { type: 'BloomFilter', size: 4099, hashes: 10, seed: -(2 ** 40) - 3 },
  { type: 'CountingBloomFilter', size: 301, hashes: 2 },
  { type: 'CountingBloomFilter', size: 640, hashes: 5, seed: 9 },
];

/** Filters whose JSON version 2 saves otherwise. */
const partitionedSettings: readonly Setting[] = [
  { type: 'PartitionedBloomFilter', size: 700, hashes: 1 },
  { type: 'PartitionedBloomFilter', size: 1001, hashes: 4 },
  { type: 'PartitionedBloomFilter', size: 2048, hashes: 8, seed: 3 },
];

const bloomfilterSettings: readonly Setting[] = [
  { type: 'buckets', size: 32, hashes: 1 },
  { type: 'buckets', size: 32, hashes: 40 },
  { type: 'buckets', size: 250, hashes: 2 },
  { type: 'buckets', size: 1000, hashes: 3 },
  { type: 'buckets', size: 1024, hashes: 7 },
  { type: 'buckets', size: 4100, hashes: 10 },
  { type: 'json', size: 3000, hashes: 5 },
];

/** How many keys a filter gets, so that about half of its bits are set. */
function membersFor({ size, hashes }: Setting): number {
  return Math.ceil((0.7 * size) / hashes);
}

const ofPackages = {
  'bloom-filters': { maker: bloomFiltersIn, settings: bloomFiltersSettings, takesBytes: true },
  bloomfilter: { maker: bloomfilterIn, settings: bloomfilterSettings, takesBytes: false },
};

const binary = (flags: readonly boolean[]): string => flags.map(Number).join('');

/** What a package saves for each setting, and what it answers. The first keys were added. */
function vectorsOf(make: Maker, settings: readonly Setting[], takesBytes: boolean): Omit<Vectors, 'version'> {
  const keys = strings(300, 33);
  const bytes = takesBytes ? byteKeys(33) : [];
  const filters = settings.map((setting) => {
    const filter = make(setting);
    const members = Math.min(membersFor(setting), keys.length >> 1);
    // From the end, where the long ones are, so that short ones are absent too.
    for (const key of keys.slice(-members)) filter.add(key);
    for (const key of bytes.slice(0, members >> 2)) filter.add(key);
    return {
      ...filter.save(),
      members,
      strings: binary(keys.map((key) => filter.has(key))),
      bytes: binary(bytes.map((key) => filter.has(key))),
    };
  });
  return { strings: keys, bytes: bytes.map((key) => key.toString('hex')), filters };
}

const [name, folder = 'bench'] = process.argv.slice(2);
if (name === 'bloom-filters' || name === 'bloomfilter') {
  const { maker, settings, takesBytes } = ofPackages[name];
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  const all = name === 'bloom-filters' && !version.startsWith('2.') ? [...settings, ...partitionedSettings] : settings;
  console.log(JSON.stringify({ version, ...vectorsOf(await maker(folder), all, takesBytes) }, null, 1));
}

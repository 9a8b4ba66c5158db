// Compares with the packages themselves, as bench/ has them: `npm run test:all`.

import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { fromBloomFilters, fromBloomfilter, type MigratedFilter, type SavedBloomfilter } from '../../src/migrate.ts';
import { randomFrom } from '../shared/random.ts';
import { vectorsOf } from './make.ts';
import {
  bloomFiltersIn,
  bloomFiltersSettings,
  bloomfilterIn,
  bloomfilterSettings,
  byteKeys,
  type Maker,
  membersFor,
  partitionedSettings,
  type Setting,
  strings,
} from './packages.ts';
import { readVectors } from './vectors.ts';

const FOLDER = 'bench';

let makeBloomFilters: Maker;
let makeBloomfilter: Maker;
beforeAll(async () => {
  execFileSync(process.execPath, ['--import', 'tsx', 'tools/install.ts', FOLDER], { stdio: 'inherit' });
  makeBloomFilters = bloomFiltersIn(FOLDER);
  makeBloomfilter = await bloomfilterIn(FOLDER);
}, 300_000);

const random = randomFrom(33);

/** Sizes and numbers of hashes of all magnitudes. */
function randomSettings(types: readonly string[], count: number): Setting[] {
  return Array.from({ length: count }, (_, i) => ({
    type: types[i % types.length] as string,
    size: 40 + random(2 ** (6 + (i % 9))),
    hashes: 1 + random(12),
    seed: random(2 ** 31) - 2 ** 30,
  }));
}

/** Checks the answers for members and for others, some of which look present in both filters. */
function compare(
  setting: Setting,
  make: Maker,
  read: (saved: object, hashes?: number) => MigratedFilter<string>,
): void {
  const theirs = make(setting);
  const keys = strings(1000, setting.size);
  for (const key of keys.slice(0, Math.min(membersFor(setting), 500))) theirs.add(key);
  const { saved, hashes } = theirs.save();
  // As it arrives from a file.
  const ours = read(JSON.parse(JSON.stringify(saved)) as object, hashes);
  const answers = keys.map((key) => theirs.has(key));
  expect(keys.map((key) => ours.has(key))).toEqual(answers);
  expect([...ours.hasMany(keys)]).toEqual(answers.map(Number));
}

describe('fromBloomFilters, beside the package', () => {
  const read = (saved: object): MigratedFilter<string> => fromBloomFilters(saved as { type: string });
  const types = ['BloomFilter', 'BloomFilter', 'CountingBloomFilter', 'PartitionedBloomFilter'];

  it.each(randomSettings(types, 24))('answers as the package: $type, $size bits, $hashes hashes', (setting) =>
    compare(setting, makeBloomFilters, read),
  );

  it('answers as the package about bytes', () => {
    const theirs = makeBloomFilters({ type: 'BloomFilter', size: 500, hashes: 4 });
    const keys = byteKeys(1);
    for (const key of keys.slice(0, 20)) theirs.add(key);
    const ours = fromBloomFilters(theirs.save().saved as { type: string });
    expect(keys.map((key) => ours.has(key))).toEqual(keys.map((key) => theirs.has(key)));
  });

  it('has vectors that the package still makes', () => {
    const { version, ...vectors } = readVectors('bloom-filters-3.0.4');
    const settings = [...bloomFiltersSettings, ...partitionedSettings];
    expect(JSON.parse(JSON.stringify(vectorsOf(makeBloomFilters, settings, true)))).toEqual(vectors);
  });
});

describe('fromBloomfilter, beside the package', () => {
  const read = (saved: object, hashes?: number): MigratedFilter<string> =>
    hashes === undefined
      ? fromBloomfilter(saved as SavedBloomfilter)
      : fromBloomfilter(saved as readonly number[], hashes);

  it.each(randomSettings(['buckets', 'json'], 20))(
    'answers as the package: $type, $size bits, $hashes hashes',
    (setting) => compare(setting, (each) => makeBloomfilter(each), read),
  );

  it('answers as the package about numbers', () => {
    const theirs = makeBloomfilter({ type: 'buckets', size: 1000, hashes: 3 });
    const numbers = [0, -0, 1, -1.5, 1e21, 1e-7, Number.NaN, Infinity, 2 ** 53];
    const keys = [...numbers, 7n, -(2n ** 70n)];
    for (const key of keys) theirs.add(key as never);
    const { saved, hashes } = theirs.save();
    const ours = fromBloomfilter(saved as readonly number[], hashes as number);
    expect([...ours.hasMany(keys)]).toEqual(keys.map(() => 1));
    expect(ours.pick(keys.map(String))).toEqual(keys.map(String));
  });

  it('has vectors that the package still makes', () => {
    const { version, ...vectors } = readVectors('bloomfilter-1.1.0');
    expect(JSON.parse(JSON.stringify(vectorsOf(makeBloomfilter, bloomfilterSettings, false)))).toEqual(vectors);
  });
});

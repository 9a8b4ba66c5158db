// The kinds of which not everything holds that holds of all others: a cuckoo filter can be full, and a fuse filter is
// made of all its keys at once.

import type { Key, Keys } from 'bloomery';
import * as cuckoo from 'bloomery/cuckoo';
import * as jsCuckoo from 'bloomery/cuckoo/js';
import * as fuse from 'bloomery/fuse';
import * as jsFuse from 'bloomery/fuse/js';
import { concat, inChunks } from '../../stream-tools.ts';
import { errorOf, holds, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { type GoldenFile, goldenBytes, goldenKeys, goldenOf } from './golden.ts';
import { type Input, inputs } from './inputs.ts';

type CuckooClass = typeof cuckoo.CuckooFilter | typeof jsCuckoo.CuckooFilter;
type FuseClass = typeof fuse.BinaryFuseFilter | typeof jsFuse.BinaryFuseFilter;
type OtherFilter = cuckoo.CuckooFilter | fuse.BinaryFuseFilter;

/** What the classes have in common. */
interface SavedClass {
  readonly kind: string;
  prepare(): Promise<void>;
  fromBytes(bytes: Uint8Array): OtherFilter;
  fromChunks(chunks: Iterable<Uint8Array>): OtherFilter;
  fromChunks(chunks: ReadableStream<Uint8Array>): Promise<OtherFilter>;
}

/** One of these kinds on one of the engines. */
interface Other {
  readonly name: string;
  readonly Filter: SavedClass;
  /** The class of the other engine. */
  readonly Twin: SavedClass;
  /** Makes a filter that holds each of the keys, of which some may be equal. */
  of(keys: Keys, seed: number): OtherFilter;
  /** Makes the filter that a golden file holds. */
  again(file: GoldenFile, keys: readonly Key[]): OtherFilter;
}

/** More keys than any input has. */
const ROOM = 10_000;

function cuckooOn(engine: string, Filter: CuckooClass, Twin: CuckooClass): Other {
  return {
    name: `${engine}, cuckoo`,
    Filter: Filter as object as SavedClass,
    Twin: Twin as object as SavedClass,
    of(keys, seed) {
      const filter = new Filter({ capacity: ROOM, errorRate: 1e-6, seed });
      filter.dedupe(keys);
      return filter;
    },
    again({ promise, cells, bits = 0, seed }, keys) {
      const size = promise ?? { buckets: cells / 4, fingerprintBits: bits };
      return new Filter({ ...size, seed }).addMany(keys);
    },
  };
}

function fuseOn(engine: string, Filter: FuseClass, Twin: FuseClass): Other {
  return {
    name: `${engine}, fuse`,
    Filter: Filter as object as SavedClass,
    Twin: Twin as object as SavedClass,
    of: (keys, seed) => Filter.from(keys, { errorRate: 1e-6, seed }),
    again: ({ bits = 0, seed }, keys) => Filter.from(keys, { fingerprintBits: bits, seed }),
  };
}

const others: readonly Other[] = [
  cuckooOn('wasm', cuckoo.CuckooFilter, jsCuckoo.CuckooFilter),
  cuckooOn('js', jsCuckoo.CuckooFilter, cuckoo.CuckooFilter),
  fuseOn('wasm', fuse.BinaryFuseFilter, jsFuse.BinaryFuseFilter),
  fuseOn('js', jsFuse.BinaryFuseFilter, fuse.BinaryFuseFilter),
];

function checkInput({ of }: Other, { many, singles }: Input): string {
  const filter = of(many(), 2_718_281_828);
  sameBytes(of(singles, 2_718_281_828).toBytes(), filter.toBytes(), 'made of single keys');
  sameList(filter.hasMany(many()), new Uint8Array(singles.length).fill(1), 'flags of hasMany');
  const probes = singles.slice(0, 500).flatMap((key): Key[] => [key, `${key}?`]);
  sameList(
    filter.hasMany(probes),
    probes.map((key) => Number(filter.has(key))),
    'flags of probes',
  );
  return compared(digestOf(filter.toBytes()));
}

function checkGolden({ Filter, again }: Other, file: GoldenFile): void {
  const [saved, keys] = [goldenBytes(file), goldenKeys(file)];
  const loaded = Filter.fromBytes(saved);
  sameList([loaded.cellCount, loaded.cellBits, loaded.seed], [file.cells, file.bits ?? 0, file.seed], 'parameters');
  sameList(loaded.hasMany(keys), new Uint8Array(keys.length).fill(1), 'flags');
  sameBytes(loaded.toBytes(), saved, 'saved again');
  sameBytes(again(file, keys).toBytes(), saved, 'built from its keys');
}

async function checkSaving({ Filter, Twin, of }: Other): Promise<void> {
  const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
  const filter = of(keys, 1);
  const saved = filter.toBytes();
  sameBytes(concat([...filter.toChunks()]), saved, 'the chunks');
  for (const size of [1, 7919, saved.length]) {
    const read = Filter.fromChunks(inChunks(saved, size));
    sameBytes(read.toBytes(), saved, `loaded from chunks of ${size} bytes`);
  }
  const streamed = await Filter.fromChunks(new Blob([saved]).stream());
  sameBytes(streamed.toBytes(), saved, 'loaded from a stream');
  const moved = Twin.fromBytes(saved);
  holds(moved.engine !== filter.engine, 'loaded by the other engine');
  sameBytes(moved.toBytes(), saved, 'saved by the other engine');
  for (const at of [0, 5, 20, saved.length - 1]) {
    const damaged = saved.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const error = await errorOf(() => Filter.fromBytes(damaged), `damaged at ${at}`);
    holds(error instanceof RangeError, `damaged at ${at}: ${error}`);
  }
  const cut = await errorOf(() => Filter.fromBytes(saved.subarray(0, saved.length - 1)), 'cut off');
  holds(cut instanceof RangeError, `cut off: ${cut}`);
}

async function checkPrepare({ Filter, of }: Other): Promise<void> {
  await Filter.prepare();
  holds(of(['ada'], 0).has('ada'), 'a filter after prepare()');
}

/** Removal, merging and refusals of cuckoo filters. */
async function checkCuckoo(Filter: CuckooClass): Promise<string> {
  const keys = Array.from({ length: 900 }, (_, i) => `key ${i}`);
  const options = { capacity: 1000, errorRate: 1e-6 };
  const [one, two] = [Filter.from(keys.slice(0, 500), options), Filter.from(keys.slice(400), options)];
  const both = one.union(two);
  sameBytes(one.merge(two).toBytes(), both.toBytes(), 'merge gives the union');
  same(both.count, 1000, 'keys, of which 100 are there twice');
  same(both.countOf('key 450'), 2, 'copies');
  both.removeMany(keys.slice(400, 500));
  sameList(both.hasMany(keys), new Uint8Array(900).fill(1), 'all are left');
  const shown = [
    await errorOf(() => one.merge(two), 'too many keys'),
    await errorOf(() => two.addMany(keys.flatMap((key) => [key, key])), 'too many keys'),
    await errorOf(() => two.addMany(Array<string>(9).fill('ada')), 'too many copies'),
    await errorOf(() => new Filter({ buckets: 3, fingerprintBits: 8 }), 'an odd number of buckets'),
  ];
  return compared([...shown, digestOf(both.toBytes()), digestOf(two.toBytes())].join('\n'));
}

/** First of all checks on a page: see `index.ts`. */
export const otherPrepare: readonly Check[] = others.map(
  (kind): Check => [`${kind.name}: prepare()`, () => checkPrepare(kind)],
);

export const otherKinds: readonly Check[] = [
  ...others.flatMap((kind) =>
    goldenOf(kind.Filter.kind).map(
      (file): Check => [`${kind.name}: ${file.file} is read, saved and built`, () => checkGolden(kind, file)],
    ),
  ),
  ...others.flatMap((kind) =>
    inputs.map((input): Check => [`${kind.name}: ${input.name}`, () => checkInput(kind, input)]),
  ),
  ...others.map((kind): Check => [`${kind.name}: saved, loaded, damaged`, () => checkSaving(kind)]),
  ['wasm, cuckoo: remove, merge, refuse', () => checkCuckoo(cuckoo.CuckooFilter)],
  ['js, cuckoo: remove, merge, refuse', () => checkCuckoo(jsCuckoo.CuckooFilter)],
];

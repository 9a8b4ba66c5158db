// The kinds that take any number of keys: they grow, or they forget.

import { RotatingBloomFilter } from 'bloomery/rotating';
import { RotatingBloomFilter as JsRotating } from 'bloomery/rotating/js';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ScalableBloomFilter as JsScalable } from 'bloomery/scalable/js';
import files from 'golden-files';
import { concat, inChunks } from '../../stream-tools.ts';
import { errorOf, holds, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { inputs } from './inputs.ts';

type RotatingClass = typeof RotatingBloomFilter | typeof JsRotating;
type ScalableClass = typeof ScalableBloomFilter | typeof JsScalable;

/** What the classes have in common. */
interface Endless {
  new (options: object): RotatingBloomFilter | ScalableBloomFilter;
  readonly kind: string;
  prepare(): Promise<void>;
  fromBytes(bytes: Uint8Array): RotatingBloomFilter | ScalableBloomFilter;
  fromChunks(chunks: Iterable<Uint8Array>): RotatingBloomFilter | ScalableBloomFilter;
}

interface EndlessOnEngine {
  readonly name: string;
  readonly Filter: Endless;
  /** The class of the other engine. */
  readonly Twin: Endless;
}

const on = (engine: string, Filter: RotatingClass | ScalableClass, Twin: RotatingClass | ScalableClass) =>
  ({ name: `${engine}, ${Filter.kind}`, Filter, Twin }) as object as EndlessOnEngine;

const kinds: readonly EndlessOnEngine[] = [
  on('wasm', RotatingBloomFilter, JsRotating),
  on('js', JsRotating, RotatingBloomFilter),
  on('wasm', ScalableBloomFilter, JsScalable),
  on('js', JsScalable, ScalableBloomFilter),
];

/** So many keys that each filter grows or forgets. */
const CAPACITY = 100;

function checkKeys({ Filter }: EndlessOnEngine): string {
  const digests = inputs.map(({ many, singles }) => {
    const filter = new Filter({ capacity: CAPACITY, seed: 2_718_281_828 }).addMany(many());
    const one = new Filter({ capacity: CAPACITY, seed: 2_718_281_828 });
    for (const key of singles) one.add(key);
    sameBytes(one.toBytes(), filter.toBytes(), 'made of single keys');
    const last = singles.slice(-CAPACITY);
    sameList(filter.hasMany(last), new Uint8Array(last.length).fill(1), 'the last keys');
    sameList(
      filter.pick(singles),
      singles.filter((key) => filter.has(key)),
      'pick',
    );
    return digestOf(filter.toBytes());
  });
  return compared(digests.join('\n'));
}

async function checkSaving({ Filter, Twin }: EndlessOnEngine): Promise<void> {
  const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
  const filter = new Filter({ capacity: CAPACITY }).addMany(keys);
  const saved = filter.toBytes();
  sameBytes(concat([...filter.toChunks()]), saved, 'the chunks');
  for (const size of [1, 97, saved.length]) {
    sameBytes(Filter.fromChunks(inChunks(saved, size)).toBytes(), saved, `loaded from chunks of ${size} bytes`);
  }
  const moved = Twin.fromBytes(saved);
  holds(moved.engine !== filter.engine, 'loaded by the other engine');
  sameBytes(moved.addMany(keys).toBytes(), filter.addMany(keys).toBytes(), 'both go on in the same way');
  for (const at of [0, 5, 20, 66, 140, saved.length - 1]) {
    const damaged = saved.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const error = await errorOf(() => Filter.fromBytes(damaged), `damaged at ${at}`);
    holds(error instanceof RangeError, `damaged at ${at}: ${error}`);
  }
}

function checkGolden({ Filter }: EndlessOnEngine): void {
  const own = files.filter(({ kind }) => kind === Filter.kind);
  holds(own.length > 0, 'there are files');
  for (const { base64, file } of own) {
    const saved = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    sameBytes(Filter.fromBytes(saved).toBytes(), saved, file);
  }
}

async function checkPrepare({ Filter }: EndlessOnEngine): Promise<void> {
  await Filter.prepare();
  same(new Filter({ capacity: 1 }).addMany(['a']).has('a'), true, 'a filter works');
}

function checkTime(Filter: RotatingClass): void {
  let now = 0;
  const filter = new Filter({ capacity: 1000, window: 300, errorRate: 0.001, clock: () => now });
  filter.add('a');
  now = 300;
  same(filter.has('a'), true, 'within the window');
  now = 400;
  same(filter.has('a'), false, 'after the window');
  same(filter.rotations, 4, 'rotations');
}

function checkGrowth(Filter: ScalableClass): string {
  const filter = new Filter({ capacity: 10 });
  filter.addMany(Uint32Array.from({ length: 100_000 }, (_, i) => i));
  holds(filter.estimateErrorRate() < 0.0101, 'it keeps its error rate');
  return compared(`${filter.slices} ${filter.count} ${digestOf(filter.toBytes())}`);
}

/** Runs first: see `index.ts`. */
export const endlessPrepare: readonly Check[] = kinds.map((kind) => [
  `${kind.name}: prepare()`,
  () => checkPrepare(kind),
]);

export const endless: readonly Check[] = [
  ...kinds.flatMap((kind): Check[] => [
    [`${kind.name}: keys of every shape`, () => checkKeys(kind)],
    [`${kind.name}: saved, loaded, damaged`, () => checkSaving(kind)],
    [`${kind.name}: files of an earlier version`, () => checkGolden(kind)],
  ]),
  ['wasm, rotating: time passes', () => checkTime(RotatingBloomFilter)],
  ['js, rotating: time passes', () => checkTime(JsRotating)],
  ['wasm, scalable: growth', () => checkGrowth(ScalableBloomFilter)],
  ['js, scalable: growth', () => checkGrowth(JsScalable)],
];

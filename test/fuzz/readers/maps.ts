// Maps of random keys, values, widths, seeds and shards, on both engines, with a secret and without one. Each value is
// compared with that of a `Map`.

import { FuseMap } from '../../../src/entries/fuse-map.ts';
import { FuseMap as JsFuseMap } from '../../../src/entries/js/fuse-map.ts';
import { FuseMapLookup } from '../../../src/entries/lookup.ts';
import { openFilter } from '../../../src/entries/open.ts';
import { type Key, lines } from '../../../src/index.ts';
import { underSecret } from '../../shared/kinds.ts';
import { attempt, type Outcome, pick, type Random, type Reader, require } from '../subject.ts';
import { rangesOf } from './files.ts';

type MapClass = typeof FuseMap;

const both = [FuseMap, JsFuseMap as object as MapClass] as const;
const [wasm, js] = both;
const [keyedWasm, keyedJs] = both.map((Class) => underSecret(Class as never) as object as MapClass) as [
  MapClass,
  MapClass,
];
const engines = [
  { Class: wasm, Twin: js, isKeyed: false },
  { Class: js, Twin: wasm, isKeyed: false },
  { Class: keyedWasm, Twin: keyedJs, isKeyed: true },
  { Class: keyedJs, Twin: keyedWasm, isKeyed: true },
] as const;

/** The most keys of a map, by how often it is chosen. */
const SIZES = [0, 3, 40, 40, 300, 300, 300, 3000, 20_000] as const;
/** As many absent keys are looked up, and at most as many single calls and keys in a file. */
const SOME = 200;

/** Where keys come from. A source takes all keys as strings, as numbers, or as both. */
const sources: Readonly<Record<string, readonly [keyOf: (i: number) => Key, from: (keys: readonly Key[]) => unknown]>> =
  {
    array: [(i) => (i % 3 === 0 ? i : `key ${i}`), (keys) => keys],
    iterable: [(i) => `${i}`, (keys) => keys.values()],
    bytes: [(i) => `\u{1f600}${i}`, (keys) => keys.map((key) => new TextEncoder().encode(key as string))],
    integers: [(i) => i, (keys) => Uint32Array.from(keys as number[])],
    lines: [(i) => `line ${i}`, (keys) => lines(new TextEncoder().encode(keys.map((key) => `${key}\n`).join('')))],
  };

interface Entries {
  readonly keys: readonly Key[];
  readonly values: readonly number[];
  /** The value of each key; undefined if a key has two. */
  readonly model: ReadonlyMap<Key, number> | undefined;
}

/** Makes keys, of which some come twice, and their values. In one case of eight, the last key has two. */
function entriesFrom(random: Random, keyOf: (i: number) => Key, valueBits: number): Entries {
  const count = random(pick(random, SIZES) + 1);
  const model = new Map<Key, number>();
  for (let i = 0; i < count; i++) model.set(keyOf(i), random(2 ** valueBits));
  const keys = [...model.keys()];
  for (let i = random(4); i > 0 && count > 0; i--) keys.push(pick(random, keys));
  const values = keys.map((key) => model.get(key) as number);
  if (random(8) > 0 || count === 0) return { keys, values, model };
  const key = pick(random, keys);
  const other = ((model.get(key) as number) ^ 1) >>> 0;
  return { keys: [...keys, key], values: [...values, other], model: undefined };
}

/** Compares the answers of a map with the values of its keys, and single calls with batches. */
function check(map: FuseMap, { keys, values }: Entries, absent: readonly Key[], random: Random): void {
  const found = map.getMany(keys);
  for (let i = 0; i < keys.length; i++) require(found[i] === values[i], `value ${i} is ${values[i]}`);
  require(map.omit(keys).length === 0, 'all keys of the map are found');
  for (let i = Math.min(SOME, keys.length); i > 0; i--) {
    const at = random(keys.length);
    require(map.get(keys[at] as Key) === values[at], `value ${at} is ${values[at]}`);
    require(map.has(keys[at] as Key), 'a key of the map is found');
  }
  map.getMany(absent).forEach((value, i) => {
    const single = map.get(absent[i] as Key);
    require((single ?? FuseMap.ABSENT) === value, 'a single call gives what a batch gives');
    require(single === undefined || single < 2 ** map.valueBits, 'a value has no more bits than others');
  });
}

export const mapReaders: readonly Reader[] = [
  {
    name: 'values of a fuse map',
    share: 1000,
    async run(subject): Promise<Outcome> {
      const { random } = subject;
      const { Class, Twin, isKeyed } = pick(random, engines);
      const [name, [keyOf, from]] = pick(random, Object.entries(sources));
      const valueBits = 1 + random(32);
      const options = {
        fingerprintBits: Math.min(31, random(33 - valueBits)),
        ...(random(2) === 0 && { shards: 2 ** random(9) }),
        ...(!isKeyed && { seed: random(2 ** 32) }),
      };
      const entries = entriesFrom(random, keyOf, valueBits);
      const { keys, values, model } = entries;
      subject.input = `${name}, ${keys.length} keys, ${valueBits} bits, ${JSON.stringify(options)}`;
      const make = (): FuseMap => Class.from(from(keys) as readonly Key[], values, options);
      const map = attempt(make, (error) => model === undefined && error instanceof RangeError);
      if (!map) return 'refused';
      require(model !== undefined, 'a key with two values is refused');
      require(map.count === model.size, `the map has ${model.size} keys`);
      const absent = Array.from({ length: SOME }, (_, i) => keyOf(1e6 + i));
      check(map, entries, absent, random);
      const file = map.toBytes();
      const twin = Twin.fromBytes(file);
      check(twin, entries, absent, random);
      const some = [...keys.slice(0, SOME), ...absent];
      const wanted = map.getMany(some);
      const opened = await openFilter([Class], rangesOf(file));
      require((await opened.getMany(some)).join() === wanted.join(), 'a file that is not loaded has the values');
      if (!isKeyed && typeof keyOf(0) === 'string') {
        const lookup = FuseMapLookup.fromBytes(file);
        const looked = some.map((key) => lookup.get(key as string) ?? FuseMap.ABSENT);
        require(looked.join() === wanted.join(), 'the small reader has the values');
      }
      for (const each of [map, twin]) each.dispose();
      return 'read';
    },
  },
];

import { forEachChunk } from '../../filters/batch.ts';
import type { Without } from '../../filters/filter-options.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { Results } from '../../filters/results.ts';
import { wrap } from '../../filters/stored-filter.ts';
import type { Engine } from '../../kernel/region.ts';
import { type ManyKeys, type Picked, sourceOf } from '../../keys/collections.ts';
import type { KeyItems } from '../../keys/items.ts';
import { isIterable } from '../../keys/iterables.ts';
import { type Key, requireKey } from '../../keys/key.ts';
import { arrayError, isLost, typedArrayName } from '../../util/checks/typed-arrays.ts';
import { mustBe, requireInteger } from '../../util/checks/validate.ts';
import { CELLS_PER_KEY } from '../fuse/file.ts';
import { FuseFilter } from '../fuse/fuse-filter.ts';
import { MemoryStore, shardsOf, sizeInShards } from '../fuse/sharded/build.ts';
import { cellCountOf } from '../fuse/sharded/file.ts';
import { readShardedOptions } from '../fuse/sharded/filter.ts';
import { MAX_BITS, type ShardedSize } from '../fuse/sizing.ts';
import { FUSE_MAP, type FuseMapCells } from './cells.ts';
import { ABSENT } from './file.ts';
import { copyValues, type MapValues, ValueBuckets, valueBitsOf, valuesOf } from './values.ts';

/** Values to begin with: see `EMPTY`. */
const NO_VALUES: Uint32Array = /* @__PURE__ */ new Uint32Array(0);

/** The options of a `FuseMap`: an error rate, or the number of bits of a fingerprint. */
export type FuseMapOptions = (
  | ({
      /** The share of absent keys that get a value, 2^-31 ≤ p < 1; rounded down to a power of 2; default 0.01. */
      errorRate?: number | undefined;
    } & Without<'fingerprintBits'>)
  | ({
      /**
       * The number of bits of a fingerprint b, 0 … 31: absent keys get a value at a rate of 2^-b. With 0, EVERY KEY GETS A
       * VALUE, whether it is in the map or not, unless its shard is empty.
       */
      fingerprintBits: number;
    } & Without<'errorRate'>)
) & {
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
  /** The number of shards, a power of two from 1 to 256; default that of `optimalFuseShards` for the distinct keys. */
  shards?: number | undefined;
};

/** The bits of a cell, which holds a fingerprint and a value. Throws a RangeError if they are too many. */
export function cellBitsOf(fingerprintBits: number, valueBits: number): number {
  const cellBits = fingerprintBits + valueBits;
  if (cellBits <= MAX_BITS) return cellBits;
  const most = MAX_BITS - valueBits;
  const wanted = most > 0 ? `errorRate must be at least 2^-${most}` : 'fingerprintBits must be 0';
  throw new RangeError(
    `${wanted} with values of ${valueBits} bits, got a fingerprint of ${fingerprintBits} bits: ` +
      `together they have at most ${MAX_BITS}`,
  );
}

/**
 * A compact map with a value for every key of a list that is complete beforehand: which of forty lists has a domain,
 * where a path leads, which tenant owns a key.
 *
 * `from` takes all keys and their values at once; no keys can be added later. A key of the list always gets its own
 * value. Any other key gets none, except that a share of `errorRate` of them get an arbitrary value. The keys
 * themselves are not kept.
 *
 * From a million keys on, a map takes 1.14 (v + b) bits a key for values below 2^v and an error rate of 2^-b: 18 bits
 * for values of 8 bits at 2^-8. It has shards, like a `ShardedFuseFilter`, so it can have any number of keys;
 * `buildOnDisk` of `bloomery/disk` builds it from more keys than memory can hold.
 *
 * Maps of the same keys, values, error rate, seed and shards have the same `toBytes()`, in whatever order the keys came.
 *
 * ```ts
 * const lists = FuseMap.from(['ads.example', 'scam.example'], [1, 7], { errorRate: 0.001 });
 * lists.get('scam.example'); // 7: always, for a key of the map
 * lists.get('example.org'); // undefined, or in one of 1024 cases any value
 * ```
 */
export class FuseMap extends FuseFilter {
  /** @internal */
  static override readonly [KIND]: Kind<FuseMapCells> = FUSE_MAP;
  /** @internal */
  declare readonly [CELLS]: FuseMapCells;

  /** What `getMany` gives in place of the value of an absent key: 2^32 − 1. */
  static readonly ABSENT: number = ABSENT;

  /**
   * Makes a map of `keys`, each with the value at the same place. A key may come again, with the same value.
   *
   * Building takes memory besides the map: 4 bytes for each value, 12 for each of the keys, duplicates included; then,
   * for one shard at a time, 12 bytes for each of its keys and 17 + (v + b)/8 for each of its cells, of which there are
   * 1.13 per key.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param values an array with an integer for each key, 0 … 2^32 − 1. The largest decides the bits of all values
   * @param options the error rate, the seed, and the number of shards; default `{ errorRate: 0.01 }`, for which values
   *   of 2^25 and more leave no room
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key, or one of
   *   `values` not such an integer
   * @throws RangeError if there are not as many values as keys, or if a key has two values; the error names both
   *   positions, and has them as `positions`, with the `values`. Two keys of equal 64-bit hashes count as one key;
   *   another seed gives them different hashes
   * @throws FilterMemoryError if there are too many keys for a shard, or no memory
   */
  static from<F extends FuseMap, K>(
    this: FilterClass<F>,
    keys: ManyKeys<K>,
    values: MapValues,
    options: FuseMapOptions = {},
  ): F {
    return build(this, keys, copyValues(values), options);
  }

  /**
   * Makes a map of pairs of a key and its value, such as a `Map`. See `from`. In errors, `keys[7]` is the key of the eighth
   * pair.
   *
   * @param entries an iterable of pairs
   * @throws TypeError if `entries` is not iterable, or gives something else than pairs; and as `from`
   */
  static fromEntries<F extends FuseMap>(
    this: FilterClass<F>,
    entries: Iterable<readonly [key: Key, value: number]>,
    options: FuseMapOptions = {},
  ): F {
    if (!isIterable(entries)) throw new TypeError(mustBe('entries', 'an iterable of pairs', entries));
    const keys: Key[] = [];
    const values: number[] = [];
    for (const entry of entries as Iterable<unknown>) {
      if (!Array.isArray(entry) || entry.length !== 2) {
        throw new TypeError(mustBe(`entries[${keys.length}]`, 'a pair of a key and a value', entry));
      }
      const [key, value] = entry as [Key, unknown];
      requireKey(key, keys.length);
      // Copied, because an iterable may give the same buffer again with new contents.
      keys.push(typeof key === 'object' ? new Uint8Array(key) : key);
      values.push(requireInteger(`entries[${values.length}][1]`, value, 0, ABSENT));
    }
    return build(this, keys, Uint32Array.from(values), options);
  }

  /**
   * Estimates the size of a map of `count` distinct keys, without making it.
   *
   * @param count the number of distinct keys, 0 … 2^31 for each shard
   * @param options the options of `from`, and the largest value
   * @throws TypeError | RangeError if `count` or an option is wrong
   * @throws FilterMemoryError if a shard cannot be built of so many keys
   */
  static sizeFor(count: number, options: FuseMapOptions & { largest: number }): ShardedSize {
    const engine = this.engine as Engine;
    const { largest } = Object(options);
    const valueBits = valueBitsOf(Uint32Array.of(requireInteger('largest', largest, 0, ABSENT)));
    const { bits, shards } = readShardedOptions(options, engine, ['largest'], 0);
    return sizeInShards(engine, count, valuesOf(valueBits, cellBitsOf(bits, valueBits)), shards);
  }

  get kind(): 'fuse-map' {
    return 'fuse-map';
  }

  /** The number of distinct keys in the map, exactly, or one less for each two keys of equal 64-bit hashes. */
  override get count(): number {
    return this[CELLS].count;
  }

  /** The share of absent keys that get a value: 2^-b, or 0 without keys. */
  override get errorRate(): number {
    return this.count && 2 ** (this.valueBits - this.cellBits);
  }

  /** The number of bits of a fingerprint, b. */
  override get fingerprintBits(): number {
    return this.cellBits - this.valueBits;
  }

  /** The number of bits of a value, v. */
  get valueBits(): number {
    return this[CELLS].own.valueBits;
  }

  /** The number of shards. */
  get shards(): number {
    return this[CELLS].own.shards.length;
  }

  /** Whether a key may be in the map: always true for one that is, and for others at the error rate. */
  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * The value of a key.
   *
   * @returns its value; undefined if the key is certainly absent
   * @throws TypeError | RangeError if `key` is not a key
   */
  get(key: Key): number | undefined {
    return this[CELLS].get(key);
  }

  /**
   * The values of many keys, in order.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives the values; without it, an array is made
   * @returns as many values as keys: `FuseMap.ABSENT`, 2^32 − 1, for a key that is certainly absent; `out` or a view of
   *   its beginning if `out` is given
   * @throws TypeError | RangeError if one of `keys` is not a key, or if `out` is too short, or given for keys whose number
   *   is unknown
   */
  getMany<K, B extends ArrayBufferLike = ArrayBuffer>(keys: ManyKeys<K>, out?: Uint32Array<B>): Uint32Array<B> {
    const cells = this[CELLS];
    const source = sourceOf(keys);
    if (out !== undefined && (typedArrayName(out) !== 'Uint32Array' || isLost(out))) {
      throw arrayError('out', 'a Uint32Array', out);
    }
    const values = new Results(source, out, out ?? NO_VALUES);
    if (out) values.require(source.count?.() ?? 0);
    forEachChunk(cells, source, cells.has, (_, count) => values.push(cells.values(count)));
    return values.take();
  }

  /**
   * Groups keys by their values: gives what `Map.groupBy(keys, (key) => map.get(key))` gives, looking keys up in batches.
   *
   * ```ts
   * const byList = lists.groupByValue(['ads.example', 'example.org']); // Map { 1 => ['ads.example'], undefined => ['example.org'] }
   * ```
   *
   * @param keys an array or iterable of keys, an integer array, or items with a key each; lines, columns, records and
   *   hashes cannot be grouped
   * @returns for each value the keys that have it, in their order, as `pick` would return them; under `undefined` those
   *   that are certainly absent. Values are in the order in which they came first
   * @throws TypeError | RangeError if `keys` cannot be grouped, or if one of them is not a key
   */
  groupByValue<K extends Iterable<unknown> | KeyItems>(keys: ManyKeys<K>): Map<number | undefined, Picked<K>> {
    const cells = this[CELLS];
    const source = sourceOf(keys);
    if (!isIterable(source.kept())) {
      const wanted = 'an array or iterable of keys, an integer array or by(items, keyOf)';
      throw arrayError('keys', wanted, keys, ': getMany gives the values of these');
    }
    const values: (number | undefined)[] = [];
    forEachChunk(cells, source, cells.has, (instance, count) => {
      const { flagBytes } = instance.scratch;
      const found = cells.values(count);
      for (let i = 0; i < count; i++) values.push(flagBytes[i] === 1 ? found[i] : undefined);
      flagBytes.fill(1, 0, count);
      source.keep(instance, 1);
    });
    const all = source.kept() as unknown[];
    const groups = new Map<number | undefined, unknown>();
    for (const [i, value] of values.entries()) {
      const group = groups.get(value) as unknown[] | undefined;
      if (group) group.push(all[i]);
      else groups.set(value, [all[i]]);
    }
    // Integers go into an array of the type that they came in.
    const Numbers = all.constructor as ArrayConstructor;
    if (Numbers !== Array) for (const [value, group] of groups) groups.set(value, Numbers.from(group as number[]));
    return groups as Map<number | undefined, Picked<K>>;
  }
}

/** Makes a map of keys and the copy of their values. */
function build<F extends FuseMap>(
  Class: FilterClass<F>,
  keys: unknown,
  values: Uint32Array,
  options: FuseMapOptions,
): F {
  const engine = Class.engine as Engine;
  const valueBits = valueBitsOf(values);
  const { bits, seed, shards: wanted } = readShardedOptions(options, engine, [], 0);
  const cellBits = cellBitsOf(bits, valueBits);
  const buckets = new ValueBuckets(engine, new MemoryStore(), values);
  const region = engine.reserve(1);
  try {
    buckets.addAll(region, seed, keys, values);
  } finally {
    region.dispose();
  }
  const { shards, regions } = shardsOf(engine, buckets, valuesOf(valueBits, cellBits), wanted);
  return wrap(Class, {
    parameters: { cellCount: cellCountOf({ shards }), hashes: CELLS_PER_KEY, seed, capacity: 0, errorRate: 0 },
    cellBits,
    own: { valueBits, shards },
    segments: regions,
  });
}

import { Cells, type Kind } from '../../filters/kind.ts';
import type { Saved } from '../../format/header.ts';
import type { FuseMapExports } from '../../kernel/generated/fuse-map/exports.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { RegionWith } from '../../kernel/region.ts';
import { CHUNK_KEYS } from '../../kernel/scratch.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { FUSE } from '../fuse/cells.ts';
import type { FuseParameters } from '../fuse/file.ts';
import { countOf } from '../fuse/sharded/file.ts';
import { ShardedCells } from '../fuse/sharded/shards.ts';
import { MAX_BITS } from '../fuse/sizing.ts';
import { ABSENT, FUSE_MAP_FILE, type MapParameters } from './file.ts';

export const FUSE_MAP: Kind<FuseMapCells> = {
  ...FUSE_MAP_FILE,
  className: 'FuseMap',
  // With values of one bit. Those of v bits leave 2^(v − 32).
  traits: { ...FUSE.traits, leastErrorRate: () => 2 ** (1 - MAX_BITS) },
  sizes: [],
  shown: ['shards', 'cellCount', 'fingerprintBits', 'valueBits'],
  cellsOf: (saved: Saved<MapParameters>) => new FuseMapCells(saved),
};

/** The values of the first `count` hashes in the scratch, which were looked up. */
function valuesIn({ memory, scratch }: Instance, count: number): Uint32Array {
  return new Uint32Array(memory.buffer, scratch.hashes, count);
}

/** The parameters of a shard. */
interface ShardParameters extends FuseParameters {
  readonly valueBits: number;
}

/** The cells of a shard: the XOR of those of a key is its value, with its fingerprint above that. */
class MapShard extends Cells {
  declare readonly region: RegionWith<FuseMapExports>;
  declare readonly own: ShardParameters;

  get kind(): Kind {
    return FUSE_MAP;
  }

  /** Flags the first `count` hashes in the scratch, and writes their values in place of them. */
  has(count: number): number {
    const { region, cellBits, own } = this;
    const { kernel, scratch } = region.instance;
    const { exponent, segments, attempt, valueBits } = own;
    if (own.count === 0) {
      scratch.flagBytes.fill(0, 0, count);
      valuesIn(region.instance, count).fill(ABSENT);
      return 0;
    }
    const { hashes, flags } = scratch;
    return kernel.fuse_map_get(region.pointer, exponent, segments, attempt, valueBits, cellBits, hashes, count, flags);
  }

  /** The value of a key; undefined if it is absent. */
  get(key: Key): number | undefined {
    const { region, seed, cellBits, own } = this;
    const { instance, pointer } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) {
      return this.has(1) === 1 ? valuesIn(instance, 1)[0] : undefined;
    }
    const { exponent, segments, attempt, valueBits, count } = own;
    const { keys } = instance.scratch;
    const value = instance.kernel.fuse_map_get_key(
      pointer,
      exponent,
      segments,
      attempt,
      valueBits,
      cellBits,
      text,
      keys,
      length,
      seed,
    );
    return this.#isValue(value >>> 0) && count > 0 ? value >>> 0 : undefined;
  }

  /** Whether this is not what stands for no value. Without fingerprints, every key has one. */
  #isValue(value: number): boolean {
    return value !== ABSENT || this.own.valueBits === this.cellBits;
  }
}

/** Memory for the values of a chunk. Made when it is needed first. */
let gathered: Uint32Array | undefined;

/** Fuse maps in shards, of which there may be one. */
export class FuseMapCells extends ShardedCells<MapShard> {
  declare readonly own: MapParameters;

  constructor(saved: Saved<MapParameters>) {
    const { own, parameters, cellBits, segments } = saved;
    const { valueBits } = own;
    const shards = segments.map((region, i) => {
      // A literal, so that all have one hidden class.
      const { exponent, segments, attempt, count } = own.shards[i] as FuseParameters;
      const ofShard: ShardParameters = { exponent, segments, attempt, count, valueBits };
      return new MapShard({ parameters, cellBits, own: ofShard, segments: [region] });
    });
    super(saved, shards);
  }

  get kind(): Kind {
    return FUSE_MAP as Kind;
  }

  /** The number of distinct keys. */
  get count(): number {
    return countOf(this.own);
  }

  protected override take({ region }: MapShard, places: Uint16Array): void {
    gathered ??= new Uint32Array(CHUNK_KEYS);
    const values = valuesIn(region.instance, places.length);
    for (let i = 0; i < places.length; i++) gathered[places[i] as number] = values[i] as number;
  }

  /** Flags the first `count` hashes in the scratch, and writes their values, or ABSENT, in place of them. */
  override has(count: number): number {
    const found = super.has(count);
    if (this.shards.length > 1) valuesIn(this.region.instance, count).set((gathered as Uint32Array).subarray(0, count));
    return found;
  }

  /** The values of the hashes that `has` got last, valid until anything is looked up. */
  values(count: number): Uint32Array {
    return valuesIn(this.region.instance, count);
  }

  hasKey(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  /** The value of a key; undefined if it is absent. */
  get(key: Key): number | undefined {
    const [first] = this.shards;
    if (this.shards.length === 1) return (first as MapShard).get(key);
    const { instance } = this.ask(key).region;
    return instance.scratch.flagBytes[0] === 1 ? valuesIn(instance, 1)[0] : undefined;
  }
}

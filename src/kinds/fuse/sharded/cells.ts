import { Cells, type Kind } from '../../../filters/kind.ts';
import type { Saved } from '../../../format/header.ts';
import type { Region } from '../../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES, HASH_WORDS } from '../../../kernel/scratch.ts';
import { hashKey } from '../../../keys/encode.ts';
import type { Key } from '../../../keys/key.ts';
import { FUSE, FuseCells } from '../cells.ts';
import { SHARDED_FUSE_FILE, type ShardedParameters } from './file.ts';
import { MAX_SHARD_BITS, shardBitsOf } from './sizing.ts';

/** The place of the highest byte of h1 in a hash. */
export const TOP_BYTE = 7;

export const SHARDED_FUSE: Kind<ShardedFuseCells> = {
  ...SHARDED_FUSE_FILE,
  className: 'ShardedFuseFilter',
  traits: FUSE.traits,
  sizes: [],
  shown: ['shards', 'cellCount', 'cellBits'],
  cellsOf: (saved: Saved<ShardedParameters>) => new ShardedFuseCells(saved),
};

/** Memory for a chunk of hashes in the order of their shards, and the place of each in the chunk. */
interface Sorted {
  readonly hashes: Uint32Array<ArrayBuffer>;
  readonly places: Uint16Array<ArrayBuffer>;
  readonly flags: Uint8Array<ArrayBuffer>;
}

/** Made when it is needed first. */
let sorted: Sorted | undefined;

function memoryToSort(): Sorted {
  sorted ??= {
    hashes: new Uint32Array(HASH_WORDS * CHUNK_KEYS),
    places: new Uint16Array(CHUNK_KEYS),
    flags: new Uint8Array(CHUNK_KEYS),
  };
  return sorted;
}

/** The top bits of h1 choose one of 2^s shards, each a fuse filter. */
export class ShardedFuseCells extends Cells {
  declare readonly own: ShardedParameters;
  readonly #shards: readonly FuseCells[];
  /** The top byte of h1, shifted by this, is the number of the shard. */
  readonly #shift: number;

  constructor(saved: Saved<ShardedParameters>) {
    super(saved);
    const { own, parameters, cellBits, segments } = saved;
    this.#shards = segments.map(
      (region, i) => new FuseCells({ parameters, cellBits, own: own.shards[i], segments: [region] }),
    );
    this.#shift = MAX_SHARD_BITS - (shardBitsOf(segments.length) as number);
  }

  get kind(): Kind {
    return SHARDED_FUSE;
  }

  override get segments(): readonly [Region, ...Region[]] {
    return this.#shards.map(({ region }): Region => region) as [Region, ...Region[]];
  }

  has(count: number): number {
    const shards = this.#shards;
    if (shards.length === 1) return (shards[0] as FuseCells).has(count);
    const { memory, scratch } = this.region.instance;
    const { hashes, places, flags } = memoryToSort();
    const given = new Uint32Array(memory.buffer, scratch.hashes, HASH_WORDS * count);
    const ends = this.#sort(given, count, hashes, places);
    let found = 0;
    let start = 0;
    for (const [i, shard] of shards.entries()) {
      const end = ends[i] as number;
      if (end > start) found += this.#hasIn(shard, hashes.subarray(HASH_WORDS * start, HASH_WORDS * end));
      const { flagBytes } = shard.region.instance.scratch;
      for (let at = start; at < end; at++) flags[places[at] as number] = flagBytes[at - start] as number;
      start = end;
    }
    scratch.flagBytes.set(flags.subarray(0, count));
    return found;
  }

  /** Copies hashes in the order of their shards. Returns where those of each shard end. */
  #sort(given: Uint32Array, count: number, hashes: Uint32Array, places: Uint16Array): Uint16Array {
    const ends = new Uint16Array(this.#shards.length);
    const shift = this.#shift;
    const shardOf = (i: number): number => (given[HASH_WORDS * i + 1] as number) >>> (24 + shift);
    for (let i = 0; i < count; i++) ends[shardOf(i)] = (ends[shardOf(i)] as number) + 1;
    let start = 0;
    for (let i = 0; i < ends.length; i++) {
      const length = ends[i] as number;
      ends[i] = start;
      start += length;
    }
    for (let i = 0; i < count; i++) {
      const shard = shardOf(i);
      const at = ends[shard] as number;
      ends[shard] = at + 1;
      places[at] = i;
      const [from, to] = [HASH_WORDS * i, HASH_WORDS * at];
      hashes[to] = given[from] as number;
      hashes[to + 1] = given[from + 1] as number;
    }
    return ends;
  }

  /** Looks hashes up in their shard. The flags are in its scratch then. */
  #hasIn(shard: FuseCells, hashes: Uint32Array): number {
    const { memory, scratch } = shard.region.instance;
    new Uint32Array(memory.buffer, scratch.hashes, hashes.length).set(hashes);
    return shard.has(hashes.length / HASH_WORDS);
  }

  hasKey(key: Key): boolean {
    const shards = this.#shards;
    if (shards.length === 1) return (shards[0] as FuseCells).hasKey(key);
    const { instance } = this.region;
    const at = hashKey(key, instance, this.seed);
    const hash = new Uint8Array(instance.memory.buffer, at, HASH_BYTES);
    const shard = shards[(hash[TOP_BYTE] as number) >> this.#shift] as FuseCells;
    const { memory, scratch } = shard.region.instance;
    new Uint8Array(memory.buffer, scratch.hashes, HASH_BYTES).set(hash);
    return shard.has(1) === 1;
  }
}

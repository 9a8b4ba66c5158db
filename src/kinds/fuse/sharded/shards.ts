// Cells in shards, which filters and maps have: the top bits of h1 choose one of 2^s shards.

import { Cells } from '../../../filters/kind.ts';
import type { Saved } from '../../../format/header.ts';
import type { Region } from '../../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES, HASH_WORDS } from '../../../kernel/scratch.ts';
import { hashKey } from '../../../keys/encode.ts';
import type { Key } from '../../../keys/key.ts';
import { MAX_SHARD_BITS, shardBitsOf } from './sizing.ts';

/** The place of the highest byte of h1 in a hash. */
export const TOP_BYTE = 7;

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

/** The cells of all shards, each of which answers by itself. */
export abstract class ShardedCells<Shard extends Cells> extends Cells {
  protected readonly shards: readonly Shard[];
  /** The top byte of h1, shifted by this, is the number of the shard. */
  readonly #shift: number;

  constructor(saved: Saved, shards: readonly Shard[]) {
    super(saved);
    this.shards = shards;
    this.#shift = MAX_SHARD_BITS - (shardBitsOf(shards.length) as number);
  }

  override get segments(): readonly [Region, ...Region[]] {
    return this.shards.map(({ region }): Region => region) as [Region, ...Region[]];
  }

  override get byteLength(): number {
    return this.shards.reduce((bytes, shard) => bytes + shard.byteLength, 0);
  }

  /** Takes more of the answers of a shard than their flags, for the hashes with these places in the chunk. */
  protected take?(shard: Shard, places: Uint16Array): void;

  has(count: number): number {
    const { shards } = this;
    if (shards.length === 1) return (shards[0] as Shard).has(count);
    const { memory, scratch } = this.region.instance;
    const { hashes, places, flags } = memoryToSort();
    const given = new Uint32Array(memory.buffer, scratch.hashes, HASH_WORDS * count);
    const ends = this.#sort(given, count, hashes, places);
    let found = 0;
    let start = 0;
    for (const [i, shard] of shards.entries()) {
      const end = ends[i] as number;
      if (end > start) {
        found += this.#hasIn(shard, hashes.subarray(HASH_WORDS * start, HASH_WORDS * end));
        const { flagBytes } = shard.region.instance.scratch;
        for (let at = start; at < end; at++) flags[places[at] as number] = flagBytes[at - start] as number;
        this.take?.(shard, places.subarray(start, end));
      }
      start = end;
    }
    scratch.flagBytes.set(flags.subarray(0, count));
    return found;
  }

  /** Copies hashes in the order of their shards. Returns where those of each shard end. */
  #sort(given: Uint32Array, count: number, hashes: Uint32Array, places: Uint16Array): Uint16Array {
    const ends = new Uint16Array(this.shards.length);
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
  #hasIn(shard: Shard, hashes: Uint32Array): number {
    const { memory, scratch } = shard.region.instance;
    new Uint32Array(memory.buffer, scratch.hashes, hashes.length).set(hashes);
    return shard.has(hashes.length / HASH_WORDS);
  }

  /** Looks up a key where there are several shards, and returns its own. The flag is in its scratch then. */
  protected ask(key: Key): Shard {
    const { instance } = this.region;
    const at = hashKey(key, instance, this.seed);
    const hash = new Uint8Array(instance.memory.buffer, at, HASH_BYTES);
    const shard = this.shards[(hash[TOP_BYTE] as number) >> this.#shift] as Shard;
    const { memory, scratch } = shard.region.instance;
    new Uint8Array(memory.buffer, scratch.hashes, HASH_BYTES).set(hash);
    shard.has(1);
    return shard;
  }
}

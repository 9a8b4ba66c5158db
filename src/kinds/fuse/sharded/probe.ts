import { type ReadHead, sum } from '../../../format/header.ts';
import type { Hash, Probe, ProbeOf } from '../../probe.ts';
import { probeFuse } from '../probe.ts';
import type { ShardedParameters } from './file.ts';
import { shardBitsOf } from './sizing.ts';

/** Where the cells of a key are in a body of shards. */
export interface ShardPlaces extends Pick<Probe, 'cells' | 'width' | 'run'> {
  readonly shards: number;
  /** Writes where the cells of a key begin. Returns the bits of its mixed hash that a cell has, and its shard. */
  place(hash: Hash, bits: Float64Array): readonly [fingerprint: number, shard: number];
}

/** In place of the fingerprint of a key whose shard has no keys. Its cells are 0, and so is the XOR of them. */
const NONE = 0xffffffff;

/** How the cells of a key are found in a body of shards. */
export function placesIn(head: ReadHead<ShardedParameters>): ShardPlaces {
  const { own, lengths, cellBits } = head;
  const { shards } = own;
  const probes = shards.map((shard) => probeFuse({ ...head, own: shard }));
  const starts = lengths.map((_, i) => 8 * sum(lengths.slice(0, i)));
  const shift = BigInt(64 - (shardBitsOf(shards.length) as number));
  return {
    cells: 3,
    width: cellBits,
    run: 1,
    shards: shards.length,
    place(hash, bits) {
      const shard = Number(hash[0] >> shift);
      const fingerprint = (probes[shard] as (typeof probes)[number]).place(hash, bits);
      for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) + (starts[shard] as number);
      return [fingerprint, shard];
    },
  };
}

export const probeShards: ProbeOf<ShardedParameters> = (head) => {
  const { shards } = head.own;
  const places = placesIn(head);
  return {
    ...places,
    place(hash, bits) {
      const [fingerprint, shard] = places.place(hash, bits);
      return shards[shard]?.count === 0 ? NONE : fingerprint;
    },
    holds: ([first = 0, second = 0, third = 0], fingerprint) => (first ^ second ^ third) >>> 0 === fingerprint,
  };
};

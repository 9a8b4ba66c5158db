import { countOf } from '../fuse/sharded/file.ts';
import { placesIn } from '../fuse/sharded/probe.ts';
import type { ProbeOf } from '../probe.ts';
import type { MapParameters } from './file.ts';

/** In place of the fingerprint of a key whose shard has no keys. Fingerprints stand above a bit or more of a value. */
const NONE = 0xffffffff;

export const probeMap: ProbeOf<MapParameters> = (head) => {
  const { shards, valueBits } = head.own;
  const { cellBits } = head;
  const places = placesIn(head);
  const capacity = countOf(head.own);
  /** The bits above the value: of a key of the map, they are 0. */
  const isValue = (rest: number): boolean => valueBits === cellBits || rest >>> valueBits === 0;
  const toValue = ([first = 0, second = 0, third = 0]: Uint32Array, fingerprint: number): number | undefined => {
    const rest = (first ^ second ^ third ^ fingerprint) >>> 0;
    return fingerprint !== NONE && isValue(rest) ? rest : undefined;
  };
  return {
    ...places,
    capacity,
    errorRate: capacity && 2 ** (valueBits - cellBits),
    place(hash, bits) {
      const [fingerprint, shard] = places.place(hash, bits);
      // In 64 bits, because a shift by 32 would shift by 0.
      const above = Number(BigInt.asUintN(cellBits, BigInt(fingerprint) << BigInt(valueBits)));
      return shards[shard]?.count === 0 ? NONE : above;
    },
    holds: (cells, fingerprint) => toValue(cells, fingerprint) !== undefined,
    toValue,
  };
};

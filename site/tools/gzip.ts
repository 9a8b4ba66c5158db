// Measures how well gzip compresses full filters of every kind, and writes the shares for the calculator:
// npx tsx site/tools/gzip.ts

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { DLeftCountingBloomFilter } from 'bloomery/dleft';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { StableBloomFilter } from 'bloomery/stable';
import { TombstoneFilter } from 'bloomery/tombstone';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { REMOVED_SHARE } from '../src/calculator/promised-kinds.ts';
import { LABELS } from '../src/calculator/sized-kinds.ts';

interface Wanted {
  readonly capacity: number;
  readonly errorRate: number;
}

type Save = (keys: readonly string[], wanted: Wanted) => Uint8Array;

/** Saves a filter of a class, filled with `times` as many keys as its capacity. */
function filled(
  Class: new (wanted: Wanted) => { addMany(keys: string[]): unknown; toBytes(): Uint8Array },
  times = 1,
): Save {
  return (keys, wanted) => {
    const filter = new Class(wanted);
    for (let round = 0; round < times; round++) filter.addMany(keys.map((key) => `${key} ${round}`));
    return filter.toBytes();
  };
}

const saves: Readonly<Record<string, Save>> = {
  classic: filled(BloomFilter),
  blocked: filled(BlockedBloomFilter),
  wide: filled(WideBlockedBloomFilter),
  counting: filled(CountingBloomFilter),
  cuckoo: filled(CuckooFilter),
  dleft: filled(DLeftCountingBloomFilter),
  fuse: (keys, { errorRate }) => BinaryFuseFilter.from(keys, { errorRate }).toBytes(),
  tombstone(keys, wanted) {
    const filter = new TombstoneFilter(new BloomFilter(wanted).addMany(keys));
    for (const key of keys.slice(0, REMOVED_SHARE * keys.length)) filter.remove(key);
    return filter.toBytes();
  },
  scalable: filled(ScalableBloomFilter),
  // Until they forget as much as comes.
  rotating: filled(RotatingBloomFilter, 3),
  stable: filled(StableBloomFilter, 10),
  spatial(keys, wanted) {
    const filter = new SpatialBloomFilter({ ...wanted, labels: LABELS });
    for (const [i, key] of keys.entries()) filter.add(key, 1 + (i % LABELS));
    return filter.toBytes();
  },
};

/** The share of the file that is left; null if the kind has no such filter. */
export function gzipShareOf(kind: string, count: number, errorRate: number): number | null {
  const keys = Array.from({ length: count }, (_, i) => `key ${i}`);
  try {
    const bytes = saves[kind]?.(keys, { capacity: count, errorRate }) ?? new Uint8Array();
    return gzipSync(bytes).length / bytes.length;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const keys = 100_000;
  const rates = [0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-8];
  const shares = Object.fromEntries(
    Object.keys(saves).map((kind) => [
      kind,
      rates.map((rate) => {
        const share = gzipShareOf(kind, keys, rate);
        return share === null ? null : Number(share.toFixed(3));
      }),
    ]),
  );
  const text = `${JSON.stringify({ keys, rates, shares }, undefined, 2).replaceAll(/\[\s+([^\]]*?)\s+\]/g, (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`)}\n`;
  writeFileSync(new URL('../src/calculator/gzip.json', import.meta.url), text);
}

// The filters that the benchmark compares. To add one, write a `Subject`, and list it in a comparison.

import { createRequire } from 'node:module';
import { BlockedBloomFilter } from 'bloomery';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { hashParquetValue } from 'hyparquet/src/bloom.js';
import { optimalNumBytes, sbbfContains, sbbfInsert } from 'hyparquet-writer/src/bloom.js';
import { ownLoops } from '../shared/own-loops.ts';
import type { Batch, KeySet } from './keys.ts';

export const ERROR_RATE = 0.01;

type Key = string | number;

/** A filter of a subject, empty at first. */
export interface Made {
  /** Adds keys. Returns how many, or how many were new. */
  add(keys: Batch): number;
  /** Returns how many keys are found, or their flags. Missing if the subject only builds filters. */
  has?(keys: Batch): number | Uint8Array;
  /** The bits. Those of all subjects in a comparison that have any must be equal. */
  bits?(): Uint8Array;
  dispose?(): void;
}

export interface Subject {
  readonly name: string;
  readonly mode: 'batch' | 'single';
  readonly isOurs: boolean;
  /** Makes empty filters for a number of keys. */
  readonly make: (count: number) => Made;
}

/** Subjects that do the same with the same keys. Times are compared with those of the first one. */
export interface Comparison {
  readonly title: string;
  readonly subjects: readonly Subject[];
}

/** A class of ours that adds and looks up keys in batches and one by one. */
interface OurFilter {
  add(key: Key): boolean;
  has(key: Key): boolean;
  addMany(keys: Batch['many']): unknown;
  hasMany(keys: Batch['many'], out: Uint8Array): Uint8Array;
  dispose(): void;
}

/** @param label tells the loops of single calls from those of other subjects and other keys */
function ours<F extends OurFilter>(
  label: string,
  name: string,
  make: (count: number) => F,
  bits?: (filter: F) => Uint8Array,
): Record<Subject['mode'], Subject> {
  const loops = ownLoops<Key, F>(label);
  const subject = (
    mode: Subject['mode'],
    waysOf: (filter: F, count: number) => Pick<Made, 'add' | 'has'>,
  ): Subject => ({
    name,
    mode,
    isOurs: true,
    make(count) {
      const filter = make(count);
      return {
        ...waysOf(filter, count),
        dispose: () => filter.dispose(),
        ...(bits && { bits: () => bits(filter) }),
      };
    },
  });
  return {
    batch: subject('batch', (filter, count) => {
      const flags = new Uint8Array(count);
      return {
        add(keys) {
          filter.addMany(keys.many);
          return keys.count;
        },
        has: (keys) => filter.hasMany(keys.many, flags),
      };
    }),
    single: subject('single', (filter) => ({
      add: (keys) => loops.addEach(filter, keys.each as ArrayLike<Key>),
      has: (keys) => loops.hasEach(filter, keys.each as ArrayLike<Key>),
    })),
  };
}

/** The columns of a Parquet file that the keys would be. */
const elements = {
  strings: { name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int64: { name: 'key', type: 'INT64' },
} as const;

/**
 * The functions by which hyparquet-writer fills a filter, and hyparquet asks it. The writer first collects all hashes in
 * a Set, to count them; that is left out here.
 */
function hyparquet(set: KeySet['name']): Subject {
  const element = elements[set];
  const name = 'hyparquet-writer, hyparquet';
  const { addEach, hasEach } = ownLoops<Key>(`${name}, ${set}`);
  return {
    name,
    mode: 'single',
    isOurs: false,
    make(count) {
      const blocks = new Uint32Array(optimalNumBytes(count, ERROR_RATE) / 4);
      const filter = {
        add(key: Key): boolean {
          sbbfInsert(blocks, hashParquetValue(key, element) as bigint);
          return true;
        },
        has: (key: Key): boolean => sbbfContains(blocks, hashParquetValue(key, element) as bigint),
      };
      return {
        add: ({ each }) => addEach(filter, each),
        has: ({ each }) => hasEach(filter, each),
        bits: () => new Uint8Array(blocks.buffer),
      };
    },
  };
}

/** What the benchmark uses of Milvus's builder. Its types need those of packages that are not installed here. */
interface MilvusBuilder {
  addString(key: string): unknown;
  addInt64(key: number): unknown;
  build(): Uint8Array;
}

/** The head of Milvus's blob, before the bits. */
const MILVUS_HEAD_BYTES = 32;

/** The builder in Milvus's client. The package has no lookup: that is the server's. */
function milvus(set: KeySet['name']): Subject {
  // The module alone, because the package's index loads gRPC.
  const { BloomFilterBuilder }: { BloomFilterBuilder: new (count: number, errorRate: number) => MilvusBuilder } =
    createRequire(import.meta.url)('@zilliz/milvus2-sdk-node/dist/milvus/utils/BloomFilter.js');
  const name = 'milvus2-sdk-node';
  const { addEach } = ownLoops<Key>(`${name}, ${set}`);
  return {
    name,
    mode: 'single',
    isOurs: false,
    make(count) {
      const builder = new BloomFilterBuilder(count, ERROR_RATE);
      const has = (): boolean => false;
      const filter =
        set === 'strings'
          ? { add: (key: Key) => builder.addString(key as string), has }
          : { add: (key: Key) => builder.addInt64(key as number), has };
      return {
        add: ({ each }) => addEach(filter, each),
        bits: () => builder.build().subarray(MILVUS_HEAD_BYTES),
      };
    },
  };
}

/** The comparisons for a set of keys. All filters of Parquet have the power of two that other writers choose. */
export function comparisonsFor(set: KeySet['name']): Comparison[] {
  const parquet = ours(
    `ParquetBloomFilter, ${set}`,
    'ParquetBloomFilter',
    (count) => new ParquetBloomFilter({ bytes: optimalNumBytes(count, ERROR_RATE) }),
    (filter) => filter.toBitset(),
  );
  const blocked = ours(
    `BlockedBloomFilter, ${set}`,
    'BlockedBloomFilter',
    (count) => new BlockedBloomFilter({ bits: 8 * optimalNumBytes(count, ERROR_RATE) }),
  );
  return [
    {
      title: 'Parquet',
      subjects: [parquet.batch, parquet.single, blocked.batch, hyparquet(set), milvus(set)],
    },
  ];
}

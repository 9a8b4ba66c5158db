import { requireInteger } from '../checks/validate.ts';
import { type CombinableKind, GrowingCells } from '../filters/kind.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import { expectedErrorRate, LEAST_ERROR_RATE, MAX_HASHES, sizeFor } from './classic-sizing.ts';

export const COUNTING: CombinableKind = {
  id: 3,
  name: 'counting',
  className: 'CountingBloomFilter',
  traits: {
    removes: true,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => LEAST_ERROR_RATE,
  },
  cellName: 'counters',
  cellBits: [4, 4],
  sizes: ['counters', 'hashes'],
  sizeFor,
  sizeOf: ({ counters, hashes }) => ({
    cellCount: requireInteger('counters', counters, 1, Number.MAX_SAFE_INTEGER),
    hashes: requireInteger('hashes', hashes, 1, MAX_HASHES),
  }),
  errorRateAt: (count, { cellCount, hashes }) => expectedErrorRate(count, cellCount, hashes),
  cellsOf: (saved) => new Counters(saved),
  union: (kernel) => kernel.counting_sum,
  intersection: (kernel) => kernel.counting_least,
};

/** m counters of 4 bits. Each key increments k of them, which the kernel computes from its hash. */
export class Counters extends GrowingCells {
  get kind(): CombinableKind {
    return COUNTING;
  }

  add(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_add(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addFlags(count: number): number {
    return this.add(count);
  }

  has(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_has(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  /**
   * Of the first `count` hashes in the scratch, removes those that look present, flags them with 1, and returns their
   * number.
   */
  remove(count: number): number {
    const { region, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_remove(region.pointer, cellCount, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_add_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed) === 1;
  }

  removeKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.remove(1) === 1;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    return kernel.counting_remove_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed) === 1;
  }

  countOf(key: Key): number {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    if (length < 0) return kernel.counting_count(region.pointer, cellCount, hashes, scratch.hashes);
    return kernel.counting_count_key(region.pointer, cellCount, hashes, text, scratch.keys, length, seed);
  }

  override used(pointer = this.region.pointer, length = this.region.paddedLength): number {
    return this.region.instance.kernel.counting_used(pointer, length);
  }
}

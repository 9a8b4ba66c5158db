// Files that no class of a kind with its own parameters may read.

import { expect } from 'vitest';
import { BloomFilter } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { type LoadableClass, loadAny } from '../../src/load.ts';
import { watched } from '../shared/open.ts';
import { cutOrLonger, expectAllRefuse, flippedOnce, MIB, REFUSED, splitAt } from './saved.ts';

/** A class whose files are read whole and in chunks. */
export interface ReadClass {
  new (...options: never[]): object;
  readonly engine: Engine;
  fromBytes(bytes: Uint8Array): unknown;
  fromChunks(chunks: Iterable<Uint8Array>): unknown;
}

/** Expects that every way of reading refuses the file, says why, and gives the memory back. */
export function expectFileRefused(Filter: ReadClass, file: Uint8Array, where: string, saying?: RegExp): void {
  const { engine, regions } = watched(Filter.engine);
  class Watched extends Filter {
    static override readonly engine = engine;
  }
  const ways = [
    () => Watched.fromBytes(file),
    () => Watched.fromChunks([file]),
    () => Watched.fromChunks(splitAt(file, [1, 64, 80, 128, 130])),
    () => loadAny([BloomFilter, Watched as object as LoadableClass], file),
  ];
  expectAllRefuse(ways, regions, where, saying);
}

/** Expects that a file is refused with any bit flipped, any number of bytes cut off, and with bytes added. */
export function expectDamageRefused(Filter: ReadClass, saved: Uint8Array): void {
  for (const { file, where } of flippedOnce(saved)) expectFileRefused(Filter, file, where);
  for (const { file, where } of cutOrLonger(saved)) expectFileRefused(Filter, file, where);
}

/** Expects that a header is refused that states a large body, with almost no memory allocated for it. */
export function expectNoAllocation(Filter: ReadClass, header: Uint8Array): void {
  const sizes: number[] = [];
  const reserve: Engine['reserve'] = (byteLength, grows) => {
    const region = Filter.engine.reserve(byteLength, grows);
    sizes.push(region.instance.memory.buffer.byteLength);
    return region;
  };
  class Watched extends Filter {
    static override readonly engine = { ...Filter.engine, reserve };
  }
  expect(() => Watched.fromBytes(header)).toThrow(REFUSED);
  expect(sizes).toEqual([]);
  expect(() => Watched.fromChunks([header, new Uint8Array(1000)])).toThrow(RangeError);
  expect(Math.max(0, ...sizes)).toBeLessThan(2 * MIB);
}

// Files that no class of a kind with its own parameters may read.

import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { BloomFilter } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { watched } from '../kinds.ts';
import { cutOrLonger, expectAllRefuse, flippedOnce, splitAt } from './saved.ts';

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

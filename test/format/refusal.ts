// Files that no class of a kind with its own parameters may read.

import { expect } from 'vitest';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { BloomFilter } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { watched } from '../shared/open.ts';
import { cutOrLonger, expectAllRefuse, flippedOnce, MIB, REFUSED, splitAt } from './saved.ts';

/** A change of a file, such as a number that is put at an offset. */
export type Change = (view: DataView) => void;

export function u8(at: number, value: number): Change {
  return (view) => view.setUint8(at, value);
}
export function u32(at: number, value: number): Change {
  return (view) => view.setUint32(at, value, true);
}
export function u64(at: number, value: bigint): Change {
  return (view) => view.setBigUint64(at, value, true);
}
export function f64(at: number, value: number): Change {
  return (view) => view.setFloat64(at, value, true);
}
export function add32(at: number, more: number): Change {
  return (view) => u32(at, view.getUint32(at, true) + more)(view);
}
export function add64(at: number, more: bigint): Change {
  return (view) => u64(at, view.getBigUint64(at, true) + more)(view);
}
export function all(...changes: readonly Change[]): Change {
  return (view) => {
    for (const change of changes) change(view);
  };
}

/** A class whose files are read whole and in chunks. */
export interface ReadClass {
  new (...options: never[]): object;
  readonly engine: Engine;
  fromBytes(bytes: Uint8Array): unknown;
  fromChunks(chunks: Iterable<Uint8Array>): unknown;
}

/** Expects that every way of reading refuses the file, says why, and gives the memory back; or only one of the ways. */
export function expectFileRefused(
  Filter: ReadClass,
  file: Uint8Array,
  where: string,
  saying?: RegExp,
  only?: number,
): void {
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
  expectAllRefuse(only === undefined ? ways : ways.slice(only % 4, (only % 4) + 1), regions, where, saying);
}

/**
 * Expects that a file is refused with any bit flipped, any number of bytes cut off, and with bytes added. The ways of
 * reading take turns.
 */
export function expectDamageRefused(Filter: ReadClass, saved: Uint8Array): void {
  const damaged = [...flippedOnce(saved), ...cutOrLonger(saved)];
  for (const [i, { file, where }] of damaged.entries()) expectFileRefused(Filter, file, where, undefined, i);
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

import { expect } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { BloomFilter } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import type { Memory } from '../../src/kernel/scratch.ts';
import { classOn, watched } from '../shared/open.ts';
import { errorOf, MIB, REFUSED, splitAt } from './saved.ts';

/** A change of a file, such as a number that is put at an offset. */
export type Change = (view: DataView) => void;

export function u8(at: number, value: number): Change {
  return (view) => view.setUint8(at, value);
}
export function u16(at: number, value: number): Change {
  return (view) => view.setUint16(at, value, true);
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
/** Sets a bit; its number counts from the beginning of the file. */
export function setBit(bit: number): Change {
  return (view) => u8(bit >> 3, view.getUint8(bit >> 3) | (1 << (bit & 7)))(view);
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
export function expectRefused(Filter: object, file: Uint8Array, saying = REFUSED, where = '', only?: number): void {
  const { engine, regions } = watched((Filter as ReadClass).engine);
  const Watched = classOn(Filter as ReadClass, engine);
  const ways = [
    () => Watched.fromBytes(file),
    () => Watched.fromChunks([file]),
    () => Watched.fromChunks(splitAt(file, [1, 60, 64, 80, 128, 130])),
    () => loadAny([Watched as object as LoadableClass, BloomFilter, BinaryFuseFilter], file),
  ];
  for (const way of only === undefined ? ways : ways.slice(only % 4, (only % 4) + 1)) {
    const error = errorOf(way);
    expect(error, where).toBeInstanceOf(RangeError);
    expect(error.message, where).toMatch(REFUSED);
    expect(error.message, where).toMatch(saying);
  }
  expect(regions.filter(({ disposed }) => !disposed).length, where).toBe(0);
}

/** An engine that records its regions, and the most bytes that a memory of one of them has. */
export function measured(engine: Engine) {
  const { engine: recording, regions } = watched(engine);
  const memories: Memory[] = [];
  const reserve: Engine['reserve'] = (...size) => {
    const region = recording.reserve(...size);
    memories.push(region.instance.memory);
    return region;
  };
  const most = () => Math.max(0, ...memories.map(({ buffer }) => buffer.byteLength));
  return { engine: { ...engine, reserve }, regions, most };
}

/** Expects that a header is refused that states a large body, with almost no memory allocated for it. */
export function expectNoAllocation(Filter: object, header: Uint8Array): void {
  const { engine, regions, most } = measured((Filter as ReadClass).engine);
  const Watched = classOn(Filter as ReadClass, engine);
  expect(() => Watched.fromBytes(header)).toThrow(REFUSED);
  expect(regions).toEqual([]);
  // Refused either as too large for the engine, or as truncated.
  expect(() => Watched.fromChunks([header, new Uint8Array(1000)])).toThrow(RangeError);
  expect(most()).toBeLessThan(2 * MIB);
}

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { CountingBloomFilter } from '../src/index.ts';
import { type Engine, Region } from '../src/kernel/region.ts';
import { instantiate, wasm } from '../src/kernel/wasm.ts';
import { awkwardStrings } from './awkward.ts';
import { type KindOnEngine, kinds, open, rowOf, rows } from './kinds.ts';

const ascii = Array.from({ length: 100 }, (_, length) => 'abcdefghij'.repeat(10).slice(0, length));
const keys = [...new Set([...awkwardStrings(1000, 1), ...ascii])];
const absent = keys.map((key) => `${key}?`).filter((key) => !keys.includes(key));

const shape = { cells: 100_000, hashes: 7, seed: 3 };

// If the runtime lets WebAssembly read strings, single keys take another path. These tests take that path on every
// runtime.
function reading(engine: Engine): Engine {
  return {
    ...engine,
    reserve(byteLength, grows) {
      const region = engine.reserve(byteLength, grows);
      // Holds on to the region that it replaces, or its memory would be freed.
      return new Region({ ...region.instance, readableUnits: 48 }, region.pointer, byteLength, () => region.dispose());
    },
  };
}

it('readableUnits is above 0 if the runtime lets WebAssembly read strings', () => {
  // A module that imports `cast` with the wrong type is valid only if the runtime does not know `cast`.
  const wrong = Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 23, 1],
    ...[14, ...Buffer.from('wasm:js-string'), 4, ...Buffer.from('cast'), 0, 0],
  );
  expect(WebAssembly.validate(wrong)).toBe(true);
  expect(instantiate(7, 7).readableUnits > 0).toBe(!WebAssembly.validate(wrong, { builtins: ['js-string'] }));
});

it('readableUnits is 0 in Firefox, whose string functions are slow', () => {
  // Acts like a runtime that provides the functions.
  vi.spyOn(WebAssembly.Module, 'imports').mockReturnValue([{ module: 'env', name: 'memory', kind: 'memory' }]);
  try {
    expect(instantiate(7, 7).readableUnits).toBe(48);
    const named = class extends Error {
      readonly lineNumber = 1;
    };
    vi.stubGlobal('Error', named);
    expect(instantiate(7, 7).readableUnits).toBe(0);
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  }
});

describe.each(rows)('a $kind filter whose kernel reads strings', ({ Core, classes, kind, bytesOf }) => {
  const { optionsOf } = kinds.find((each) => each.kind === kind) as KindOnEngine;
  const { filter, bytes } = open(Core, reading(classes.wasm.engine), optionsOf(shape));

  beforeAll(() => {
    for (const key of keys) filter.add(key);
  });

  it('sets the bits that the format specifies', () => {
    expect(Buffer.from(bytes())).toEqual(Buffer.from(bytesOf(keys, shape)));
  });

  it('gives the same answers as a batch', () => {
    expect(keys.every((key) => filter.has(key))).toBe(true);
    for (const list of [keys, absent]) {
      expect(Uint8Array.from(list, (key) => Number(filter.has(key)))).toEqual(filter.hasMany(list));
    }
  });
});

it('counts and removes keys whose strings the kernel reads', () => {
  const opened = open(rowOf('counting').Core, reading(wasm), { counters: 100_000, hashes: 7 });
  const filter = opened.filter as object as CountingBloomFilter;
  for (const key of keys) filter.add(key);
  for (const key of keys) expect(filter.countOf(key)).toBeGreaterThan(0);
  for (const key of keys) expect(filter.remove(key)).toBe(true);
  expect(opened.bytes().every((byte) => byte === 0)).toBe(true);
});

import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { CountingBloomFilter, Key } from '../../src/index.ts';
import { instantiate, wasm } from '../../src/kernel/engine-wasm.ts';
import { type Engine, Region } from '../../src/kernel/region.ts';
import { awkwardStrings } from '../shared/awkward.ts';
import { combinableKinds, kindOn, sizedKinds } from '../shared/kinds.ts';
import { open } from '../shared/open.ts';

import { text } from '../shared/stream-tools.ts';

describe.each(combinableKinds)('strings as keys: $name', ({ Filter, sized }) => {
  // Small enough for false positives in every run: the properties must hold for these too.
  const shape = { cells: 300, hashes: 3 };

  it('give the same flags for strings of any length, next to each other and to other keys', () => {
    const lengths = [0, 1, 30, 1023, 1024, 1025, 31_743, 31_744, 32_767, 32_768, 32_769, 100_000];
    const anyKey = fc.oneof(
      fc
        .tuple(fc.constantFrom(...lengths), fc.constantFrom('a', 'é', '漢', '😀', '\ud83d', '\ude00'))
        .map(([length, unit]) => unit.repeat(length).slice(0, length)),
      fc.constantFrom<Key>(7, 8n, new Uint8Array(5)),
    );
    fc.assert(
      fc.property(fc.array(anyKey, { maxLength: 12 }), (keys) => {
        using batch = sized(shape).addMany(keys);
        using iterated = sized(shape).addMany(keys.values());
        using single = sized(shape);
        for (const each of keys) single.add(each);
        expect(batch.equals(single)).toBe(true);
        expect(iterated.equals(single)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('hash strings as their bytes in UTF-8, one by one and together', () => {
    const units = [
      ...'a\x7f\x80é\u07ff\u0800漢\ud7ff\ue000\uffff😀\u{10000}\u{10ffff}',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
    ];
    const strings = fc.array(fc.string({ unit: fc.constantFrom(...units), maxLength: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom('漢', 'é', '\ud83d', 'a'), strings, (first, others) => {
        const keys = [first, ...others];
        using single = sized(shape);
        for (const each of keys) single.add(each);
        using batch = sized(shape).addMany(keys);
        using expected = sized(shape).addMany(keys.map(text));
        expect(single.equals(expected)).toBe(true);
        expect(batch.equals(expected)).toBe(true);
      }),
    );
  });

  it('hash a chunk full of the longest characters', () => {
    const keys = ['漢'.repeat(32), ...Array.from({ length: 3000 }, (_, i) => `${'漢'.repeat(30)}${i}`)];
    const filter = Filter.from(keys.map(text), { errorRate: 1e-5 });
    expect(filter.equals(Filter.from(keys, { errorRate: 1e-5 }))).toBe(true);
  });
});

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

const onWasm = sizedKinds.filter(({ engine }) => engine.name === 'wasm');

describe.each(onWasm)('a filter whose kernel reads strings: $name', ({ Core, engine, bytesOf, optionsOf }) => {
  const { filter, bytes } = open(Core, reading(engine), optionsOf(shape));

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
  const opened = open(kindOn('counting', 'wasm').Core, reading(wasm), { counters: 100_000, hashes: 7 });
  const filter = opened.filter as object as CountingBloomFilter;
  for (const key of keys) filter.add(key);
  for (const key of keys) expect(filter.countOf(key)).toBeGreaterThan(0);
  for (const key of keys) expect(filter.remove(key)).toBe(true);
  expect(opened.bytes().every((byte) => byte === 0)).toBe(true);
});

// How strings are read, by what the runtime has for it. test/kinds/bits.slow.test.ts has the bits of strings of every
// length, on both engines, also of those that make a pair where they meet.

import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import * as js from '../../src/entries/js/index.ts';
import { BloomFilter, type CountingBloomFilter } from '../../src/index.ts';
import { instantiate } from '../../src/kernel/engine-wasm.ts';
import { type Engine, Region } from '../../src/kernel/region.ts';
import { encoder, utf8Of } from '../../src/kernel/utf8.ts';
import { bodyOf } from '../format/saved.ts';
import { awkwardStrings } from '../shared/awkward.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { classOn } from '../shared/open.ts';

afterEach(() => vi.resetModules());

const engines = Object.entries({ wasm: BloomFilter, js: js.BloomFilter });
it.each(engines)('strings may be slices that end within a pair of the longer text: %s', (_, Filter) => {
  // Where V8 is at fault, it is so only after some hundred calls: see `isInPair`.
  const text = '😀'.repeat(20);
  const cut = `${'😀'.repeat(16)}\ufffd`;
  for (let i = 0; i < 5000; i++) {
    // A set, because few keys of an array are single calls.
    using filter = new Filter({ bits: 300, hashes: 3 }).addMany(new Set(['é', text.slice(0, 33)]));
    expect(filter.has(cut), `after ${i} others`).toBe(true);
  }
});

it.each(engines)('strings that are not ASCII take no more than the scratch, after a short one too: %s', (_, Filter) => {
  // Of the first part of the last one, some bytes are left over for the second, which is full.
  const keys = ['é', 'ö'.repeat(30_000), 'ü'.repeat(30_000), 'a', `a${'€'.repeat(70_000)}`];
  const filter = new Filter({ capacity: 10 }).addMany(new Set(keys));
  expect([filter.pick(keys), filter.omit(keys.map((key) => Buffer.from(key)))]).toEqual([keys, []]);
});

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
  expect(instantiate(7, 7).readableUnits).toBe(48);
  const named = class extends Error {
    readonly lineNumber = 1;
  };
  vi.stubGlobal('Error', named);
  expect(instantiate(7, 7).readableUnits).toBe(0);
});

const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
/** Strings of all planes, ill-formed ones among them. */
const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit }));

it('encodes every string where there is no TextEncoder as where there is one', async () => {
  const reference = new TextEncoder();
  vi.stubGlobal('TextEncoder', undefined);
  vi.resetModules();
  const without = await import('../../src/kernel/utf8.ts');
  expect(without.encoder).not.toBeInstanceOf(reference.constructor);
  const property = fc.property(texts, fc.nat(20), (text, start) => {
    const wanted = reference.encode(text);
    expect(without.utf8Of(text)).toEqual(wanted);
    // The memory around has other data. One byte behind may be written.
    const bytes = new Uint8Array(start + 3 * text.length + 1).fill(7);
    expect(without.encoder.encodeInto(text, bytes.subarray(start)).written).toBe(wanted.length);
    const before = new Uint8Array(start).fill(7);
    expect(bytes.subarray(0, start + wanted.length)).toEqual(Uint8Array.of(...before, ...wanted));
  });
  fc.assert(property, { seed: 34, numRuns: 2000 });
});

it('takes the TextEncoder of the runtime where there is one', () => {
  expect(encoder).toBeInstanceOf(TextEncoder);
  expect(utf8Of('a\u{1f600}\ud800')).toEqual(new TextEncoder().encode('a\u{1f600}\ud800'));
});

it.each([
  ['Mozilla/5.0 (X11)', 160],
  ['Node.js/24', 48],
  ['Another/1.0 (like Mozilla/5.0)', 48],
  [undefined, 48],
])('strings are read unit by unit up to a length that depends on the runtime: %s', async (userAgent, units) => {
  vi.resetModules();
  vi.stubGlobal('navigator', userAgent && { userAgent });
  const { unitByUnit } = await import('../../src/kernel/runtime.ts');
  expect(unitByUnit(48)).toBe(units);
});

it.each([
  [undefined, false],
  ['Mozilla/5.0 (X11) Node.js/26', false],
  ['Node.js/24', false],
  ['Node.js/25', true],
  ['Node.js/30', true],
])('strings that are not ASCII are joined where that is fast: %s', async (userAgent, areJoined) => {
  vi.resetModules();
  vi.stubGlobal('navigator', userAgent && { userAgent });
  const { BloomFilter } = await import('../../src/index.ts');
  const encode = vi.spyOn(TextEncoder.prototype, 'encodeInto');
  const property = fc.property(fc.array(texts, { minLength: 1, maxLength: 20 }), (some) => {
    const all = ['é', ...some];
    encode.mockClear();
    const filter = new BloomFilter({ bits: 10_000, hashes: 7 }).addMany(new Set(all));
    if (some.every(({ length }) => length <= 32)) expect(encode).toHaveBeenCalledTimes(Number(areJoined));
    const expected = new BloomFilter({ bits: 10_000, hashes: 7 });
    for (const key of all) expected.add(Buffer.from(key));
    expect(filter.equals(expected)).toBe(true);
  });
  fc.assert(property, { seed: 35, numRuns: 300 });
});

// If the runtime lets WebAssembly read strings, single keys take another path. These tests take it on every runtime.
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

const ascii = Array.from({ length: 100 }, (_, length) => 'abcdefghij'.repeat(10).slice(0, length));
const keys = [...new Set([...awkwardStrings(1000, 1), ...ascii])];
const absent = keys.map((key) => `${key}?`).filter((key) => !keys.includes(key));
const shape = { cells: 100_000, hashes: 7, seed: 3 };

it.each(combinableKinds)('a filter whose kernel reads strings: $name', (row) => {
  const { kind, engine, Filter, bytesOf, optionsOf } = row;
  const filter = new (classOn(Filter, reading(engine)))(optionsOf(shape));
  for (const key of keys) filter.add(key);
  expect(bodyOf(filter)).toEqual(bytesOf(keys, shape));
  expect(keys.every((key) => filter.has(key))).toBe(true);
  expect(Uint8Array.from(absent, (key) => Number(filter.has(key)))).toEqual(filter.hasMany(absent));
  if (kind !== 'counting') return;
  const counting = filter as object as CountingBloomFilter;
  for (const key of keys) expect(counting.countOf(key)).toBeGreaterThan(0);
  for (const key of keys) expect(counting.remove(key)).toBe(true);
  expect(bodyOf(filter).every((byte) => byte === 0)).toBe(true);
});

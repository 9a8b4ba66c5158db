import { beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../src/kernel/region.ts';
import { instantiate } from '../src/kernel/wasm.ts';
import { awkwardStrings } from './awkward.ts';
import { open, openBlocked, openCounting } from './engines.ts';
import { blockedBytes, classicBytes, countingBytes } from './oracle.ts';

// Where a runtime lets WebAssembly read strings, single keys go another way. Here they go it on every runtime.
const reading = createEngine('wasm', 65_535, (pages, maximum) => ({ ...instantiate(pages, maximum), readsText: true }));
const ascii = Array.from({ length: 100 }, (_, length) => 'abcdefghij'.repeat(10).slice(0, length));
const keys = [...new Set([...awkwardStrings(1000, 1), ...ascii])];
const absent = keys.map((key) => `${key}?`).filter((key) => !keys.includes(key));

const kinds = [
  {
    kind: 'classic',
    opened: open(reading, { bits: 100_000, hashes: 7, seed: 3 }),
    expected: classicBytes(keys, 100_000, 7, 3),
  },
  {
    kind: 'blocked',
    opened: openBlocked(reading, { bits: 400 * 256, seed: 3 }),
    expected: blockedBytes(keys, 400, 3),
  },
  {
    kind: 'counting',
    opened: openCounting(reading, { counters: 100_000, hashes: 7, seed: 3 }),
    expected: countingBytes(keys, 100_000, 7, 3),
  },
];

it('is told whether the runtime lets WebAssembly read strings', () => {
  // A module that imports `cast` with the wrong type is valid only where nobody knows it.
  const wrong = Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 23, 1],
    ...[14, ...Buffer.from('wasm:js-string'), 4, ...Buffer.from('cast'), 0, 0],
  );
  expect(WebAssembly.validate(wrong)).toBe(true);
  expect(instantiate(7, 7).readsText).toBe(!WebAssembly.validate(wrong, { builtins: ['js-string'] }));
});

describe.each(kinds)('a $kind filter whose kernel reads strings', ({ opened, expected }) => {
  const { filter, bytes } = opened;

  beforeAll(() => {
    for (const key of keys) filter.add(key);
  });

  it('sets the bits of the specification', () => {
    expect(Buffer.from(bytes())).toEqual(Buffer.from(expected));
  });

  it('answers like a batch', () => {
    expect(keys.every((key) => filter.has(key))).toBe(true);
    for (const list of [keys, absent]) {
      expect(Uint8Array.from(list, (key) => Number(filter.has(key)))).toEqual(filter.hasMany(list));
    }
  });
});

it('counts and removes keys whose strings the kernel reads', () => {
  const { filter, bytes } = openCounting(reading, { counters: 100_000, hashes: 7 });
  for (const key of keys) filter.add(key);
  for (const key of keys) expect(filter.countOf(key)).toBeGreaterThan(0);
  for (const key of keys) expect(filter.remove(key)).toBe(true);
  expect(bytes().every((byte) => byte === 0)).toBe(true);
});

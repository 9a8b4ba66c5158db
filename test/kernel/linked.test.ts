// Properties of kinds whose functions are in a linked module.

import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import * as wasmWide from '../../src/entries/wide.ts';
import * as jsWide from '../../src/entries/wide-js.ts';
import { BloomFilter } from '../../src/index.ts';
import { wideBytes } from '../shared/oracle.ts';

const entries = [
  { name: 'wasm', api: wasmWide },
  { name: 'js', api: jsWide },
] as const;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe.each(entries)('filters of a linked module: $name', ({ api: { WideBlockedBloomFilter } }) => {
  it('work alongside filters of the main entry, whose memory they do not share', () => {
    const filters = numbers(50).map((i) => ({
      plain: new BloomFilter({ bits: 4096, hashes: 3 }).addMany([`plain ${i}`]),
      wide: new WideBlockedBloomFilter({ bits: 4096 }).addMany([`wide ${i}`]),
    }));
    for (const [i, { plain, wide }] of filters.entries()) {
      expect([plain.has(`plain ${i}`), wide.has(`wide ${i}`)]).toEqual([true, true]);
      expect(Math.round(plain.fillRatio() * 4096)).toBeLessThanOrEqual(3);
      expect(Math.round(wide.fillRatio() * 4096)).toBe(16);
    }
  });

  it('work after the memory has grown, which replaces its buffer', () => {
    const first = new WideBlockedBloomFilter({ bits: 51_200 }).addMany(numbers(100));
    const expected = wideBytes(numbers(100), 100, 0);
    const others = numbers(40).map(() => new WideBlockedBloomFilter({ bits: 2 ** 22 }).addMany(numbers(10)));
    expect(first.toBytes().subarray(64)).toEqual(expected);
    expect(first.hasMany(numbers(100))).toEqual(new Uint8Array(100).fill(1));
    for (const other of others) expect(other.equals(others[0] as typeof other)).toBe(true);
    first.addMany(numbers(200));
    expect(first.toBytes().subarray(64)).toEqual(wideBytes(numbers(200), 100, 0));
  });
});

describe('a linked module of WebAssembly', () => {
  it('may be passed compiled, and is refused if it is another module', async () => {
    vi.resetModules();
    const main = await import('../../src/index.ts');
    const fresh = await import('../../src/entries/wide.ts');
    const kernel = new WebAssembly.Module(readFileSync('dist/kernel.wasm'));
    const wide = new WebAssembly.Module(readFileSync('dist/wide.wasm'));
    const another = new TypeError("module must be the 'bloomery/wide/kernel.wasm' of this very version, got another");
    expect(() => fresh.useWideKernel(kernel)).toThrow(another);
    expect(() => main.useKernel(wide)).toThrow("module must be the 'bloomery/kernel.wasm' of this very version");
    expect(() => fresh.useWideKernel({})).toThrow(/^module must be a WebAssembly.Module, got /);
    main.useKernel(kernel);
    fresh.useWideKernel(wide);
    const { Module } = WebAssembly;
    try {
      // Acts like a runtime that imports WebAssembly but refuses to compile it.
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Refusing });
      expect(new fresh.WideBlockedBloomFilter({ capacity: 10 }).add('a')).toBe(true);
    } finally {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Module });
    }
  });

  it('throws an error that says so if WebAssembly is refused', async () => {
    vi.resetModules();
    const fresh = await import('../../src/entries/wide.ts');
    const { Module } = WebAssembly;
    try {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Refusing });
      expect(() => new fresh.WideBlockedBloomFilter({ capacity: 10 })).toThrow(
        new Error("WebAssembly is refused here: import from 'bloomery/wide/js'"),
      );
    } finally {
      Object.defineProperty(WebAssembly, 'Module', { configurable: true, writable: true, value: Module });
    }
    expect(new fresh.WideBlockedBloomFilter({ capacity: 10 }).add('a')).toBe(true);
  });
});

/** A WebAssembly.Module that recognizes compiled modules, but refuses to compile. */
class Refusing extends WebAssembly.Module {
  constructor() {
    super(Buffer.of(0, 97, 115, 109, 1, 0, 0, 0));
    throw new WebAssembly.CompileError('refused');
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object WebAssembly.Module]';
  }
}

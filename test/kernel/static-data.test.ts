// The build checks the static data of modules that share a memory. These tests show that its checks can fail.

import { expect, it } from 'vitest';
import { HEAP_BASE } from '../../src/kernel/generated/kernel/exports.ts';
import { linkedModules, type Module, modules } from '../../tools/modules.ts';
import { heapBase, requireRange, requireRanges } from '../../tools/static-data.ts';

it('static data are refused if their generation begins too late or ends too early', () => {
  for (const module of linkedModules) {
    // Each other has static data in its debug build: what its assertions say.
    if (['cuckoo', 'dleft', 'guava'].includes(module.name)) continue;
    const wasm = `build/${module.name}.debug.wasm`;
    const refused = new RegExp(`^${wasm}: static data from \\d+ to \\d+ must lie`);
    const { memoryBase: next } = modules.find(({ memoryBase }) => memoryBase > module.memoryBase) as Module;
    expect(() => requireRange({ ...module, memoryBase: module.memoryBase + 16 }, wasm, next)).toThrow(refused);
    expect(() => requireRange(module, wasm, module.memoryBase + 16)).toThrow(refused);
  }
});

it('generations are refused unless they follow one another below the heap', () => {
  const [first] = linkedModules as [Module];
  for (const wrong of [[...modules].reverse(), [{ ...first, memoryBase: 16 * 1024 - 16 }]]) {
    expect(() => requireRanges(wrong)).toThrow(/^tools\/modules\.ts: bases must rise from 16384/);
  }
  expect(modules.every(({ memoryBase }) => memoryBase < HEAP_BASE)).toBe(true);
  expect(heapBase('build/kernel.release.wasm')).toBe(HEAP_BASE);
});

import { describe, expect, it } from 'vitest';
import { HEAP_BASE } from '../../src/kernel/generated/kernel/exports.ts';
import { linkedModules, type Module, modules } from '../../tools/modules.ts';
import { heapBase, requireLane, requireLanes } from '../../tools/static-data.ts';

const builds = modules.flatMap((module) =>
  ['release', 'debug', 'scalar'].map((target) => ({ module, wasm: `build/${module.name}.${target}.wasm` })),
);

describe('static data of modules that share a memory', () => {
  it.each(builds)('stay in their lane: $wasm', ({ module, wasm }) => {
    expect(() => requireLane(module, wasm)).not.toThrow();
  });

  it('are refused if the lane begins too late or ends too early', () => {
    for (const module of linkedModules) {
      // Each other has static data in its debug build: what its assertions say.
      if (['cuckoo', 'dleft', 'guava'].includes(module.name)) continue;
      const wasm = `build/${module.name}.debug.wasm`;
      const refused = new RegExp(`^${wasm}: static data from \\d+ to \\d+ must lie`);
      const { memoryBase: next } = modules.find(({ memoryBase }) => memoryBase > module.memoryBase) as Module;
      expect(() => requireLane({ ...module, memoryBase: module.memoryBase + 16 }, wasm, next)).toThrow(refused);
      expect(() => requireLane(module, wasm, module.memoryBase + 16)).toThrow(refused);
    }
  });

  it('lie below the heap, in lanes that follow one another', () => {
    expect(() => requireLanes(modules)).not.toThrow();
    expect(() => requireLanes([...modules].reverse())).toThrow(/^tools\/modules\.ts: bases must rise/);
    const [first] = linkedModules;
    expect(() => requireLanes([{ ...(first as Module), memoryBase: 16 * 1024 - 16 }])).toThrow(
      /bases must rise from 16384/,
    );
    expect(modules.every(({ memoryBase }) => memoryBase < HEAP_BASE)).toBe(true);
    expect(heapBase('build/kernel.release.wasm')).toBe(HEAP_BASE);
  });
});

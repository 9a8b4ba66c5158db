// The build checks the static data of modules that share a memory. These tests show that its checks can fail.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HEAP_BASE } from '../../src/kernel/generated/kernel/exports.ts';
import { compile } from '../../tools/kernel.ts';
import { linkedModules, type Module, modules } from '../../tools/modules.ts';
import { endOf, heapBase, requireRanges } from '../../tools/static-data.ts';

it('modules are refused whose static data do not end before the next', async () => {
  const linked = linkedModules.find(({ name }) => name === 'wide') as Module;
  const end = endOf(linked) ?? 0;
  expect(end).toBe(linked.memoryBase + 1024);
  const late = { ...linked, memoryBase: end - 16 };
  await expect(compile(late, 'release', join(tmpdir(), 'late.wasm'))).rejects.toThrow('limit exceeded by static data');
});

it('modules are refused unless they follow one another below the heap', () => {
  const [first] = linkedModules as [Module];
  for (const wrong of [[...modules].reverse(), [{ ...first, memoryBase: 16 * 1024 - 16 }]]) {
    expect(() => requireRanges(wrong)).toThrow(/^tools\/modules\.ts: bases must rise from 16384/);
  }
  expect(modules.every(({ memoryBase }) => memoryBase < HEAP_BASE)).toBe(true);
  expect(heapBase('build/kernel.release.wasm')).toBe(HEAP_BASE);
});

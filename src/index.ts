import * as filters from './filters/bloom.ts';
import type { Engine } from './kernel/kernel.ts';
import { wasm } from './kernel/wasm.ts';

export * from './api.ts';
export { useKernel } from './kernel/wasm.ts';

export class BloomFilter extends filters.BloomFilter {
  static override readonly engine: Engine = wasm;
}

import * as filters from './filters/bloom.ts';
import { js } from './kernel/js.ts';
import type { Engine } from './kernel/kernel.ts';

export * from './api.ts';

export class BloomFilter extends filters.BloomFilter {
  static override readonly engine: Engine = js;
}

// The kinds that `npm run bench:rates` compares.

import { BlockedBloomFilter, BloomFilter, type GrowingFilter } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { type OwnLoops, ownLoops } from './own-loops.ts';

export interface Kind extends OwnLoops {
  readonly name: string;
  make(capacity: number, errorRate: number): GrowingFilter;
}

function kindOf(Class: new (options: { capacity: number; errorRate: number }) => GrowingFilter): Kind {
  const { name } = Class;
  return { name, make: (capacity, errorRate) => new Class({ capacity, errorRate }), ...ownLoops(name) };
}

export const classic: Kind = kindOf(BloomFilter);
export const blocked: Kind = kindOf(BlockedBloomFilter);
export const wide: Kind = kindOf(WideBlockedBloomFilter);

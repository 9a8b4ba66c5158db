// Functions such as `Math.log` may differ between runtimes in the last digits.

import { type Check, compared } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

/** The same in every runtime, to the ninth digit. */
function checkEstimates({ Filter }: KindOnEngine): string {
  const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
  const filter = Filter.from(keys, { capacity: 1000, errorRate: 0.001 });
  const { cellCount, hashes, byteLength, errorRate, capacity } = filter;
  const numbers = [filter.fillRatio(), filter.estimateCount(), filter.estimateErrorRate(), errorRate];
  return compared([cellCount, hashes, byteLength, capacity, ...numbers.map((n) => n.toPrecision(9))].join(' '));
}

export const estimates: readonly Check[] = ['classic', 'blocked'].flatMap((kind) =>
  ofKind(kind, 'estimates', checkEstimates),
);

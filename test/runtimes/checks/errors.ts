// Bad input gives the same error, word for word, in every runtime.

import { addLines, column, expectedErrorRate } from 'bloomery';
import { errorOf, holds } from './assert.ts';
import { type Check, compared } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const bytes = new Uint8Array(8);

/** Calls that must fail. The types do not allow most of them. */
function wrongCalls({ Filter, engine }: KindOnEngine): readonly (() => unknown)[] {
  const filter = Filter.from(['a', 'b'], { capacity: 100 });
  const other = new Filter({ capacity: 10_000 });
  const wrong = (value: unknown): never => value as never;
  const disposed = new Filter({ capacity: 1 });
  disposed.dispose();
  return [
    () => new Filter(wrong(undefined)),
    () => new Filter({ capacity: '10' }),
    () => new Filter({ capacity: 10, errorRate: 1 }),
    () => new Filter({ capacity: 10, seed: 2 ** 32 }),
    () => new Filter({ capacity: 10, size: 10 }),
    // Larger than any engine's memory, which differs between them.
    () => new Filter({ capacity: 1e12 }),
    () => filter.has(wrong(undefined)),
    () => filter.add(2n ** 64n),
    () => filter.add(wrong(Symbol('s'))),
    () => filter.addMany(wrong('abc')),
    () => filter.addMany(wrong(['a', 'b', null])),
    () => filter.addMany(wrong(new Float64Array(1))),
    () => filter.hasMany(['a', 'b'], new Uint8Array(1)),
    () => filter.union(other),
    () => Filter.fromBytes(bytes),
    () => Filter.fromBytes(wrong('text')),
    () => JSON.stringify(filter),
    () => disposed.add('a'),
    () => column(bytes, wrong([0, 1])),
    () => filter.addMany(column(bytes, Int32Array.of(0, 9))),
    () => addLines(filter, wrong('text')),
    () => expectedErrorRate(-1, 1, wrong(engine)),
  ];
}

async function checkErrors(kind: KindOnEngine): Promise<string> {
  const shown: string[] = [];
  for (const call of wrongCalls(kind)) {
    const error = await errorOf(call, String(call));
    holds(error instanceof TypeError || error instanceof RangeError, `${call}: ${error}`);
    shown.push(String(error));
  }
  return compared(shown.join('\n'));
}

export const errors: readonly Check[] = ofKind('classic', 'errors', checkErrors);

// Steps that a filter and its oracle both take.

import fc from 'fast-check';
import { expect } from 'vitest';

/** The methods that a filter and its oracle have. */
interface Single {
  add(key: number): boolean;
  has(key: number): boolean;
}

interface Many extends Single {
  addMany(keys: readonly number[], out: Uint8Array): unknown;
  hasMany(keys: readonly number[]): Uint8Array;
}

type Step = { readonly key: number; readonly verb: keyof Single } | ManyStep;
interface ManyStep {
  readonly keys: readonly number[];
  readonly verb: 'addMany' | 'hasMany';
}

/** Steps with one key, or with up to `most`. */
export function stepsWith(key: fc.Arbitrary<number>, most: number): fc.Arbitrary<Step> {
  const keys = fc.array(key, { maxLength: most });
  return fc.oneof(
    fc.record({ verb: fc.constantFrom('add' as const, 'has' as const), key }),
    fc.record({ verb: fc.constantFrom('addMany' as const, 'hasMany' as const), keys }),
  );
}

/** Takes a step on both, and expects the same answers. */
export function takeStep(filter: Many, oracle: Single, step: Step): void {
  if ('key' in step) {
    expect(filter[step.verb](step.key)).toBe(oracle[step.verb](step.key));
  } else if (step.verb === 'hasMany') {
    expect([...filter.hasMany(step.keys)]).toEqual(step.keys.map((key) => Number(oracle.has(key))));
  } else {
    const flags = new Uint8Array(step.keys.length);
    filter.addMany(step.keys, flags);
    expect([...flags]).toEqual(step.keys.map((key) => Number(oracle.add(key))));
  }
}

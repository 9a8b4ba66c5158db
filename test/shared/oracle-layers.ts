// The specification of the filters that grow or forget keys, implemented slowly and plainly, and steps that such a filter
// and its oracle both take.

import fc from 'fast-check';
import { expect } from 'vitest';
import type { Key } from '../../src/index.ts';
import { blockedBitsOf, bytesOf, hashOf, indicesOf, setBits } from './oracle.ts';

/** How a rotating filter is made. */
interface RotatingShape extends Readonly<Record<'generations' | 'blocks' | 'quota' | 'seed', number>> {
  readonly window?: number;
  readonly now?: number;
}

/** A rotating filter with a set of bits for each generation, and a clock that is set by hand. */
export class Rotating {
  readonly #shape: RotatingShape;
  generations: Set<number>[];
  current = 0;
  count = 0;
  rotations = 0;
  early = 0;
  now: number;
  /** In milliseconds times G − 1, so that it is exact if the clock is. */
  #begun: number;

  constructor(shape: RotatingShape) {
    this.#shape = shape;
    this.generations = Array.from({ length: shape.generations }, () => new Set());
    this.now = shape.now ?? 0;
    this.#begun = 0;
    this.#begin();
  }

  get begun(): number {
    return this.#begun / (this.#shape.generations - 1);
  }

  #begin(): void {
    this.#begun = this.#shape.window ? this.now * (this.#shape.generations - 1) : 0;
  }

  #bitsOf(key: Key): number[] {
    return blockedBitsOf(hashOf(bytesOf(key), this.#shape.seed)[0], this.#shape.blocks);
  }

  /** Clears a generation for each share of the window that is over. */
  #pass(): void {
    const { window = 0, generations } = this.#shape;
    if (window === 0) return;
    const isDue = (): boolean => this.now * (generations - 1) > this.#begun + window;
    for (let i = 0; i < generations && isDue(); i++) {
      this.#turn();
      this.#begun += window;
    }
    if (isDue()) this.#begin();
  }

  #turn(): void {
    this.current = (this.current + 1) % this.#shape.generations;
    this.generations[this.current]?.clear();
    this.count = 0;
    this.rotations++;
  }

  rotate(): void {
    this.#pass();
    this.#turn();
    this.#begin();
  }

  #isIn(generation: Set<number> | undefined, key: Key): boolean {
    return this.#bitsOf(key).every((bit) => generation?.has(bit));
  }

  has(key: Key): boolean {
    this.#pass();
    return this.generations.some((generation) => this.#isIn(generation, key));
  }

  add(key: Key): boolean {
    const isNew = !this.has(key);
    if (this.#isIn(this.generations[this.current], key)) return false;
    if (this.count === this.#shape.quota) {
      this.#turn();
      if (this.#shape.window) {
        this.#begin();
        this.early++;
      }
    }
    for (const bit of this.#bitsOf(key)) this.generations[this.current]?.add(bit);
    this.count++;
    return isNew;
  }

  refresh(key: Key): boolean {
    const isThere = this.has(key);
    if (isThere) this.add(key);
    return isThere;
  }

  /** The blocks of all generations, side by side. */
  bytes(): Uint8Array {
    const { blocks, generations } = this.#shape;
    const bytes = new Uint8Array(32 * blocks * generations);
    for (const [generation, bits] of this.generations.entries()) {
      const placeOf = (bit: number): number => 256 * (Math.floor(bit / 256) * generations + generation) + (bit % 256);
      setBits(bytes, [...bits].map(placeOf));
    }
    return bytes;
  }
}

/** The number of keys that a sub-filter is sized for, at least 1000, and its error rate. */
export function subFilterOf(
  subFilter: number,
  { capacity, errorRate, growth, tightening }: Record<'capacity' | 'errorRate' | 'growth' | 'tightening', number>,
): { readonly keys: number; readonly rate: number } {
  let rate = errorRate * (1 - tightening);
  for (let i = 0; i < subFilter; i++) rate *= tightening;
  return { keys: Math.max(1000, capacity * growth ** subFilter), rate };
}

/** How a scalable filter is made. */
interface ScalableShape extends Readonly<Record<'capacity' | 'growth' | 'seed', number>> {
  /** The bits and hashes of a sub-filter. */
  sizeOf(subFilter: number): { readonly m: number; readonly k: number };
}

/** A scalable filter with a set of bits for each sub-filter. */
export class Scalable {
  readonly #shape: ScalableShape;
  readonly subFilters: { readonly m: number; readonly k: number; readonly bits: Set<number>; count: number }[] = [];

  constructor(shape: ScalableShape) {
    this.#shape = shape;
    this.#open();
  }

  #open(): void {
    this.subFilters.push({ ...this.#shape.sizeOf(this.subFilters.length), bits: new Set(), count: 0 });
  }

  has(key: Key): boolean {
    const { seed } = this.#shape;
    return this.subFilters.some(({ m, k, bits }) => indicesOf(key, m, k, seed).every((index) => bits.has(index)));
  }

  add(key: Key): boolean {
    const { capacity, growth, seed } = this.#shape;
    if (this.has(key)) return false;
    if (this.subFilters.at(-1)?.count === capacity * growth ** (this.subFilters.length - 1)) this.#open();
    const last = this.subFilters.at(-1);
    if (last === undefined) throw new Error('there is no sub-filter');
    for (const index of indicesOf(key, last.m, last.k, seed)) last.bits.add(index);
    last.count++;
    return true;
  }

  /** All sub-filters, each padded to 64 bytes. */
  bytes(): Uint8Array {
    const parts = this.subFilters.map(({ m, bits }) => {
      const bytes = new Uint8Array(64 * Math.ceil(m / 512));
      setBits(bytes, [...bits]);
      return bytes;
    });
    return Uint8Array.from(parts.flatMap((part) => [...part]));
  }
}

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

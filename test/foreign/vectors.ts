// Reads the vectors that the libraries of other systems have made: see test/vectors/foreign/README.md.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { GrowingFilter, Key } from '../../src/index.ts';

type NumberGroup = 'int32' | 'int64' | 'float32bits' | 'float64bits';

/** Keys as a vector gives them: their values, or a rule that makes them. */
export interface KeyGroup {
  readonly type: 'utf8' | 'utf16' | 'bytes' | NumberGroup;
  readonly values?: readonly string[];
  readonly seq?: { readonly prefix: string; readonly from: number; readonly count: number; readonly suffix: string };
  readonly lcg?: { readonly seed: number; readonly minLen: number; readonly maxLen: number };
  readonly lin?: { readonly mul: string; readonly add: string; readonly from: number; readonly count: number };
}

type Probe = Readonly<{ keys: KeyGroup; inserted: boolean; count: number; positives: number; expect: string }>;

/** A filter that the other system's library has made, and what it answered. */
export interface Vector {
  readonly id: string;
  readonly n?: number;
  readonly p?: number;
  readonly m: number;
  readonly k: number;
  readonly serializedBase64?: string;
  readonly serializedLength: number;
  readonly serializedSha256: string;
  /** The positions of all bits that are set, in large filters. */
  readonly setBits?: readonly number[];
  readonly keys: readonly KeyGroup[];
  readonly probes: readonly Probe[];
}

/** `hashes.json`: the hashes of all inputs in order, by several functions and seeds. */
export interface HashFile {
  readonly inputs: readonly KeyGroup[];
  readonly vectors: readonly {
    readonly algorithm: string;
    readonly seed: number | string;
    readonly seedHex?: string;
    readonly hashes: readonly string[];
  }[];
}

export function readVectors<File>(name: string): File {
  return JSON.parse(readFileSync(new URL(`../vectors/foreign/${name}.json`, import.meta.url), 'utf8')) as File;
}

/** The bytes of one length of an `lcg` rule. */
function lcgBytes(seed: number, length: number): Uint8Array {
  let x = (seed + Math.imul(length, 0x9e3779b1)) >>> 0;
  return Uint8Array.from({ length }, () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x >>> 24;
  });
}

const BITS: Record<NumberGroup, number> = { int32: 32, int64: 64, float32bits: 32, float64bits: 64 };

function floatOf(hex: string, bits: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`) << BigInt(64 - bits));
  return bits === 32 ? view.getFloat32(0) : view.getFloat64(0);
}

function keyOf(type: KeyGroup['type'], value: string): Key {
  switch (type) {
    case 'utf8':
      return value;
    case 'utf16':
      return String.fromCharCode(...(value.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)));
    case 'bytes':
      return Uint8Array.from(Buffer.from(value, 'hex'));
    case 'int32':
      return Number(value);
    case 'int64':
      return BigInt(value);
    default:
      return floatOf(value, BITS[type]);
  }
}

export function keysOf({ type, values, seq, lcg, lin }: KeyGroup): Key[] {
  if (values) return values.map((value) => keyOf(type, value));
  if (seq) return Array.from({ length: seq.count }, (_, i) => `${seq.prefix}${seq.from + i}${seq.suffix}`);
  if (lcg) return Array.from({ length: lcg.maxLen - lcg.minLen + 1 }, (_, i) => lcgBytes(lcg.seed, lcg.minLen + i));
  if (!lin) return [];
  const bits = BITS[type as NumberGroup];
  return Array.from({ length: lin.count }, (_, i) =>
    keyOf(type, String(BigInt.asIntN(bits, BigInt(lin.from + i) * BigInt(lin.mul) + BigInt(lin.add)))),
  );
}

/** The flags that the other library gave, as a string of 0 and 1. */
function expectedOf({ expect: text, count }: Probe): string {
  const repeated = /^([01])\*\d+$/.exec(text)?.[1];
  return repeated === undefined ? text : repeated.repeat(count);
}

type VectorFilter = Pick<GrowingFilter, 'add' | 'has' | 'addMany' | 'hasMany' | 'fillRatio'>;

/** How filters are made empty, loaded from what the library has saved, and saved in chunks as it saves them. */
interface VectorSubject<V extends Vector, F extends VectorFilter> {
  make(vector: V): F;
  load(bytes: Uint8Array, vector: V): F;
  save(filter: F): Iterable<Uint8Array>;
}

/** Vectors of more bits are played once. */
const LARGE = 2 ** 27;

/**
 * Plays vectors: the bytes and all answers must be those of the other library. That the engine in plain JavaScript gives
 * the same: every-format.test.ts and test/kernel/hashes.test.ts.
 */
export function playVectors<V extends Vector, F extends VectorFilter>(
  vectors: readonly V[],
  { make, load, save }: VectorSubject<V, F>,
): void {
  const expectAnswers = (filter: F, { probes }: V): void => {
    for (const probe of probes) {
      const keys = keysOf(probe.keys);
      const expected = expectedOf(probe);
      expect(keys.length).toBe(probe.count);
      expect(filter.hasMany(keys).join('')).toBe(expected);
      // As many singles as show that they are asked the same.
      const few = keys.slice(0, 500);
      expect(few.map((key) => Number(filter.has(key))).join('')).toBe(expected.slice(0, few.length));
    }
  };

  const expectBytes = (filter: F, vector: V): void => {
    const hash = createHash('sha256');
    let length = 0;
    for (const chunk of save(filter)) {
      hash.update(chunk);
      length += chunk.length;
    }
    expect(length).toBe(vector.serializedLength);
    expect(hash.digest('hex')).toBe(vector.serializedSha256);
  };

  it.each(vectors)('a filter has the bytes and the answers of the library, with batches: $id', (vector) => {
    const filter = make(vector);
    for (const group of vector.keys) filter.addMany(keysOf(group));
    expectBytes(filter, vector);
    expectAnswers(filter, vector);
    if (vector.setBits) expect(Math.round(filter.fillRatio() * vector.m)).toBe(vector.setBits.length);
  });

  const small = vectors.filter(({ m }) => m <= LARGE);
  it.each(small)('a filter has its bytes with single keys: $id', (vector) => {
    const filter = make(vector);
    for (const group of vector.keys) for (const key of keysOf(group)) filter.add(key);
    expectBytes(filter, vector);
  });

  it.each(vectors.filter(({ serializedBase64 }) => serializedBase64))('a filter is loaded: $id', (vector) => {
    const filter = load(Uint8Array.from(Buffer.from(vector.serializedBase64 ?? '', 'base64')), vector);
    expectAnswers(filter, vector);
    expectBytes(filter, vector);
  });
}

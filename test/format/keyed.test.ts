// Files of filters with a secret: who can load them, and that nothing shows the secret.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { keyed, keyedHashKeys } from '../../src/entries/keyed.ts';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { TombstoneFilter } from '../../src/entries/tombstone.ts';
import { BloomFilter, CountingBloomFilter, load, SavedFilterError } from '../../src/index.ts';
import { type AnyClass, type AnyFilter, type KindOnEngine, keyedKinds } from '../shared/kinds.ts';
import { murmur3 } from '../shared/oracle.ts';
import { SECRET } from '../shared/secret.ts';
import { concat } from '../shared/stream-tools.ts';
import { around, type WrapperClass } from '../shared/wrapped.ts';
import { asynchronous, errorOf, keysOf, layoutOf, splitAt, viewOf } from './saved.ts';

const OTHER = Uint8Array.from(SECRET, (byte) => byte ^ 0x80);
/** A class under the secret, under another, and without one. */
const underEach = <C extends LoadableClass>(Class: C) => ({
  mine: keyed(Class, SECRET),
  other: keyed(Class, OTHER),
  plain: Class,
});
const BloomOf = underEach(BloomFilter);
const FuseOf = underEach(BinaryFuseFilter);
const TombstonesOf = underEach(TombstoneFilter);
type Whose = keyof typeof BloomOf;

const cases: readonly (readonly [file: Whose, loader: Whose, reason: string])[] = [
  ['mine', 'other', 'made under another secret'],
  ['mine', 'plain', 'made under a secret'],
  ['plain', 'mine', 'made without a secret'],
];

/** What each of these ways to load a file throws, now or later. */
async function errorsOf(ways: readonly (() => unknown)[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(ways.map(async (way) => way()));
  return settled.map((each) => (each.status === 'rejected' ? (each.reason as unknown) : undefined));
}

describe.each(cases)('a file with the secret: %s; a class with the secret: %s', (whose, by, reason) => {
  it('is refused, whatever reads it', async () => {
    const file = BloomOf[whose].from(keysOf(100)).toBytes();
    const Class = BloomOf[by];
    const parts = splitAt(file, [1, 64, 100]);
    const ways = [
      () => Class.fromBytes(file),
      () => Class.fromBytes(file.subarray(0, 64)),
      () => Class.fromChunks(parts),
      () => Class.fromChunks(asynchronous(parts)),
      () => loadAny([Class], file),
      () => loadAny([CountingBloomFilter, Class], parts),
      () => loadAny([Class], asynchronous(parts)),
      ...(by === 'plain' ? [() => load(file)] : []),
    ];
    for (const error of await errorsOf(ways)) {
      expect(error).toBeInstanceOf(SavedFilterError);
      expect(error).toMatchObject({ code: 'SECRET', reason: `it was ${reason}: see keyed`, kind: undefined });
    }
  });

  it('is refused inside of a tombstone filter, and around one', async () => {
    const made = new TombstonesOf[whose](FuseOf[whose].from(keysOf(100)));
    made.removeMany(keysOf(3));
    const file = made.toBytes();
    const parts = splitAt(file, [1, 64, 100, 130, 300]);
    const waysWith = (Class: typeof TombstoneFilter, Base: typeof BinaryFuseFilter) => [
      () => Class.fromBytes(file, [Base]),
      () => Class.fromChunks(parts, [Base]),
      () => Class.fromChunks(asynchronous(parts), [Base]),
      () => loadAny([Class, Base], file),
      () => loadAny([Base, Class], parts),
    ];
    for (const error of await errorsOf(waysWith(TombstonesOf[by], FuseOf[whose]))) {
      expect(error).toMatchObject({ code: 'SECRET', reason: `it was ${reason}: see keyed` });
    }
    for (const error of await errorsOf(waysWith(TombstonesOf[whose], FuseOf[by]))) {
      expect(error).toBeInstanceOf(SavedFilterError);
      expect(error).toMatchObject({ code: 'SECRET', reason: `its base cannot be loaded: it was ${reason}: see keyed` });
    }
    expect(TombstonesOf[whose].fromBytes(file, [FuseOf[whose]]).omit(keysOf(100))).toEqual(keysOf(3));
  });
});

it('a file of an unknown kind, or damaged, is refused for that', () => {
  const file = BloomOf.mine.from(keysOf(100)).toBytes();
  const changed = (at: number): Uint8Array => file.map((byte, i) => (i === at ? byte ^ 0x40 : byte));
  expect(errorOf(() => BloomOf.other.fromBytes(changed(5)))).toMatchObject({ code: 'VERSION' });
  expect(errorOf(() => BloomOf.other.fromBytes(changed(4)))).toMatchObject({ code: 'VERSION' });
  expect(errorOf(() => BloomOf.mine.fromBytes(changed(file.length - 1)))).toMatchObject({ code: 'DAMAGED' });
  // A file of the class's secret whose seed was changed is one of another secret, as far as anyone can tell.
  expect(errorOf(() => BloomOf.mine.fromBytes(changed(8)))).toMatchObject({ code: 'SECRET' });
});

/** The checksum of a file as it would be without a secret. */
const unkeyedChecksum = (file: Uint8Array): bigint => {
  const [offset] = layoutOf(file);
  const head = file.slice(0, offset).fill(0, 56, 64);
  const hash = new Uint8Array(BigUint64Array.from(murmur3(file.subarray(offset), 0)).buffer);
  return murmur3(concat([head, hash]), 0)[0];
};

it('a file under a secret cannot be changed without it', () => {
  const { mine, plain } = BloomOf;
  const saved = mine.from(keysOf(20)).toBytes();
  const unkeyed = plain.from(keysOf(20)).toBytes();
  // The slow checksum is right: it is that of a file without a secret.
  expect(viewOf(unkeyed).getBigUint64(56, true)).toBe(unkeyedChecksum(unkeyed));
  // Neither does a file without a secret become one with a secret.
  const posing = unkeyed.slice();
  posing.set(saved.subarray(6, 12), 6);
  const changed = [17, 33, 64, saved.length - 1].map((at) => saved.with(at, (saved[at] as number) ^ 1));
  for (const file of [...changed, posing]) {
    const forged = file.slice();
    viewOf(forged).setBigUint64(56, unkeyedChecksum(forged), true);
    for (const bytes of [file, forged]) {
      for (const read of [() => mine.fromBytes(bytes), () => mine.fromChunks([bytes])]) {
        expect(errorOf(read)).toBeInstanceOf(SavedFilterError);
        expect(errorOf(read)).toMatchObject({ code: 'DAMAGED' });
      }
    }
  }
});

/** Texts that would show four bytes of the secret in a row: as they are, in hexadecimal, in base64 and in decimal. */
const shown = Array.from({ length: 13 }, (_, at) => Buffer.from(SECRET.subarray(at, at + 4))).flatMap((part) => [
  part.toString('latin1'),
  part.toString('hex'),
  // Of the characters of base64, those that depend on these bytes alone, wherever they begin in a group of three.
  ...[0, 1, 2].map((i) =>
    Buffer.concat([Buffer.alloc(i), part])
      .toString('base64')
      .slice([0, 2, 3][i], [5, 6, 8][i]),
  ),
  [...part].join(),
  [...part].join(', '),
]);

function shows(value: string | Uint8Array): boolean {
  const texts = typeof value === 'string' ? [value, value.toLowerCase()] : [Buffer.from(value).toString('latin1')];
  return texts.some((text) => shown.some((part) => text.includes(part)));
}

/** All that can be read of a value in a console. */
function printed(value: unknown): string[] {
  return [
    inspect(value),
    inspect(value, { showHidden: true, depth: 12, getters: true, maxArrayLength: null }),
    inspect(value, { showHidden: true, depth: 12, customInspect: false, maxArrayLength: null }),
    String(value),
  ];
}

describe('a secret in files and messages', () => {
  it('would be found by this test', () => {
    const texts = [0, 1, 2].map((skipped) => Buffer.concat([Buffer.alloc(skipped), SECRET]).toString('base64'));
    const hex = Buffer.from(SECRET).toString('hex').toUpperCase();
    for (const text of [...texts, hex, inspect(SECRET), SECRET.subarray(12)]) expect(shows(text)).toBe(true);
    expect(shows('an error about nothing')).toBe(false);
  });

  it.each(keyedKinds)('is in nothing that a filter shows or saves: $name', ({ Filter, Twin }: KindOnEngine) => {
    const filter = Filter.from(keysOf(100));
    const saved = [filter.toBytes(), ...filter.toChunks(), filter.clone().toBytes()];
    expect(saved.filter(shows)).toEqual([]);
    const values = [filter, Filter, Twin, Filter.engine, keyedHashKeys(SECRET), keyedHashKeys(SECRET)(['a'])];
    expect(values.flatMap(printed).filter(shows)).toEqual([]);
    expect(shows(JSON.stringify({ Filter, engine: Filter.engine, name: Filter.name }))).toBe(false);
  });

  it('is in no error', async () => {
    const keys = keysOf(10);
    const filter = BloomOf.mine.from(keys);
    const file = filter.toBytes();
    const { mine, other, plain } = BloomOf;
    const hashed = keyedHashKeys(SECRET)(keys);
    const Wrapped = around(TombstonesOf.mine as object as WrapperClass, plain as object as AnyClass);
    const wrongs: readonly unknown[] = [
      SECRET.subarray(1),
      Uint8Array.of(...SECRET, 1),
      [...SECRET],
      SECRET.buffer,
      new DataView(SECRET.buffer),
      Buffer.from(SECRET).toString('hex'),
      Buffer.from(SECRET).toString('base64'),
      Buffer.from(SECRET).toString('latin1'),
      { secret: SECRET },
    ];
    const ways: readonly (() => unknown)[] = [
      ...wrongs.flatMap((wrong) => [() => keyed(BloomFilter, wrong as never), () => keyedHashKeys(wrong as never)]),
      () => keyed(SECRET as never, SECRET),
      () => keyed(mine, SECRET),
      () => mine.from(keys, { seed: 5 }),
      () => new mine({ capacity: 0 }),
      () => new mine({ bits: 2 ** 40, hashes: 1 }),
      () => filter.union(other.from(keys)),
      () => plain.from(keys).merge(filter),
      () => filter.has({} as never),
      () => filter.addMany(keyedHashKeys(OTHER)(keys)),
      () => plain.from(hashed),
      () => plain.fromBytes(file),
      () => other.fromBytes(file),
      () => mine.fromBytes(plain.from(keys).toBytes()),
      () => mine.fromBytes(file.subarray(1)),
      () => mine.fromChunks(asynchronous([file.subarray(0, 70)])),
      () => JSON.stringify(filter),
      () => JSON.stringify(Wrapped.from(keys) as AnyFilter),
      () => loadAny([FuseOf.mine as LoadableClass], file),
      () => new TombstonesOf.other(filter),
    ];
    const errors = await errorsOf(ways);
    expect(ways.filter((_, i) => !(errors[i] instanceof Error)).map(String)).toEqual([]);
    const texts = (errors as Error[]).flatMap((error) => [error.message, String(error.stack), ...printed(error)]);
    expect(texts.filter(shows)).toEqual([]);
  });
});

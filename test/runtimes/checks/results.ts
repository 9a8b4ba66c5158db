// What filters answer and estimate, and what they say of bad input, is the same in every runtime.

import { addLines, column, expectedErrorRate, type Key, lines } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import type { FuseMap } from 'bloomery/fuse-map';
import { FuseLookup, FuseMapLookup } from 'bloomery/lookup';
import { formats } from 'filter-classes';
import type { ForeignClass } from '../../foreign/formats.ts';
import { digestOf, errorOf, holds, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

interface Removing {
  remove(key: string): boolean;
  removeMany(keys: readonly string[]): unknown;
}

const keys = Array.from({ length: 500 }, (_, i) => `key ${i}`);
const [gone, left] = [keys.slice(0, 300), keys.slice(300)];

/** The same to the ninth digit: functions such as `Math.log` may differ in the last ones. */
function checkEstimates({ Filter }: KindOnEngine): string {
  const filter = Filter.from(keys, { capacity: 1000, errorRate: 0.001 });
  const { cellCount, hashes, byteLength, errorRate, capacity } = filter;
  const numbers = [filter.fillRatio(), filter.estimateCount(), filter.estimateErrorRate(), errorRate];
  return compared([cellCount, hashes, byteLength, capacity, ...numbers.map((n) => n.toPrecision(9))].join(' '));
}

function checkRemoval({ of, optionsFor }: KindOnEngine): string {
  const filter = of(keys, optionsFor(keys.length));
  const removing = filter as object as Removing;
  holds(removing.remove('key 0'), 'a key was removed');
  same(removing.remove('no key'), false, 'a key that was never added was removed');
  removing.removeMany(gone.slice(1));
  sameList(filter.hasMany(left), new Uint8Array(left.length).fill(1), 'the keys that are left');
  return compared(`${filter.hasMany(gone).join('')} ${digestOf(filter.toBytes())}`);
}

/** Not written as a literal, because Metro would put U+FFFD in its place. */
const LONE = String.fromCharCode(0xd800);

/** Lookups in the file of a fuse filter, without an engine. */
function checkLookups(): void {
  const texts = Array.from({ length: 300 }, (_, i) => `${'é漢😀'.repeat(i % 7)}${i}${LONE}`);
  const filter = BinaryFuseFilter.from(texts, { fingerprintBits: 7, seed: 34 });
  const lookup = FuseLookup.fromBytes(filter.toBytes());
  for (const key of [...texts, ...texts.map((text) => `no ${text}`)]) same(lookup.has(key), filter.has(key), key);
}

/** Values of one bit, of some, and of 32, which leave no bits for fingerprints. */
function checkValues({ Filter }: KindOnEngine): string {
  const sizes = [
    { largest: 1, fingerprintBits: 31 },
    { largest: 1000, fingerprintBits: 3 },
    { largest: 2 ** 32 - 1, fingerprintBits: 0 },
  ];
  const shown = sizes.map(({ largest, fingerprintBits }) => {
    const values = keys.map((_, i) => (i === 0 ? largest : (i * 7919) % (largest + 1)));
    const entries = keys.map((key, i) => [key, values[i] as number] as const);
    const map = (Filter as object as typeof FuseMap).fromEntries(entries, { fingerprintBits, shards: 4 });
    const lookup = FuseMapLookup.fromBytes(map.toBytes());
    same(map.getMany(keys).join(), values.join(), 'the values of a batch');
    const others = keys.map((key) => `no ${key}`);
    for (const key of [...keys, ...others]) same(lookup.get(key), map.get(key), key);
    same(keys.map((key) => map.get(key)).join(), values.join(), 'the values of single keys');
    return `${digestOf(map.toBytes())} ${map.getMany(others).join()}`;
  });
  return compared(shown.join(' '));
}

const bytes = new Uint8Array(8);

/** Calls that must fail. The types do not allow most of them. */
function wrongCalls({ Filter, engine }: KindOnEngine): readonly (() => unknown)[] {
  const filter = Filter.from(['a', 'b'], { capacity: 100 });
  const wrong = (value: unknown): never => value as never;
  const disposed = new Filter({ capacity: 1 });
  disposed.dispose();
  return [
    () => new Filter(wrong(undefined)),
    () => new Filter({ capacity: '10' }),
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
    () => filter.union(new Filter({ capacity: 10_000 })),
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

/** Keys that every format takes: strings of all lengths and scripts, some ill-formed, and bytes. */
const texts = Array.from({ length: 150 }, (_, i) => `${i % 3 === 0 ? 'ключ' : 'key'} ${'x'.repeat(i % 70)}${i}`);
const awkward = ['', LONE, `a${LONE}b`, '漢字', '😀', 'y'.repeat(98_305), Uint8Array.of(1, 2, 3)];
const foreignKeys: readonly Key[] = [...texts, ...awkward];

async function checkFormat(Class: unknown): Promise<string> {
  const Filter = Class as ForeignClass;
  // Chrome before 115 must prepare it.
  await Filter.prepare();
  const options = { capacity: 1000, errorRate: 0.01 };
  const filter = new Filter(options).addMany(foreignKeys);
  const singles = new Filter(options);
  for (const key of foreignKeys) singles.add(key);
  sameBytes(singles.toBytes(), filter.toBytes(), 'single keys give what a batch gives');
  sameList(filter.hasMany(foreignKeys), new Uint8Array(foreignKeys.length).fill(1), 'all keys are found');
  sameBytes(Filter.fromBytes(filter.toBytes()).toBytes(), filter.toBytes(), 'it is loaded as it was saved');
  const ofLines = new Filter(options).addMany(lines(new TextEncoder().encode(texts.join('\n'))));
  sameBytes(ofLines.toBytes(), new Filter(options).addMany(texts).toBytes(), 'lines give what strings give');
  const others = Array.from({ length: 1000 }, (_, i) => `other ${i}`);
  return compared(`${digestOf(filter.toBytes())} ${filter.pick(others).length}`);
}

export const results: readonly Check[] = [
  ...['classic', 'blocked'].flatMap((kind) => ofKind(kind, 'estimates', checkEstimates)),
  ...['counting', 'dleft', 'tombstone'].flatMap((kind) => ofKind(kind, 'remove', checkRemoval)),
  ...ofKind('fuse-map', 'values', checkValues),
  ['a lookup in a file answers as the filter', checkLookups],
  ...ofKind('classic', 'errors', checkErrors),
  ...formats.flatMap((row): Check[] =>
    (['wasm', 'js'] as const).map((engine) => [
      `${engine}, ${row.kind}: the format of another system`,
      () => checkFormat(row[engine]),
    ]),
  ),
];

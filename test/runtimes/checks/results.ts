// What filters answer and estimate is the same in every runtime.

import { BinaryFuseFilter } from 'bloomery/fuse';
import { FuseLookup } from 'bloomery/lookup';
import { holds, same, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
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

/** Lookups in the file of a fuse filter, without an engine. */
function checkLookups(): void {
  const texts = Array.from({ length: 300 }, (_, i) => `${'é漢😀'.repeat(i % 7)}${i}\ud800`);
  const filter = BinaryFuseFilter.from(texts, { fingerprintBits: 7, seed: 34 });
  const lookup = FuseLookup.fromBytes(filter.toBytes());
  for (const key of [...texts, ...texts.map((text) => `no ${text}`)]) same(lookup.has(key), filter.has(key), key);
}

export const results: readonly Check[] = [
  ...['classic', 'blocked'].flatMap((kind) => ofKind(kind, 'estimates', checkEstimates)),
  ...['counting', 'dleft', 'tombstone'].flatMap((kind) => ofKind(kind, 'remove', checkRemoval)),
  ['a lookup in a file answers as the filter', checkLookups],
];

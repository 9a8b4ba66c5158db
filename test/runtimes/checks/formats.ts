// Filters in the formats of other systems: every runtime makes the same bytes.

import { type Key, lines } from 'bloomery';
import { formats } from 'filter-classes';
import type { ForeignClass } from '../../foreign/formats.ts';
import { sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';

/** Not written as a literal, because Metro would put U+FFFD in its place. */
const LONE = String.fromCharCode(0xd800);
/** Keys that every format takes: strings of all lengths and scripts, some ill-formed, and bytes. */
const texts = Array.from({ length: 150 }, (_, i) => `${i % 3 === 0 ? 'ключ' : 'key'} ${'x'.repeat(i % 70)}${i}`);
const keys: readonly Key[] = [
  ...texts,
  '',
  LONE,
  `a${LONE}b`,
  '漢字',
  '😀',
  'y'.repeat(98_305),
  Uint8Array.of(1, 2, 3),
];

async function check(Class: unknown): Promise<string> {
  const Filter = Class as ForeignClass;
  // Chrome before 115 must prepare it.
  await Filter.prepare();
  const options = { capacity: 1000, errorRate: 0.01 };
  const filter = new Filter(options).addMany(keys);
  const singles = new Filter(options);
  for (const key of keys) singles.add(key);
  sameBytes(singles.toBytes(), filter.toBytes(), 'single keys give what a batch gives');
  sameList(filter.hasMany(keys), new Uint8Array(keys.length).fill(1), 'all keys are found');
  sameBytes(Filter.fromBytes(filter.toBytes()).toBytes(), filter.toBytes(), 'it is loaded as it was saved');
  const ofLines = new Filter(options).addMany(lines(new TextEncoder().encode(texts.join('\n'))));
  sameBytes(ofLines.toBytes(), new Filter(options).addMany(texts).toBytes(), 'lines give what strings give');
  const others = Array.from({ length: 1000 }, (_, i) => `other ${i}`);
  return compared(`${digestOf(filter.toBytes())} ${filter.pick(others).length}`);
}

export const formatChecks: readonly Check[] = formats.flatMap(({ kind, wasm, js }): Check[] => [
  [`wasm, ${kind}: the format of another system`, () => check(wasm)],
  [`js, ${kind}: the format of another system`, () => check(js)],
]);

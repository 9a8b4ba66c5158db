// The files that every version must read: absolute values, which no runtime of this run has computed.

import type { Key } from 'bloomery';
import files from 'golden-files';
import { same, sameBytes, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, kinds } from './kinds.ts';

export type GoldenFile = (typeof files)[number];

/** The keys that were added. */
function keysOf({ keys, count }: GoldenFile): Key[] {
  return Array.from({ length: count }, (_, i) => (keys === 'strings' ? `key ${i}` : i));
}

function checkFile(file: GoldenFile, { Filter, of, sizeOf, remembers }: KindOnEngine): void {
  const saved = Uint8Array.from(atob(file.base64), (character) => character.charCodeAt(0));
  const keys = keysOf(file);
  const loaded = Filter.fromBytes(saved);
  same(loaded.cellCount, file.cells, 'cells');
  same(loaded.hashes, file.hashes, 'hashes');
  same(loaded.cellBits, file.bits ?? loaded.cellBits, 'bits per cell');
  same(loaded.seed, file.seed, 'seed');
  const flags = Uint8Array.from(keys, (_, i) => Number(i >= (file.removed ?? 0)));
  if (remembers === Infinity) sameList(loaded.hasMany(keys), flags, 'flags');
  sameBytes(loaded.toBytes(), saved, 'saved again');
  const size = sizeOf?.(file);
  if (size === undefined) return;
  sameBytes(of(keys, { ...size, seed: file.seed }).toBytes(), saved, 'built from its keys');
}

export const golden: readonly Check[] = kinds.flatMap((kind) =>
  files
    .filter((file) => file.kind === kind.kind)
    .map((file): Check => [`${kind.name}: ${file.file} is read, saved and built`, () => checkFile(file, kind)]),
);

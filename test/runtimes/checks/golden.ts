// The files that every version must read: absolute values, which no runtime of this run has computed.

import type { Key } from 'bloomery';
import files from 'golden-files';
import { same, sameBytes, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, kinds } from './engines.ts';

export type GoldenFile = (typeof files)[number];

/** The files of a kind. */
export function goldenOf(kind: string): readonly GoldenFile[] {
  return files.filter((file) => file.kind === kind);
}

export function goldenBytes({ base64 }: GoldenFile): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** The keys that were added. */
export function goldenKeys({ keys, count }: GoldenFile): Key[] {
  return Array.from({ length: count }, (_, i) => (keys === 'strings' ? `key ${i}` : i));
}

/** The options that give a filter of the file's parameters. */
function optionsOf({ promise, cells, hashes, seed }: GoldenFile, { sizeOption, fixedHashes }: KindOnEngine): object {
  if (promise) return { ...promise, seed };
  return { [sizeOption]: cells, ...(fixedHashes === undefined && { hashes }), seed };
}

function checkFile(golden: GoldenFile, kind: KindOnEngine): void {
  const { Filter } = kind;
  const saved = goldenBytes(golden);
  const keys = goldenKeys(golden);
  const loaded = Filter.fromBytes(saved);
  same(loaded.cellCount, golden.cells, 'cells');
  same(loaded.hashes, golden.hashes, 'hashes');
  same(loaded.seed, golden.seed, 'seed');
  sameList(loaded.hasMany(keys), new Uint8Array(keys.length).fill(1), 'flags');
  sameBytes(loaded.toBytes(), saved, 'saved again');
  const built = new Filter(optionsOf(golden, kind)).addMany(keys);
  sameBytes(built.toBytes(), saved, 'built from its keys');
}

export const golden: readonly Check[] = kinds.flatMap((kind) =>
  goldenOf(kind.Filter.kind).map(
    (file): Check => [`${kind.name}: ${file.file} is read, saved and built`, () => checkFile(file, kind)],
  ),
);

// Saved filters: of earlier versions, and looked up in their files.

import type { LoadableClass } from 'bloomery/load';
import { blobSource, openFilter } from 'bloomery/open';
import files from 'golden-files';
import { same, sameBytes, sameList } from './assert.ts';
import { type Check, only } from './check.ts';
import { type KindOnEngine, kinds, ofKind } from './kinds.ts';

const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

async function checkOpened({ Filter }: KindOnEngine): Promise<void> {
  const filter = Filter.from(keys);
  const asked = [...keys, ...keys.map((key) => `other ${key}`)];
  const source = blobSource(new Blob([filter.toBytes()]));
  const opened = await openFilter([Filter as object as LoadableClass], source, { cacheBytes: 2 ** 10 });
  sameBytes(await opened.hasMany(asked), filter.hasMany(asked), 'flags');
  sameList(await opened.omit(asked), filter.omit(asked), 'omitted keys');
  await opened.verify();
  await opened.close();
}

type GoldenFile = (typeof files)[number];

/** Absolute values, which no runtime of this run has computed. */
function checkGolden({ hex, keys: type, count, removed = 0 }: GoldenFile, kind: KindOnEngine): void {
  const saved = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const added = Array.from({ length: count }, (_, i) => (type === 'strings' ? `key ${i}` : i));
  const loaded = kind.Filter.fromBytes(saved);
  const flags = added.map((_, i) => Number(i >= removed));
  same(loaded.engine, kind.engine, 'engine');
  if (kind.remembers === Infinity) sameList(loaded.hasMany(added), flags, 'flags');
  sameBytes(loaded.toBytes(), saved, 'saved again');
}

const golden = kinds.flatMap((kind) =>
  files
    .filter((file) => file.kind === kind.kind)
    .map((file): Check => [`${kind.name}: ${file.file} is read and saved`, () => checkGolden(file, kind)]),
);

export const saving: readonly Check[] = [
  ...only({ once: true }, golden),
  ...only({ web: true }, ofKind('classic', 'lookups in a file that is not loaded', checkOpened)),
];

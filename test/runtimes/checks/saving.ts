// Saved filters: whole and in chunks, of earlier versions, looked up in their files, damaged.

import type { LoadableClass } from 'bloomery/load';
import { blobSource, openFilter } from 'bloomery/open';
import files from 'golden-files';
import { concat, inChunks } from '../../shared/stream-tools.ts';
import { errorOf, holds, same, sameBytes, sameList } from './assert.ts';
import { type Check, only } from './check.ts';
import { type KindOnEngine, kinds, ofKind } from './kinds.ts';

const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

function checkChunks({ Filter }: KindOnEngine): void {
  const filter = Filter.from(keys);
  const saved = filter.toBytes();
  sameBytes(concat([...filter.toChunks()]), saved, 'the chunks');
  for (const size of [1, 97, 7919, saved.length]) {
    sameBytes(Filter.fromChunks(inChunks(saved, size)).toBytes(), saved, `loaded from chunks of ${size} bytes`);
  }
}

async function checkDamage({ Filter }: KindOnEngine): Promise<void> {
  const saved = Filter.from(keys).toBytes();
  const flipped = [0, 5, 20, 66, 140, saved.length - 1].map((at) =>
    saved.map((byte, i) => (i === at ? byte ^ 1 : byte)),
  );
  const cut = [0, 10, saved.length - 1].map((length) => saved.subarray(0, length));
  for (const [i, damaged] of [...flipped, ...cut].entries()) {
    const error = await errorOf(() => Filter.fromBytes(damaged), `damage ${i}`);
    holds(error instanceof RangeError, `damage ${i}: ${error}`);
  }
}

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
  ...only({ once: true }, [
    ...golden,
    ...ofKind('classic', 'saved and loaded in chunks', checkChunks),
    ...ofKind('classic', 'damaged files are refused', checkDamage),
  ]),
  ...only({ web: true }, ofKind('classic', 'lookups in a file that is not loaded', checkOpened)),
];

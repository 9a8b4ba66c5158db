// Filters that are looked up in their files, without being loaded.

import type { LoadableClass } from 'bloomery/load';
import { blobSource, openFilter } from 'bloomery/open';
import { sameBytes, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const keys = Array.from({ length: 500 }, (_, i) => `ключ ${i}`);
const asked = Array.from({ length: 1500 }, (_, i) => `ключ ${i}`);

async function checkOpened({ Filter, of, optionsFor }: KindOnEngine): Promise<void> {
  const classes = [Filter as object as LoadableClass];
  const filter = of(keys, optionsFor(keys.length));
  const source = blobSource(new Blob([filter.toBytes()]));
  const opened = await openFilter(classes, source, { cacheBytes: 2 ** 14 });
  sameBytes(await opened.hasMany(asked), filter.hasMany(asked), 'flags');
  sameList(await opened.omit(asked), filter.omit(asked), 'omitted keys');
  await opened.verify();
  await opened.close();
}

export const opening: readonly Check[] = ofKind('classic', 'lookups in a file that is not loaded', checkOpened);

// Lookups in the file of a fuse filter, without an engine.

import { BinaryFuseFilter } from 'bloomery/fuse';
import { FuseLookup } from 'bloomery/lookup';
import { same } from './assert.ts';
import type { Check } from './check.ts';

function checkLookups(): void {
  const keys = Array.from({ length: 500 }, (_, i) => `${'é漢😀'.repeat(i % 7)}${i}\ud800`);
  const filter = BinaryFuseFilter.from(keys, { fingerprintBits: 7, seed: 34 });
  const lookup = FuseLookup.fromBytes(filter.toBytes());
  for (const key of [...keys, ...keys.map((key) => `no ${key}`)]) same(lookup.has(key), filter.has(key), key);
}

export const lookups: readonly Check[] = [['a lookup in a file answers as the filter', checkLookups]];

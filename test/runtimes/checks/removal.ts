// Keys that are removed: the functions that only some kinds have.

import { holds, same, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

interface Removing {
  remove(key: string): boolean;
  removeMany(keys: readonly string[]): unknown;
}

const keys = Array.from({ length: 900 }, (_, i) => `key ${i}`);
const [gone, left] = [keys.slice(0, 500), keys.slice(500)];

function checkRemoval({ of, optionsFor }: KindOnEngine): string {
  const filter = of(keys, optionsFor(keys.length));
  const removing = filter as object as Removing;
  holds(removing.remove('key 0'), 'a key was removed');
  same(removing.remove('no key'), false, 'a key that was never added was removed');
  removing.removeMany(gone.slice(1));
  sameList(filter.hasMany(left), new Uint8Array(left.length).fill(1), 'the keys that are left');
  return compared(`${filter.hasMany(gone).join('')} ${digestOf(filter.toBytes())}`);
}

export const removal: readonly Check[] = ['counting', 'dleft', 'tombstone'].flatMap((kind) =>
  ofKind(kind, 'remove', checkRemoval),
);

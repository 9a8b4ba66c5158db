// Each form of keys gives the same bits in batches and one by one, and in every runtime.

import type { Key } from 'bloomery';
import { sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { type KindOnEngine, ofEachKind } from './engines.ts';
import { type Input, inputs } from './inputs.ts';

const encoder = new TextEncoder();

/** A string as its UTF-8, encoded by the runtime; any other key as it is. */
function encoded(key: Key): Key {
  return typeof key === 'string' ? encoder.encode(key) : key;
}

function checkInput({ Filter }: KindOnEngine, { many, singles }: Input): string {
  const options = { capacity: 2 * singles.length, seed: 2_718_281_828 };
  const one = new Filter(options);
  const isNew = singles.map((key) => Number(one.add(key)));
  const saved = one.toBytes();

  const flags = new Uint8Array(singles.length);
  const flagged = new Filter(options).addMany(singles, flags);
  sameList(flags, isNew, 'flags of addMany');
  sameBytes(flagged.toBytes(), saved, 'added with flags');
  const batch = Filter.from(many(), options);
  sameBytes(batch.toBytes(), saved, 'added as a batch');
  sameBytes(new Filter(options).addMany(singles.map(encoded)).toBytes(), saved, 'added as UTF-8');

  sameList(batch.hasMany(many()), new Uint8Array(singles.length).fill(1), 'flags of hasMany');
  // Half of them were not added.
  const probes = singles.slice(0, 500).flatMap((key): Key[] => [key, `${key}?`]);
  sameList(
    batch.hasMany(probes),
    probes.map((key) => Number(batch.has(key))),
    'flags of probes',
  );
  return compared(digestOf(saved));
}

export const keys: readonly Check[] = inputs.flatMap((input) =>
  ofEachKind(input.name, (kind) => checkInput(kind, input)),
);

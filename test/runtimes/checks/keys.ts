// Each form of keys gives the same bits in batches and one by one, and in every runtime.

import type { Key } from 'bloomery';
import { sameBytes, sameList } from './assert.ts';
import { type Check, compared, only } from './check.ts';
import { digestOf } from './digest.ts';
import { type Input, inputs, MIXED } from './inputs.ts';
import { type KindOnEngine, kinds, ofEachKind } from './kinds.ts';

const encoder = new TextEncoder();

/** A string as its UTF-8, encoded by the runtime; any other key as it is. */
function encoded(key: Key): Key {
  return typeof key === 'string' ? encoder.encode(key) : key;
}

function checkInput({ Filter, of, optionsFor, grows, remembers }: KindOnEngine, { many, singles }: Input): string {
  const options = { ...optionsFor(singles.length), seed: 2_718_281_828 };
  const batch = of(many(), options);
  const saved = batch.toBytes();
  sameBytes(of(singles, options).toBytes(), saved, 'made of single keys');
  sameBytes(of(singles.map(encoded), options).toBytes(), saved, 'made of UTF-8');

  if (grows) {
    const one = new Filter(options);
    const isNew = singles.map((key) => Number(one.add(key)));
    sameBytes(one.toBytes(), saved, 'added one by one');
    const flags = new Uint8Array(singles.length);
    const flagged = new Filter(options).addMany(singles, flags);
    sameList(flags, isNew, 'flags of addMany');
    sameBytes(flagged.toBytes(), saved, 'added with flags');
  }

  const flags = batch.hasMany(many());
  sameList(
    flags,
    singles.map((key) => Number(batch.has(key))),
    'flags of hasMany',
  );
  const known = flags.subarray(Math.max(0, flags.length - remembers));
  sameList(known, new Uint8Array(known.length).fill(1), 'the last keys');
  sameList(
    batch.pick(singles),
    singles.filter((_, at) => flags[at]),
    'pick',
  );
  // Half of them were not added.
  const probes = singles.slice(0, 500).flatMap((key): Key[] => [key, `${key}?`]);
  sameList(
    batch.hasMany(probes),
    probes.map((key) => Number(batch.has(key))),
    'flags of probes',
  );
  return compared(digestOf(saved));
}

/** All kinds hash alike: one is tried with every input, and the others with one that has keys of all types. */
export const keys: readonly Check[] = inputs.flatMap((input) => {
  const some = kinds.filter(({ kind }) => kind === 'classic' || input.name === MIXED);
  return some.flatMap((kind) => {
    const checks = ofEachKind(input.name, () => checkInput(kind, input), [kind]);
    return kind.kind === 'classic' && input.name === MIXED ? checks : only({ once: true }, checks);
  });
});

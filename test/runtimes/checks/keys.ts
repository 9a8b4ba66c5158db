// Each form of keys gives the same bits in batches and one by one, on both engines, and in every runtime.

import type { BloomFilter, Key } from 'bloomery';
import { keyed } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import { KEYED_SEED, SECRET } from '../../shared/secret.ts';
import { digestOf, errorOf, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared, only } from './check.ts';
import { type Input, inputs, MIXED } from './inputs.ts';
import { type KindOnEngine, kinds, ofEachKind, ofKind, type PreparedClass } from './kinds.ts';

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

  const hasEach = (some: readonly Key[]): number[] => some.map((key) => Number(batch.has(key)));
  const flags = batch.hasMany(many());
  sameList(flags, hasEach(singles), 'flags of hasMany');
  const known = flags.subarray(Math.max(0, flags.length - remembers));
  sameList(known, new Uint8Array(known.length).fill(1), 'the last keys');
  const found = singles.filter((_, at) => flags[at]);
  sameList(batch.pick(singles), found, 'pick');
  // Half of them were not added.
  const probes = singles.slice(0, 500).flatMap((key): Key[] => [key, `${key}?`]);
  sameList(batch.hasMany(probes), hasEach(probes), 'flags of probes');
  return compared(digestOf(saved));
}

/** Makes the class with the secret. Chrome before 115 must prepare it. */
async function classUnder(Filter: PreparedClass): Promise<PreparedClass> {
  const make = Filter.engine.name === 'wasm' ? keyed : jsKeyed;
  const Keyed = make(Filter as object as typeof BloomFilter, SECRET) as object as PreparedClass;
  await Keyed.prepare();
  return Keyed;
}

async function checkKeyed({ Filter, Twin, optionsFor }: KindOnEngine): Promise<string> {
  const [Keyed, KeyedTwin] = [await classUnder(Filter), await classUnder(Twin)];
  const digests: string[] = [];
  for (const { name, many, singles } of inputs.filter((input) => [MIXED, 'bytes'].includes(input.name))) {
    const options = optionsFor(singles.length);
    const [batch, one, twin] = [new Keyed(options), new Keyed(options), new KeyedTwin(options)];
    batch.dedupe(many());
    const saved = batch.toBytes();
    same(batch.seed, KEYED_SEED, 'the seed');
    for (const key of singles) if (!one.has(key)) one.add(key);
    sameBytes(one.toBytes(), saved, `${name}, added one by one`);
    twin.dedupe(many());
    sameBytes(twin.toBytes(), saved, `${name}, on the other engine`);
    sameList(Keyed.fromBytes(saved).hasMany(many()), new Uint8Array(singles.length).fill(1), `${name}, loaded`);
    digests.push(digestOf(saved));
    const refused = await errorOf(() => Filter.fromBytes(saved), 'a class without the secret');
    same((refused as { code?: string }).code, 'SECRET', 'the code of the error');
  }
  return compared(digests.join(' '));
}

/** All kinds hash alike: one is tried with every input, and the others with one that has keys of all types. */
const ofInputs = inputs.flatMap((input) => {
  const some = kinds.filter(({ kind }) => kind === 'classic' || input.name === MIXED);
  return some.flatMap((kind) => {
    const checks = ofEachKind(input.name, () => checkInput(kind, input), [kind]);
    return kind.kind === 'classic' && input.name === MIXED ? checks : only({ once: true }, checks);
  });
});

// Of the classic filters, all functions are in the keyed module; the module of cuckoo filters is linked after it.
const underSecret = ['classic', 'cuckoo'].flatMap((kind) => ofKind(kind, 'under a secret', checkKeyed));

export const keys: readonly Check[] = [...ofInputs, ...only({ once: true }, underSecret)];

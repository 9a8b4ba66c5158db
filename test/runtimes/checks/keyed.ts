// Filters with a secret: the classic ones, whose functions are all in the keyed module, and cuckoo filters, whose own
// module is linked after it.

import type { BloomFilter } from 'bloomery';
import { keyed } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import { KEYED_SEED, SECRET } from '../../shared/secret.ts';
import { errorOf, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { inputs, MIXED } from './inputs.ts';
import { type KindOnEngine, ofKind, type PreparedClass } from './kinds.ts';

const used = inputs.filter(({ name }) => [MIXED, 'bytes'].includes(name));

/** Makes the class with the secret. Chrome before 115 must prepare it. */
async function classUnder(Filter: PreparedClass, engine: 'wasm' | 'js'): Promise<PreparedClass> {
  const make = engine === 'wasm' ? keyed : jsKeyed;
  const Keyed = make(Filter as object as typeof BloomFilter, SECRET) as object as PreparedClass;
  await Keyed.prepare();
  return Keyed;
}

async function checkKeyed({ Filter, Twin, engine, optionsFor }: KindOnEngine): Promise<string> {
  const Keyed = await classUnder(Filter, engine);
  const KeyedTwin = await classUnder(Twin, engine === 'wasm' ? 'js' : 'wasm');
  const digests: string[] = [];
  for (const { name, many, singles } of used) {
    const options = optionsFor(singles.length);
    const batch = new Keyed(options);
    batch.dedupe(many());
    const saved = batch.toBytes();
    same(batch.seed, KEYED_SEED, 'the seed');
    const one = new Keyed(options);
    for (const key of singles) if (!one.has(key)) one.add(key);
    sameBytes(one.toBytes(), saved, `${name}, added one by one`);
    const twin = new KeyedTwin(options);
    twin.dedupe(many());
    sameBytes(twin.toBytes(), saved, `${name}, on the other engine`);
    sameList(Keyed.fromBytes(saved).hasMany(many()), new Uint8Array(singles.length).fill(1), `${name}, loaded`);
    digests.push(digestOf(saved));
    const refused = await errorOf(() => Filter.fromBytes(saved), 'a class without the secret');
    same((refused as { code?: string }).code, 'SECRET', 'the code of the error');
    for (const filter of [batch, one, twin]) filter.dispose();
  }
  return compared(digests.join(' '));
}

export const keyedChecks: readonly Check[] = [
  ...ofKind('classic', 'under a secret', checkKeyed),
  ...ofKind('cuckoo', 'under a secret', checkKeyed),
];

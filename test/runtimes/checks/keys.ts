// Each form of keys gives the same bits in batches and one by one, on both engines, and in every runtime.

import { type BloomFilter, column, type Key, type Keys, lines } from 'bloomery';
import { keyed } from 'bloomery/keyed';
import { keyed as jsKeyed } from 'bloomery/keyed/js';
import { awkwardKeys } from '../../shared/awkward.ts';
import { randomFrom } from '../../shared/random.ts';
import { KEYED_SEED, SECRET } from '../../shared/secret.ts';
import { concat } from '../../shared/stream-tools.ts';
import { digestOf, errorOf, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared, only } from './check.ts';
import { type KindOnEngine, kinds, ofEachKind, ofKind, type PreparedClass } from './kinds.ts';

interface Input {
  readonly name: string;
  /** The keys in this form. A generator is made anew by each call. */
  many(): Keys;
  readonly singles: readonly Key[];
}

/** More than a chunk of keys, which is 4096. One input of each form has this number of keys. */
const COUNT = 4100;
/** The others have fewer, which run the same code. */
const FEW = 500;

const MIXED = 'keys of all types';

const encoder = new TextEncoder();
const random = randomFrom(2);

function words(characters: ArrayLike<string>, count: number): string[] {
  const pick = (): string => characters[random(characters.length)] ?? '';
  return Array.from({ length: count }, () => Array.from({ length: random(24) }, pick).join(''));
}

/** Strings up to a chunk of bytes, which is 96 KiB, and longer ones. */
const longStrings = ['a', 'é', '漢', '😀', '\ud800'].flatMap((each) => {
  const most = Math.floor(98_304 / encoder.encode(each).length);
  return [31, 32, 33, 48, 49, 160, 161, 1000, most, most + 1].map((length) => each.repeat(length));
});

const plain = 'the quick brown fox jumps over the lazy dog '.repeat(50);
const wide = plain.replaceAll('x', '漢');
/** Strings that engines keep as references to other strings: parts and concatenations. */
const derivedStrings = Array.from({ length: FEW }, (_, i) => {
  const [from, to] = [3 * i, 3 * i + 40];
  return i % 2 === 0 ? plain.slice(from, to) : wide.slice(from, to) + plain.slice(from, from + i);
});

const byteKeys = words(['a', 'é', '漢', '😀', '\0', '\n'], FEW).map((word) =>
  encoder.encode(word).subarray(word.length % 3),
);
const ends = [0];
for (const { length } of byteKeys) ends.push((ends.at(-1) ?? 0) + length);

// None is empty: a newline at the very end would end the text instead of adding a line.
const lineWords = words(['a', 'b', ' ', 'é', '漢', '😀', '\r'], COUNT).map((word, at) => `${word}${at}`);
const numbers = Array.from({ length: COUNT }, () => random(2 ** 32));
const signed64 = Array.from({ length: FEW }, () =>
  BigInt.asIntN(64, BigInt(random(2 ** 32)) * BigInt(random(2 ** 32))),
);
const mixed = awkwardKeys(COUNT, 4);
const fewMixed = mixed.slice(-FEW);

const list = (name: string, keys: readonly Key[]): Input => ({ name, many: () => keys, singles: keys });

const inputs: readonly Input[] = [
  list('ASCII strings', words('abcdefghijklmnopqrstuvwxyz0123456789-_./@ ', COUNT)),
  list('Latin-1 strings', words('aeéèüßñÿ\u0080\u007f', FEW)),
  list('astral strings', words(['😀', '👨‍👩‍👧', '𝒳', 'a', '漢'], FEW)),
  list('lone surrogates', words(['\ud800', '\udbff', '\udc00', '\udfff', 'a', 'é'], FEW)),
  list('long strings', longStrings),
  list('derived strings', derivedStrings),
  list('bytes', byteKeys),
  list('numbers', [...numbers.slice(0, FEW).flatMap((number) => [number, 2 ** 21 * (number | 0)]), -0]),
  list('bigints', [...signed64, -(2n ** 63n), 2n ** 64n - 1n]),
  list('many keys of all types', mixed),
  list(MIXED, fewMixed),
  { name: 'a Uint32Array', many: () => Uint32Array.from(numbers), singles: numbers },
  { name: 'a BigInt64Array', many: () => BigInt64Array.from(signed64), singles: signed64 },
  { name: 'a generator', many: () => fewMixed.values(), singles: fewMixed },
  // All end with \r\n but the last.
  { name: 'lines', many: () => lines(encoder.encode(lineWords.join('\r\n'))), singles: lineWords },
  { name: 'a column', many: () => column(concat(byteKeys), Int32Array.from(ends)), singles: byteKeys },
];

/** A string as its UTF-8, encoded by the runtime; any other key as it is. */
const encoded = (key: Key): Key => (typeof key === 'string' ? encoder.encode(key) : key);

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

// The kinds of filters for the test suites: what tools/entries.ts says of a kind, its classes, and a row of this file.

import fc from 'fast-check';
import { hashKeys } from '../../src/entries/hash.ts';
import { hashKeys as jsHashKeys } from '../../src/entries/js/hash.ts';
import * as jsApi from '../../src/entries/js/index.ts';
import { keyed as jsKeyed, keyedHashKeys as jsKeyedHashKeys } from '../../src/entries/js/keyed.ts';
import { keyed, keyedHashKeys } from '../../src/entries/keyed.ts';
import type { LoadableClass } from '../../src/entries/load.ts';
import type { GrowingFilter } from '../../src/filters/filter.ts';
import * as wasmApi from '../../src/index.ts';
import { js } from '../../src/kernel/engine-js.ts';
import { wasm } from '../../src/kernel/engine-wasm.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import type { HashedKeys } from '../../src/keys/hashes.ts';
import { kindModules } from './modules.ts';
import { blockedBytes, classicBytes, countingBytes, wideBytes } from './oracle.ts';
import { KEYED_SEED, SECRET } from './secret.ts';
import { around, type WrapperClass, withOneLabel, withOneValue } from './wrapped.ts';

/** The methods of all kinds. Those that only some kinds have are missing in others: see `Row`. */
export interface AnyFilter extends GrowingFilter {
  union(other: AnyFilter): AnyFilter;
  intersection(other: AnyFilter): AnyFilter;
  estimateUnion(other: AnyFilter): wasmApi.Estimate;
  estimateIntersection(other: AnyFilter): wasmApi.Estimate;
  merge(other: AnyFilter): this;
  clone(): AnyFilter;
  equals(other: AnyFilter): boolean;
  readonly [Symbol.toStringTag]: string;
}

/** A class of any kind. Static kinds cannot be made with `new`. */
export interface AnyClass {
  new (options: object): AnyFilter;
  readonly engine: Engine;
  readonly kind: string;
  from<K extends wasmApi.Keys>(keys: K, options?: object): AnyFilter;
  fromBytes(bytes: Uint8Array | ArrayBuffer): AnyFilter;
  fromChunks(chunks: Iterable<Uint8Array>): AnyFilter;
  fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<AnyFilter>;
}

/** A size and a seed. Cells are rounded up to whole blocks if the kind has blocks; a fixed number of hashes stays. */
export interface Shape {
  readonly cells: number;
  readonly hashes: number;
  readonly seed?: number;
}

/** What the suites need to know of a kind whose filters are made of any number of cells, and combined cell by cell. */
interface Size {
  /** The options for a number of cells and hashes. */
  sizeOf(cells: number, hashes: number): object;
  /** The number of cells per block; 1 without blocks. */
  readonly blockCells: number;
  /** The bytes of a filter of this kind, computed by the oracle. */
  bytesOf(keys: Iterable<wasmApi.Key>, shape: Shape): Uint8Array;
}

/** What the suites need to know of a kind, besides its row in tools/entries.ts. */
interface Row {
  /**
   * Makes the class with which the suites work of that of the package, where users must give more than keys and the
   * usual options. Default: the class of the package.
   */
  usual?(Filter: AnyClass): AnyClass;
  /** Whether a filter has all its keys from the start: it has no methods that add keys. */
  readonly isStatic?: boolean;
  /** Whether a filter never errs: there is no error rate to choose. */
  readonly isExact?: boolean;
  /** Options with which a filter finds its first `ROOM` keys. Default: a capacity, an error rate and a seed. */
  readonly options?: fc.Arbitrary<{ readonly seed: number }>;
  /** Options with which it may forget keys, or grow within a chunk of keys. Default: `options`. */
  readonly anyOptions?: fc.Arbitrary<{ readonly seed: number }>;
  /** The kind that filters of a wrapping kind are made around. */
  readonly base?: string;
  readonly size?: Size;
}

/** More keys than the suites give to a filter with the options of its row. */
const ROOM = 10_000;
const seed = fc.nat(2 ** 32 - 1);
/** Also the growth of scalable filters. */
const generations = fc.integer({ min: 2, max: 16 });
const fingerprintBits = fc.integer({ min: 1, max: 32 });
const errorRate = fc.constantFrom(0.3, 0.01, 0.001);

/** The row of a kind with split blocks: a key sets one bit in each 32-bit word of a block. */
function blocks(blockCells: number, bytesIn: typeof blockedBytes): Row {
  const bytesOf: Size['bytesOf'] = (keys, { cells, seed = 0 }) => bytesIn(keys, Math.ceil(cells / blockCells), seed);
  return { size: { sizeOf: (bits) => ({ bits }), blockCells, bytesOf } };
}

/** The row of a kind with cells without blocks, of which a key has several. */
function cells(cellName: 'bits' | 'counters', bytesIn: typeof classicBytes): Row {
  const bytesOf: Size['bytesOf'] = (keys, { cells, hashes, seed = 0 }) => bytesIn(keys, cells, hashes, seed);
  return { size: { sizeOf: (count, hashes) => ({ [cellName]: count, hashes }), blockCells: 1, bytesOf } };
}

/** A new kind is one more row. */
const rows: Readonly<Record<string, Row>> = {
  classic: cells('bits', classicBytes),
  blocked: blocks(256, blockedBytes),
  counting: cells('counters', countingBytes),
  scalable: {
    options: fc.record({
      capacity: fc.integer({ min: 1, max: 60 }),
      growth: generations,
      tightening: fc.constantFrom(0.5, 0.7, 0.95),
      errorRate,
      seed,
    }),
    anyOptions: fc.record({ capacity: fc.constantFrom(1, 20, 700, CHUNK_KEYS, 1e6), growth: generations, seed }),
  },
  rotating: {
    options: fc.record({ capacity: fc.constant(ROOM), generations, errorRate, seed }),
    anyOptions: fc.record({ capacity: fc.constantFrom(1, 60, 1000, ROOM), generations, errorRate, seed }),
  },
  stable: {
    // A key is lost when one of its cells has been decremented 255 times. After `ROOM` keys, the mean is about 70.
    options: fc.record({ capacity: fc.constant(3 * ROOM), cellBits: fc.constant(8), errorRate, seed }),
    anyOptions: fc.record({
      capacity: fc.constantFrom(1, 60, 1000, ROOM),
      cellBits: fc.constantFrom(1, 2, 4, 8),
      errorRate: fc.constantFrom(0.01, 0.001),
      seed,
    }),
  },
  cuckoo: {},
  dleft: {},
  spatial: { usual: withOneLabel },
  fuse: { isStatic: true, options: fc.record({ fingerprintBits, seed }) },
  'sharded-fuse': {
    isStatic: true,
    options: fc.record({ fingerprintBits, shards: fc.constantFrom(1, 2, 16, 256), seed }),
  },
  'fuse-map': {
    isStatic: true,
    usual: withOneValue,
    options: fc.record({ fingerprintBits: fc.integer({ min: 1, max: 31 }), shards: fc.constantFrom(1, 2, 16), seed }),
  },
  tombstone: { isStatic: true, base: 'fuse', options: fc.record({ fingerprintBits, seed }) },
  wide: blocks(512, wideBytes),
  'fingerprint-set': { isExact: true, options: fc.record({ capacity: fc.constantFrom(0, 60, ROOM), seed }) },
};

/** A kind on an engine. */
export interface KindOnEngine extends Required<Omit<Row, 'usual' | 'size' | 'base'>> {
  readonly name: string;
  readonly kind: string;
  /** The number of the kind in files. */
  readonly id: number;
  readonly className: string;
  readonly engine: Engine;
  /** The option of an error rate, if the kind has one. */
  at(errorRate: number): object;
  /** The class of the package, or a subclass with the methods that the suites use. */
  readonly Filter: AnyClass;
  /** The same on the other engine. */
  readonly Twin: AnyClass;
  /** What `loadAny` needs besides the class: that of the base, if the kind wraps one. */
  readonly bases: readonly AnyClass[];
  /** Whether all filters have a secret, and so one seed. */
  readonly isKeyed: boolean;
  /** The seed of a filter for which a suite would choose this one: itself, if the kind has no secret. */
  seedOf(seed: number): number;
  /** Hashes keys on both engines, for filters of this seed. */
  hashKeys(keys: readonly string[], seed: number): readonly [HashedKeys<ArrayBuffer>, HashedKeys<ArrayBuffer>];
}

/** A kind on an engine whose filters are made of any number of cells, and combined cell by cell. */
export interface SizedKind extends KindOnEngine, Size {
  /** The options that make a filter of this shape. */
  optionsOf(shape: Shape): object;
  /** Makes a filter from a size instead of a capacity and an error rate. */
  sized(shape: Shape): AnyFilter;
}

function rowOf(kind: string): Row {
  const row = rows[kind];
  if (row === undefined) throw new Error(`test/shared/kinds.ts has no row for the kind ${kind}`);
  return row;
}

function classOf(kind: string, engine: string): AnyClass {
  const found = kindModules.find((each) => each.name === kind && each.engine === engine);
  if (found === undefined) throw new Error(`there is no kind ${kind} on ${engine}`);
  return found.module[found.className] as AnyClass;
}

/** A class under the secret. */
export function underSecret(Class: AnyClass): AnyClass {
  const make = Class.engine.name === 'js' ? jsKeyed : keyed;
  return make(Class as object as LoadableClass, SECRET) as object as AnyClass;
}

const keyedHashes = { wasm: keyedHashKeys(SECRET), js: jsKeyedHashKeys(SECRET) };

/** What differs under the secret. */
const withoutSecret: Pick<KindOnEngine, 'isKeyed' | 'seedOf' | 'hashKeys'> = {
  isKeyed: false,
  seedOf: (given) => given,
  hashKeys: (keys, given) => [hashKeys(keys, { seed: given }), jsHashKeys(keys, { seed: given })],
};
const withSecret: typeof withoutSecret = {
  isKeyed: true,
  seedOf: () => KEYED_SEED,
  hashKeys: (keys) => [keyedHashes.wasm(keys), keyedHashes.js(keys)],
};

function onEngine(
  { name: kind, id, className, engine: name }: (typeof kindModules)[number],
  secrecy: typeof withoutSecret,
): KindOnEngine {
  const usualOptions = fc.record({ capacity: fc.constantFrom(ROOM, 3 * ROOM), errorRate, seed });
  const { usual = (Class) => Class, isStatic = false, isExact = false, base, ...row } = rowOf(kind);
  const { options = usualOptions } = row;
  const { anyOptions = options } = row;
  const lookUp = (each: string, engineName: string): AnyClass => {
    const Class = classOf(each, engineName);
    return secrecy.isKeyed ? underSecret(Class) : Class;
  };
  const withSeed = (each: fc.Arbitrary<{ readonly seed: number }>): fc.Arbitrary<{ readonly seed: number }> =>
    each.map((opts) => ({ ...opts, seed: secrecy.seedOf(opts.seed) }));
  const Base = base === undefined ? undefined : lookUp(base, name);
  const classFor = (each: string): AnyClass => {
    const Class = usual(lookUp(kind, each));
    return Base ? around(Class as object as WrapperClass, Base) : Class;
  };
  const Filter = classFor(name);
  const Twin = classFor(name === 'js' ? 'wasm' : 'js');
  const { engine } = Filter;
  return {
    name: `${name}, ${kind}${secrecy.isKeyed ? ', under a secret' : ''}`,
    kind,
    id,
    className,
    engine,
    Filter,
    Twin,
    bases: Base ? [Base] : [],
    isStatic,
    isExact,
    at: (errorRate) => (isExact ? {} : { errorRate }),
    options: withSeed(options),
    anyOptions: withSeed(anyOptions),
    ...secrecy,
  };
}

function withSize(row: KindOnEngine, size: Size): SizedKind {
  const { seedOf } = row;
  const optionsOf = ({ cells, hashes, seed = 0 }: Shape) => ({ ...size.sizeOf(cells, hashes), seed: seedOf(seed) });
  return {
    ...row,
    ...size,
    bytesOf: (keys, { seed = 0, ...shape }) => size.bytesOf(keys, { ...shape, seed: seedOf(seed) }),
    optionsOf,
    sized: (shape) => new row.Filter(optionsOf(shape)),
  };
}

const unkeyedKinds = kindModules.map((each) => onEngine(each, withoutSecret));

/**
 * The kinds on WebAssembly, without a secret. What a kind does is tested on these: `test/kernel/parity.test.ts` proves
 * that each function of the engines gives the same.
 */
export const kinds: readonly KindOnEngine[] = unkeyedKinds.filter(({ engine }) => engine.name === 'wasm');

/** Every kind on every engine, under the secret. */
export const keyedKinds: readonly KindOnEngine[] = kindModules.map((each) => onEngine(each, withSecret));
/** Every kind on every engine, without a secret and under it. */
export const everyKind: readonly KindOnEngine[] = [...unkeyedKinds, ...keyedKinds];

const everySize: readonly SizedKind[] = everyKind.flatMap((kind) => {
  const { size } = rowOf(kind.kind);
  return size === undefined ? [] : [withSize(kind, size)];
});

/** Those of `kinds` whose filters can be combined cell by cell. */
export const combinableKinds: readonly SizedKind[] = everySize.filter(
  ({ engine, isKeyed }) => engine.name === 'wasm' && !isKeyed,
);

/** A kind on the engine of this name, without a secret unless it is asked for. */
export function kindOn(kind: string, engine: string, isKeyed = false): SizedKind {
  const found = everySize.find((each) => each.kind === kind && each.engine.name === engine && each.isKeyed === isKeyed);
  if (found === undefined) throw new Error(`there is no kind ${kind} on ${engine}`);
  return found;
}

/** Both main entries of the package. The same tests run on each. */
export const entries = [
  { name: 'wasm', api: wasmApi, engine: wasm },
  { name: 'js', api: jsApi, engine: js },
] as const;

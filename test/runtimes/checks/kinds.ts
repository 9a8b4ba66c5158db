import type { Key, Keys } from 'bloomery';
import type { SpatialBloomFilter } from 'bloomery/spatial';
import classes from 'filter-classes';
import type { AnyClass, AnyFilter } from '../../shared/kinds.ts';
import { around, type WrapperClass } from '../../shared/wrapped.ts';
import type { Check } from './check.ts';
import type { GoldenFile } from './golden.ts';

export type PreparedClass = AnyClass & { prepare(): Promise<void> };

/** What the checks need to know of a kind. */
interface Row {
  /** Options for a filter that gets `count` keys. */
  optionsFor(count: number): object;
  /** Makes a filter that holds these keys, each of them once. */
  of(Filter: AnyClass, keys: Keys, options: object): AnyFilter;
  /** Whether `add` and `addMany` do the same as `of`. */
  readonly grows: boolean;
  /** How many of the last keys it finds in any case. */
  readonly remembers: number;
  /** The kind that its filters are made around. */
  readonly base?: string;
  /** The options that give a filter of a file's parameters; undefined if those of this version differ. */
  sizeOf?(file: GoldenFile): object | undefined;
}

const added: Row['of'] = (Filter, keys, options) => new Filter(options).addMany(keys);
/** More keys than any input has. */
const ROOM = 10_000;
/** So few that a filter grows, or forgets. */
const FEW = 100;

const sized = (sizeOf: (cells: number, hashes: number) => object): Row => ({
  optionsFor: (count) => ({ capacity: 2 * count }),
  of: added,
  grows: true,
  remembers: Infinity,
  sizeOf: ({ promise, cells, hashes }) => promise ?? sizeOf(cells, hashes),
});
/** They can be full, and store each copy of a key. */
const bounded: Row = {
  optionsFor: () => ({ capacity: ROOM, errorRate: 1e-6 }),
  of(Filter, keys, options) {
    const filter = new Filter(options);
    filter.dedupe(keys);
    return filter;
  },
  grows: false,
  remembers: Infinity,
};
/** Nothing is added to them, or not as to others. */
const complete = { grows: false, remembers: Infinity };
const endless = { optionsFor: () => ({ capacity: FEW }), of: added, grows: true };

const rows: Readonly<Record<string, Row>> = {
  classic: sized((bits, hashes) => ({ bits, hashes })),
  blocked: sized((bits) => ({ bits })),
  counting: sized((counters, hashes) => ({ counters, hashes })),
  wide: sized((bits) => ({ bits })),
  scalable: { ...endless, remembers: Infinity },
  rotating: { ...endless, remembers: FEW },
  stable: {
    ...endless,
    // In cells of 2 bits.
    remembers: 3,
    sizeOf: ({ promise, cells, bits: cellBits, hashes, decrements }) =>
      promise ? { ...promise, cellBits } : { cells, cellBits, hashes, decrements },
  },
  cuckoo: {
    ...bounded,
    sizeOf: ({ promise, cells, bits = 0 }) => promise ?? { buckets: cells / 4, fingerprintBits: bits },
  },
  dleft: {
    ...bounded,
    // In those made from a size, keys look like others, which `of` would not add.
    sizeOf: ({ promise }) => promise ?? undefined,
  },
  // Its keys have labels: here, all have the same one.
  spatial: {
    ...complete,
    optionsFor: (count) => ({ capacity: 2 * count, labels: 3 }),
    of(Filter, keys, options) {
      const Labeled = Filter as object as typeof SpatialBloomFilter;
      return Labeled.from([[2, keys as string[]]], options) as object as AnyFilter;
    },
  },
  // It is made of all its keys at once.
  fuse: {
    ...complete,
    optionsFor: () => ({ errorRate: 1e-6 }),
    of: (Filter, keys, options) => Filter.from(keys, options),
    sizeOf: ({ bits = 0 }) => ({ fingerprintBits: bits }),
  },
  'sharded-fuse': {
    ...complete,
    optionsFor: () => ({ errorRate: 1e-6, shards: 4 }),
    of: (Filter, keys, options) => Filter.from(keys, options),
    sizeOf: ({ bits = 0, shards }) => ({ fingerprintBits: bits, shards }),
  },
  // It is made around a filter of another kind.
  tombstone: {
    ...complete,
    base: 'fuse',
    optionsFor: () => ({ errorRate: 0.01 }),
    of: (Filter, keys, options) => Filter.from(keys, options),
  },
};

/** A kind of filter on one of the engines. */
export interface KindOnEngine extends Omit<Row, 'of'> {
  /** `wasm, classic`: checks of an engine begin with its name, by which the results are summed up. */
  readonly name: string;
  readonly kind: string;
  readonly className: string;
  readonly engine: 'wasm' | 'js';
  readonly Filter: PreparedClass;
  /** The class of the other engine. */
  readonly Twin: PreparedClass;
  of(keys: Keys | readonly Key[], options: object): AnyFilter;
}

/** A class of the package; for a kind whose filters are made around others, a subclass with `from`. */
function classOf(kind: string, engine: 'wasm' | 'js'): PreparedClass {
  const all = classes.map((each) => each[engine] as PreparedClass);
  const find = (name: string): PreparedClass => all[classes.findIndex((each) => each.kind === name)] as PreparedClass;
  const base = rows[kind]?.base;
  const found = find(kind);
  return base === undefined ? found : (around(found as object as WrapperClass, find(base), all) as PreparedClass);
}

/** Every kind on every engine. */
export const kinds: readonly KindOnEngine[] = (['wasm', 'js'] as const).flatMap((engine) =>
  classes.map(({ kind, className }): KindOnEngine => {
    const row = rows[kind];
    if (row === undefined) throw new Error(`test/runtimes/checks/kinds.ts has no row for ${kind}`);
    const Filter = classOf(kind, engine);
    const Twin = classOf(kind, engine === 'wasm' ? 'js' : 'wasm');
    const of = (keys: Keys, options: object): AnyFilter => row.of(Filter, keys, options);
    return { ...row, name: `${engine}, ${kind}`, kind, className, engine, Filter, Twin, of };
  }),
);

/** One check for each kind on each engine. */
export function ofEachKind(name: string, run: (kind: KindOnEngine) => unknown, some = kinds): Check[] {
  return some.map((kind) => [`${kind.name}: ${name}`, () => run(kind)]);
}

/** One check for a kind on each engine. */
export function ofKind(kind: string, name: string, run: (kind: KindOnEngine) => unknown): Check[] {
  return ofEachKind(
    name,
    run,
    kinds.filter((each) => each.kind === kind),
  );
}

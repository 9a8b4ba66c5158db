import type { Key, Keys } from 'bloomery';
import type { SpatialBloomFilter } from 'bloomery/spatial';
import classes from 'filter-classes';
import type { AnyClass, AnyFilter } from '../../shared/kinds.ts';
import { around, type WrapperClass, withOneValue } from '../../shared/wrapped.ts';
import type { Check } from './check.ts';

export type PreparedClass = AnyClass & { prepare(): Promise<void> };

interface Row {
  /** Options for a filter that gets `count` keys. */
  optionsFor(count: number): object;
  /** Makes a filter that holds these keys, each of them once. */
  of(Filter: AnyClass, keys: Keys, options: object): AnyFilter;
  /** Whether `add` and `addMany` do the same as `of`. */
  readonly grows: boolean;
  /** How many of the last keys it finds in any case. */
  readonly remembers: number;
  readonly base?: string;
}

const added: Row['of'] = (Filter, keys, options) => new Filter(options).addMany(keys);
const made: Row['of'] = (Filter, keys, options) => Filter.from(keys, options);
/** So few that a filter grows, or forgets. */
const FEW = 100;

const sized: Row = { optionsFor: (count) => ({ capacity: 2 * count }), of: added, grows: true, remembers: Infinity };
/** They can be full, and store each copy of a key. */
const bounded: Row = {
  // More keys than any input has.
  optionsFor: () => ({ capacity: 10_000, errorRate: 1e-6 }),
  of(Filter, keys, options) {
    const filter = new Filter(options);
    filter.dedupe(keys);
    return filter;
  },
  grows: false,
  remembers: Infinity,
};
/** Nothing is added to them, or not as to others. */
const complete = { of: made, grows: false, remembers: Infinity };
const endless = { optionsFor: () => ({ capacity: FEW }), of: added, grows: true };

const rows: Readonly<Record<string, Row>> = {
  classic: sized,
  blocked: sized,
  counting: sized,
  wide: sized,
  scalable: { ...endless, remembers: Infinity },
  'fingerprint-set': { ...endless, remembers: Infinity },
  rotating: { ...endless, remembers: FEW },
  // In cells of 2 bits.
  stable: { ...endless, remembers: 3 },
  cuckoo: bounded,
  dleft: bounded,
  // Its keys have labels: here, all have the same one.
  spatial: {
    ...complete,
    optionsFor: (count) => ({ capacity: 2 * count, labels: 3 }),
    of(Filter, keys, options) {
      const Labeled = Filter as object as typeof SpatialBloomFilter;
      return Labeled.from([[2, keys as string[]]], options) as object as AnyFilter;
    },
  },
  fuse: { ...complete, optionsFor: () => ({ errorRate: 1e-6 }) },
  'sharded-fuse': { ...complete, optionsFor: () => ({ errorRate: 1e-6, shards: 4 }) },
  'fuse-map': { ...complete, optionsFor: () => ({ errorRate: 1e-6, shards: 4 }) },
  tombstone: { ...complete, optionsFor: () => ({ errorRate: 0.01 }), base: 'fuse' },
};

export interface KindOnEngine extends Omit<Row, 'of'> {
  /** `wasm, classic`: checks of an engine begin with its name, by which the results are summed up. */
  readonly name: string;
  readonly kind: string;
  readonly engine: 'wasm' | 'js';
  readonly Filter: PreparedClass;
  readonly Twin: PreparedClass;
  of(keys: Keys | readonly Key[], options: object): AnyFilter;
}

/** A class of the package; where its `from` needs more than keys and options, or is missing, a subclass with one. */
function classOf(kind: string, engine: 'wasm' | 'js'): PreparedClass {
  const all = classes.map((each) => each[engine] as PreparedClass);
  const find = (name: string): PreparedClass => all[classes.findIndex((each) => each.kind === name)] as PreparedClass;
  const base = rows[kind]?.base;
  const found = find(kind);
  if (kind === 'fuse-map') return withOneValue(found) as PreparedClass;
  return base === undefined ? found : (around(found as object as WrapperClass, find(base), all) as PreparedClass);
}

export const kinds: readonly KindOnEngine[] = (['wasm', 'js'] as const).flatMap((engine) =>
  classes.map(({ kind }): KindOnEngine => {
    const row = rows[kind];
    if (row === undefined) throw new Error(`test/runtimes/checks/kinds.ts has no row for ${kind}`);
    const Filter = classOf(kind, engine);
    const Twin = classOf(kind, engine === 'wasm' ? 'js' : 'wasm');
    return { ...row, name: `${engine}, ${kind}`, kind, engine, Filter, Twin, of: row.of.bind(undefined, Filter) };
  }),
);

export function ofEachKind(name: string, run: (kind: KindOnEngine) => unknown, some = kinds): Check[] {
  return some.map((kind) => [`${kind.name}: ${name}`, () => run(kind)]);
}

export function ofKind(kind: string, name: string, run: (kind: KindOnEngine) => unknown): Check[] {
  const some = kinds.filter((each) => each.kind === kind);
  return ofEachKind(name, run, some);
}

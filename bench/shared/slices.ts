// Times filters in turns of a few hundred microseconds, so that other work on the machine slows down all filters alike.
// Uses nothing of Node, so it also runs in browsers.

import { BloomFilter as Peer } from 'bloomfilter';
import { extentOf, median, nanoseconds, quantile, sumOf, tableOf, times } from './figures.ts';
import { PlainBloomFilter, type PlainKey } from './plain.ts';
import type { KeyLists } from './random.ts';

/** An empty filter that takes keys slice by slice. */
interface Opened {
  add(keys: readonly PlainKey[]): void;
  /** How many of the keys it reports as present. */
  find(keys: readonly PlainKey[]): number;
}

/**
 * Makes empty filters. Each contender has its own loops, because engines would not inline calls in shared ones. They
 * are written out, unlike those of own-loops.ts, because the policy of the site's pages forbids compiling text.
 */
export interface Contender {
  readonly name: string;
  open(capacity: number, errorRate: number): Opened;
}

/** `BloomFilter` on one of the engines. */
type FilterClass = new (options: {
  capacity: number;
  errorRate: number;
}) => {
  add(key: PlainKey): unknown;
  has(key: PlainKey): boolean;
  addMany(keys: readonly PlainKey[]): unknown;
  hasMany(keys: readonly PlainKey[]): Uint8Array;
};

/** A program must use the class of one engine only, or calls would not be inlined. */
export function batchOf(name: string, BloomFilter: FilterClass): Contender {
  return {
    name: `${name}, batch`,
    open(capacity, errorRate) {
      const filter = new BloomFilter({ capacity, errorRate });
      return {
        add: (keys) => void filter.addMany(keys),
        find: (keys) => sumOf(filter.hasMany(keys)),
      };
    },
  };
}

/** A program must use the class of one engine only, or calls would not be inlined. */
export function singleOf(name: string, BloomFilter: FilterClass): Contender {
  return {
    name: `${name}, single`,
    open(capacity, errorRate) {
      const filter = new BloomFilter({ capacity, errorRate });
      return {
        add(keys) {
          for (let i = 0; i < keys.length; i++) filter.add(keys[i] as PlainKey);
        },
        find(keys) {
          let found = 0;
          for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as PlainKey)) found++;
          return found;
        },
      };
    },
  };
}

export const plain: Contender = {
  name: 'plain JS',
  open(capacity, errorRate) {
    const bits = Math.ceil((-capacity * Math.log(errorRate)) / Math.LN2 ** 2);
    const filter = new PlainBloomFilter(bits, Math.round((bits / capacity) * Math.LN2));
    return {
      add(keys) {
        for (let i = 0; i < keys.length; i++) filter.add(keys[i] as PlainKey);
      },
      find(keys) {
        let found = 0;
        for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as PlainKey)) found++;
        return found;
      },
    };
  },
};

/** Takes strings only. */
export const peer: Contender = {
  name: 'bloomfilter',
  open(capacity, errorRate) {
    const filter = Peer.withTargetError(capacity, errorRate);
    return {
      add(keys) {
        for (let i = 0; i < keys.length; i++) filter.add(keys[i] as string);
      },
      find(keys) {
        let found = 0;
        for (let i = 0; i < keys.length; i++) if (filter.test(keys[i] as string)) found++;
        return found;
      },
    };
  },
};

const operations = ['build', 'hit', 'miss'] as const;

/** The nanoseconds per key of each slice, by operation and contender. */
export type Times = Readonly<Record<(typeof operations)[number], readonly number[][]>>;

export function newTimes(contenders: readonly Contender[]): Times {
  return { build: contenders.map(() => []), hit: contenders.map(() => []), miss: contenders.map(() => []) };
}

/**
 * Builds a filter per contender, and looks up all keys, in slices of `size` keys. Adds to `measured`.
 *
 * @throws Error if a present key is not found, or far more absent keys than the error rate allows
 */
export function runRound(
  contenders: readonly Contender[],
  { present, again, absent }: KeyLists<readonly PlainKey[]>,
  errorRate: number,
  size: number,
  measured: Times,
): void {
  const filters = contenders.map((contender) => contender.open(present.length, errorRate));
  const found = contenders.map(() => ({ hit: 0, miss: 0 }));
  const turns = (
    keys: readonly PlainKey[],
    into: readonly number[][],
    run: (index: number, slice: PlainKey[]) => void,
  ) => {
    for (let at = 0, turn = 0; at < keys.length; at += size, turn++) {
      const slice = keys.slice(at, at + size);
      for (let i = 0; i < contenders.length; i++) {
        const index = (i + turn) % contenders.length;
        const start = performance.now();
        run(index, slice);
        into[index]?.push((1e6 * (performance.now() - start)) / slice.length);
      }
    }
  };
  const count = (operation: 'hit' | 'miss') => (index: number, slice: PlainKey[]) => {
    (found[index] as { hit: number; miss: number })[operation] += (filters[index] as Opened).find(slice);
  };
  turns(present, measured.build, (index, slice) => filters[index]?.add(slice));
  turns(again, measured.hit, count('hit'));
  turns(absent, measured.miss, count('miss'));
  for (const [index, { hit, miss }] of found.entries()) {
    if (hit === again.length && miss < 3 * errorRate * absent.length) continue;
    throw new Error(`${contenders[index]?.name} found ${hit} of ${again.length} present keys, and ${miss} absent ones`);
  }
}

/** Explains the columns of the table. */
export const legend: string =
  'Median, and from the first to the third quartile of all turns. × bloomfilter, × plain JS: the time as a multiple of ' +
  'that of the package or of plain JavaScript, within a turn; below 1 is faster. 5 %: the time that a twentieth of the ' +
  'turns stay below.';

/** The median of the turns, and the quartiles. */
function cells(turns: readonly number[], show: (value: number) => string): [median: string, quartiles: string] {
  const quartiles = { lowest: quantile(turns, 0.25), highest: quantile(turns, 0.75) };
  return [show(median(turns)), extentOf(quartiles, show)];
}

/** A table with a row for each operation and contender, compared with the contender of the name `baseline`. */
export function slicesTable(contenders: readonly string[], baseline: string, measured: Times): string {
  const rows = operations.flatMap((operation) =>
    contenders.map((name, index) => {
      const own = measured[operation][index] ?? [];
      const other = measured[operation][contenders.indexOf(baseline)] ?? [];
      const ratios = own.map((time, turn) => time / (other[turn] ?? Number.NaN));
      const [fast, fastOther] = [quantile(own, 0.05), quantile(other, 0.05)];
      const least = [nanoseconds(fast), times(fast / fastOther)];
      return [operation, name, ...cells(own, nanoseconds), ...cells(ratios, times), ...least];
    }),
  );
  const columns = ['ns per key', 'spread', `× ${baseline}`, 'spread', '5 %', `× ${baseline}, 5 %`];
  return tableOf(['operation', 'filter', ...columns], rows, ['operation', 'filter']);
}

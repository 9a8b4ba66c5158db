// Times filters in turns of a few hundred microseconds, so that other work on the machine slows down all alike. Uses
// nothing of Node, so it also runs in browsers.

import { BloomFilter as Peer } from 'bloomfilter';
import { sumOf } from './flags.ts';
import { PlainBloomFilter } from './plain.ts';

/** An empty filter that takes keys slice by slice. */
export interface Opened {
  add(keys: readonly string[]): void;
  /** How many of the keys it reports as present. */
  find(keys: readonly string[]): number;
}

/** Makes empty filters. Each contender has its own loops: engines would not inline calls in shared ones. */
export interface Contender {
  readonly name: string;
  open(capacity: number, errorRate: number): Opened;
}

/** `BloomFilter` on one of the engines. */
export type FilterClass = new (options: {
  capacity: number;
  errorRate: number;
}) => {
  add(key: string): unknown;
  has(key: string): boolean;
  addMany(keys: readonly string[]): unknown;
  hasMany(keys: readonly string[]): Uint8Array;
};

/** Use the class of one engine only in a program, or calls would not be inlined. */
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

/** Use the class of one engine only in a program, or calls would not be inlined. */
export function singleOf(name: string, BloomFilter: FilterClass): Contender {
  return {
    name: `${name}, single`,
    open(capacity, errorRate) {
      const filter = new BloomFilter({ capacity, errorRate });
      return {
        add(keys) {
          for (let i = 0; i < keys.length; i++) filter.add(keys[i] as string);
        },
        find(keys) {
          let found = 0;
          for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as string)) found++;
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
        for (let i = 0; i < keys.length; i++) filter.add(keys[i] as string);
      },
      find(keys) {
        let found = 0;
        for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as string)) found++;
        return found;
      },
    };
  },
};

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

export const operations = ['build', 'hit', 'miss'] as const;

/** The nanoseconds per key of each slice, by operation and contender. */
export type Times = Readonly<Record<(typeof operations)[number], readonly number[][]>>;

export interface Lists {
  readonly present: readonly string[];
  /** The same keys in another order, as other objects. */
  readonly again: readonly string[];
  readonly absent: readonly string[];
}

export function newTimes(contenders: readonly Contender[]): Times {
  return { build: contenders.map(() => []), hit: contenders.map(() => []), miss: contenders.map(() => []) };
}

/**
 * Builds a filter per contender, and looks up all keys, in slices of `size` keys. Adds to `times`.
 *
 * @throws Error if a present key is not found, or far more absent keys than the error rate allows
 */
export function runRound(
  contenders: readonly Contender[],
  lists: Lists,
  errorRate: number,
  size: number,
  times: Times,
): void {
  const { present, again, absent } = lists;
  const filters = contenders.map((contender) => contender.open(present.length, errorRate));
  const found = contenders.map(() => ({ hit: 0, miss: 0 }));
  const turns = (keys: readonly string[], into: readonly number[][], run: (index: number, slice: string[]) => void) => {
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
  const count = (operation: 'hit' | 'miss') => (index: number, slice: string[]) => {
    (found[index] as { hit: number; miss: number })[operation] += (filters[index] as Opened).find(slice);
  };
  turns(present, times.build, (index, slice) => filters[index]?.add(slice));
  turns(again, times.hit, count('hit'));
  turns(absent, times.miss, count('miss'));
  for (const [index, { hit, miss }] of found.entries()) {
    if (hit === again.length && miss < 3 * errorRate * absent.length) continue;
    throw new Error(`${contenders[index]?.name} found ${hit} of ${again.length} present keys, and ${miss} absent ones`);
  }
}

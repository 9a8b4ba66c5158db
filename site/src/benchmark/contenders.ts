// The contenders: those of `npm run bench -- browsers`, lines of text, and Set.

import { sumOf } from '../../../bench/shared/figures.ts';
import { batchOf, type Contender as OfStrings, peer, plain, singleOf } from '../../../bench/shared/slices.ts';
import type { Engine } from '../engine.ts';
import { type ContenderName, ERROR_RATE } from './run.ts';
import type { Keys } from './strings.ts';

/** A new filter, or a Set. */
export interface Opened {
  add(keys: Keys): void;
  /** How many of the keys it reports as present. */
  find(keys: Keys): number;
}

/** Makes a new filter. Each contender has its own loops, because engines would not inline calls in shared ones. */
type Open = (capacity: number) => Opened;

function ofStrings(contender: OfStrings): Open {
  return (capacity) => {
    const filter = contender.open(capacity, ERROR_RATE);
    return { add: ({ strings }) => filter.add(strings), find: ({ strings }) => filter.find(strings) };
  };
}

function ofLines({ BloomFilter, lines }: Engine): Open {
  return (capacity) => {
    const filter = new BloomFilter({ capacity, errorRate: ERROR_RATE });
    return {
      add: ({ text }) => void filter.addMany(lines(text)),
      find: ({ text }) => sumOf(filter.hasMany(lines(text))),
    };
  };
}

function openSet(): Opened {
  const set = new Set<string>();
  return {
    add({ strings }) {
      for (let i = 0; i < strings.length; i++) set.add(strings[i] as string);
    },
    find({ strings }) {
      let found = 0;
      for (let i = 0; i < strings.length; i++) if (set.has(strings[i] as string)) found++;
      return found;
    },
  };
}

export function contendersOn(engine: Engine): Readonly<Record<ContenderName, Open>> {
  const { BloomFilter } = engine;
  return {
    'bloomery, batch': ofStrings(batchOf('bloomery', BloomFilter)),
    'bloomery, single': ofStrings(singleOf('bloomery', BloomFilter)),
    'bloomery, lines': ofLines(engine),
    bloomfilter: ofStrings(peer),
    'plain JS': ofStrings(plain),
    Set: openSet,
  };
}

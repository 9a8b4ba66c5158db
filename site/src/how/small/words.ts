// The words for kinds that work alike.

import { plural } from '../../format.ts';
import type { Place, Words } from './kind.ts';
import { changedCells, movesOf } from './moves.ts';

const all = new Intl.ListFormat('en', { type: 'conjunction' });
const any = new Intl.ListFormat('en', { type: 'disjunction' });

export function listed(words: readonly string[]): string {
  return all.format(words);
}

/** `bits 3, 17 and 66`, `counter 5` */
function named(cells: readonly number[], name: string): string {
  return `${name}${cells.length === 1 ? '' : 's'} ${listed(cells.map(String))}`;
}

/** `counters 3 and 5 are 0`, `bit 7 is not set` */
function zerosAre(state: readonly [one: string, more: string], name: string): Words['whyAbsent'] {
  return ({ cells }, values) => {
    const zeros = cells.filter((cell) => values[cell] === 0);
    return `${named(zeros, name)} ${state[zeros.length === 1 ? 0 : 1]}`;
  };
}

export const bitWords: Words = {
  itsName: 'its bits',
  used: 'set',
  its: ({ cells }) => cells.join(', '),
  added({ cells, before }) {
    const fresh = cells.filter((cell) => before[cell] === 0);
    if (fresh.length === 0) return 'all its bits were set already, so nothing has changed.';
    const old = cells.length - fresh.length;
    const already = old === 0 ? '' : ` ${old === 1 ? '1 was' : `${old} were`} set already.`;
    return `set ${named(fresh, 'bit')}.${already}`;
  },
  whyAbsent: zerosAre(['is not set', 'are not set'], 'bit'),
  whyPresent: () => 'all its bits are set',
};

export const counterWords: Words = {
  itsName: 'its counters',
  used: 'above 0',
  whyLost: 'what was removed took its counts',
  its: ({ cells }) => cells.join(', '),
  added: ({ cells }) => `counted up ${named(cells, 'counter')}.`,
  removed: ({ cells }) => `counted down ${named(cells, 'counter')}.`,
  whyAbsent: zerosAre(['is 0', 'are 0'], 'counter'),
  whyPresent: () => 'none of its counters is 0',
};

/** Two hexadecimal digits. */
export function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function bucketsOf(cells: readonly number[], bucketCells: number): string[] {
  return [...new Set(cells.map((cell) => String(Math.floor(cell / bucketCells))))];
}

/** `bucket 3`, `buckets 3 and 8` */
function inBuckets(cells: readonly number[], bucketCells: number): string {
  const buckets = bucketsOf(cells, bucketCells);
  return `bucket${buckets.length === 1 ? '' : 's'} ${listed(buckets)}`;
}

/** @param bucketCells the number of slots in a bucket */
export function fingerprintWords(bucketCells: number): Words {
  const bucketWith = ({ cells, entry }: Place, values: readonly number[]): string =>
    inBuckets(
      cells.filter((cell) => values[cell] === entry),
      bucketCells,
    );
  return {
    itsName: 'its fingerprint',
    used: 'in use',
    whyLost: 'what was removed took its fingerprint',
    its: ({ cells, entry }) => `${hex(entry)}, in bucket ${any.format(bucketsOf(cells, bucketCells))}`,
    added(change) {
      const moves = movesOf(change);
      const end = moves[0]?.to ?? change.cells[0] ?? 0;
      const place = `its fingerprint ${hex(change.entry)} is in bucket ${Math.floor(end / bucketCells)} now.`;
      if (moves.length < 2) return place;
      const others = moves.slice(1).map(({ value, from, to }) => {
        const [left, entered] = [from, to].map((cell) => Math.floor((cell ?? 0) / bucketCells));
        return `${hex(value)} from bucket ${left} to ${entered}`;
      });
      return `${place} To make room, ${plural(others.length, 'fingerprint')} moved: ${listed(others)}.`;
    },
    removed: (change) => `emptied a slot of ${inBuckets(changedCells(change), bucketCells)}.`,
    whyAbsent: ({ cells, entry }) =>
      `neither bucket ${bucketsOf(cells, bucketCells).join(' nor ')} has its fingerprint ${hex(entry)}`,
    whyPresent: (place, values) => `its fingerprint ${hex(place.entry)} is in ${bucketWith(place, values)}`,
  };
}

// The words for kinds that work alike.

import { plural } from '../../format.ts';
import type { Words } from './kind.ts';
import { changedCells, movesOf } from './moves.ts';

const all = new Intl.ListFormat('en', { type: 'conjunction' });
const any = new Intl.ListFormat('en', { type: 'disjunction' });

export function listed(words: readonly string[]): string {
  return all.format(words);
}

/** `bits 3, 17 and 66`, `counter 5` */
function named(numbers: readonly number[], name: string): string {
  return `${name}${numbers.length === 1 ? '' : 's'} ${listed(numbers.map(String))}`;
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

/** @param bucketCells the number of slots in a bucket */
export function fingerprintWords(bucketCells: number): Words {
  const bucketOf = (cell: number): number => Math.floor(cell / bucketCells);
  const bucketsOf = (cells: readonly number[]): number[] => [...new Set(cells.map(bucketOf))];
  return {
    itsName: 'its fingerprint',
    used: 'in use',
    whyLost: 'what was removed took its fingerprint',
    its: ({ cells, entry }) => `${hex(entry)}, in bucket ${any.format(bucketsOf(cells).map(String))}`,
    added(change) {
      const [own, ...moves] = movesOf(change);
      const end = own?.to ?? change.cells[0] ?? 0;
      const place = `its fingerprint ${hex(change.entry)} is in bucket ${bucketOf(end)} now.`;
      if (moves.length === 0) return place;
      const others = moves.map(
        ({ value, from = 0, to }) => `${hex(value)} from bucket ${bucketOf(from)} to ${bucketOf(to)}`,
      );
      return `${place} To make room, ${plural(others.length, 'fingerprint')} moved: ${listed(others)}.`;
    },
    removed: (change) => `emptied a slot of ${named(bucketsOf(changedCells(change)), 'bucket')}.`,
    whyAbsent: ({ cells, entry }) =>
      `neither bucket ${bucketsOf(cells).join(' nor ')} has its fingerprint ${hex(entry)}`,
    whyPresent({ cells, entry }, values) {
      const own = cells.filter((cell) => values[cell] === entry);
      return `its fingerprint ${hex(entry)} is in ${named(bucketsOf(own), 'bucket')}`;
    },
  };
}

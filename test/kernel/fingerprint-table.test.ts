// Fingerprints whose places in a page are the same: which these are follows from a secret, so here it is known.

import { expect, it } from 'vitest';
import type { FingerprintSetExports } from '../../src/kernel/generated/fingerprint-set/exports.ts';
import { BASE, release } from './builds.ts';

const TABLE = BASE + 64;
const FINGERPRINTS = TABLE + 65_536;
const FLAGS = FINGERPRINTS + 12_288;
const NUMBERS = FLAGS + 1024;
const MOST = 300;

/** Makes a table of pages of 64 cells. Searches begin in the first 56, and a page is divided when it has 48. */
function open(pages = 30, width = 12) {
  const { kernel, memory } = release.open(4);
  const set = kernel as object as FingerprintSetExports;
  const { buffer } = memory;
  new Uint32Array(buffer, TABLE, 10).set([0, 0, pages, 64 * width, 56, 48, 0, 0, 2176, 2400]);
  // The factors of the secret are 1: then u is the high half of h1, and w the low half. After them, the bytes of a cell.
  new Uint32Array(buffer, TABLE + 40, 15).set([...Array.from({ length: 14 }, (_, i) => (i + 1) % 2), width]);
  set.fingerprints_empty(TABLE);
  const words = new Uint32Array(buffer, FINGERPRINTS, 3 * MOST);
  const flags = new Uint8Array(buffer, FLAGS, MOST);
  return {
    /** Passes fingerprints, each of its w and u, to a function, and returns the flags. */
    call(verb: 'add' | 'has' | 'remove', cells: readonly (readonly [w: number, u: number])[]): Uint8Array {
      flags.fill(7);
      words.set(cells.flatMap(([w, u]) => [w, u, 0]));
      set[`fingerprints_${verb}`](TABLE, FINGERPRINTS, 12, cells.length, FLAGS);
      return flags.slice(0, cells.length);
    },
    /** Numbers hashes, each of its w and u. Returns the numbers of those before the first without memory. */
    number(cells: readonly (readonly [w: number, u: number])[]): number[] {
      new Uint32Array(buffer, FINGERPRINTS, 4 * cells.length).set(cells.flatMap(([w, u]) => [w, u, 0, 77]));
      const count = set.fingerprints_number(TABLE, FINGERPRINTS, cells.length, NUMBERS);
      return [...new Uint32Array(buffer, NUMBERS, count)];
    },
  };
}

/** Cells, ten at each of thirty places. */
const crowds = Array.from(
  { length: MOST },
  (_, i) => [(i % 30) * 2 ** 27, Math.imul(i + 1, 0x9e3779b9) >>> 0] as const,
);
/** More cells than a page takes, at places of their own. */
const spread = Array.from({ length: 60 }, (_, i) => [i * 2 ** 26, i] as const);

const ones = (count: number): Uint8Array => new Uint8Array(count).fill(1);

it('fingerprints with one place are told apart, in a page and when it is divided', () => {
  const table = open();
  expect(table.call('add', crowds)).toEqual(ones(MOST));
  expect(table.call('has', crowds)).toEqual(ones(MOST));
  expect(table.call('remove', crowds.slice(0, 100))).toEqual(ones(100));
  expect(table.call('has', crowds)).toEqual(ones(MOST).fill(0, 0, 100));
});

it('a removal at the end of a page takes nothing of the next page', () => {
  const table = open();
  // The 49th divides the first page: those of a large u go to the next one, where the first cell is then in use.
  const divided = Array.from({ length: 50 }, (_, i) => [i * 2 ** 25, i < 20 ? i + 1 : 2 ** 32 - 1 - i] as const);
  // All begin in the last but eight cells of the first page, and do not fit there.
  const crowded = Array.from({ length: 9 }, (_, i) => [2 ** 32 - 1, (i + 1) * 2 ** 27] as const);
  const cells = [...divided, [0, 2 ** 32 - 1000] as const, ...crowded];
  expect(table.call('add', cells)).toEqual(ones(60));
  expect(table.call('remove', crowded.slice(0, 1))).toEqual(ones(1));
  expect(table.call('has', cells)).toEqual(ones(60).fill(0, 51, 52));
});

it('a full table refuses fingerprints, flags them, and takes others for those that are removed', () => {
  const table = open(1);
  for (const verb of ['add', 'has', 'remove', 'add'] as const) {
    expect(table.call(verb, spread)).toEqual(ones(60).fill(0, 48));
  }
});

it('hashes have the numbers that they got first, also when their pages are divided', () => {
  const table = open(30, 16);
  const numbers = [...crowds.keys()];
  const some = numbers.slice(0, 200);
  expect(table.number([...crowds.slice(0, 200), ...crowds.slice(0, 50)])).toEqual([...some, ...some.slice(0, 50)]);
  expect(table.number(crowds)).toEqual(numbers);
});

it('a full table numbers no more hashes than have room, and still those that it has', () => {
  const table = open(1, 16);
  const numbers = [...spread.keys()].slice(0, 48);
  expect(table.number(spread)).toEqual(numbers);
  expect(table.number([...spread.slice(0, 48), ...spread])).toEqual([...numbers, ...numbers]);
});

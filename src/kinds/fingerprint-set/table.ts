// The memory of a table of fingerprints. assembly/fingerprint-table.ts says what lies in it.
//
// A small table has one page, and is replaced by one that is half as large again. From some 20,000 fingerprints on, a
// table has many pages of one size, in a memory of its own that grows. What is not used yet is never touched.

import type { FingerprintSetExports } from '../../kernel/generated/fingerprint-set/exports.ts';
import type { Engine, RegionWith } from '../../kernel/region.ts';
import { FilterMemoryError } from '../../util/checks/errors.ts';

export type Table = RegionWith<FingerprintSetExports>;

/** The bytes of a fingerprint, and of a cell. A cell with a value has HASH_BYTES. */
export const FINGERPRINT_BYTES = 12;

// The words at the beginning of a table.

const DEPTH = 0;
const PAGES = 1;
const LIMIT = 2;
const PAGE_BYTES = 3;
const HOMES = 4;
const MOST = 5;
const COUNT = 6;
const USED = 7;
const FACTS = 8;
const FIRST = 9;
const SECRET = 10;
const WIDTH = 24;
const WORDS = 32;

const DIRECTORY: number = 4 * WORDS;
const LEAST_CELLS = 16;
/** The cells of the largest table that has one page. */
const MOST_CELLS = 2 ** 15;
/** The cells of a page, if there are many. */
const PAGE_CELLS = 5461;
const MOST_PAGES = 2 ** 16;
/** The most entries of a directory, two bytes each. */
const MOST_ENTRIES = 2 ** 18;
/** A page is never fuller than this. */
const MOST_FILL = 7 / 8;
/** What a page holds on average, while the table grows: between half of what it may hold and all of that. */
const MEAN_FILL = 0.6;

/**
 * How many times as many pages a table gets memory for when it is full: the first for which there is memory. Many,
 * because V8 collects all garbage each time that a memory has grown by 64 MiB or more, and visits all strings that are
 * alive. What is not used yet costs only addresses.
 */
const GROWTHS: readonly number[] = [4, 1.5, 1.1];

/** Where facts and pages of a table begin. */
const layouts = {
  one: { facts: DIRECTORY + 4, first: DIRECTORY + 8 },
  many: { facts: DIRECTORY + 2 * MOST_ENTRIES, first: DIRECTORY + 2 * MOST_ENTRIES + 4 * MOST_PAGES },
} as const;

/** The words of the secret permutation: four odd factors, and the inverses of all but the second modulo 2^64. */
let secret: Uint32Array | undefined;

function inverseOf(factor: bigint): bigint {
  let inverse = factor;
  // Newton's method: each step doubles the number of right bits, of which there are three at first.
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(64, inverse * (2n - factor * inverse));
  return inverse;
}

/** Some runtimes, such as React Native, have no `crypto`. */
interface Globals {
  readonly crypto?: { getRandomValues(words: BigUint64Array): unknown };
}

function secretWords(): Uint32Array {
  if (secret) return secret;
  const random = BigUint64Array.from({ length: 4 }, () => BigInt(Math.floor(Math.random() * 2 ** 53)) << 11n);
  (globalThis as Globals).crypto?.getRandomValues(random);
  const [a = 1n, b = 1n, c = 1n, d = 1n] = Array.from(random, (word) => word | 1n);
  secret = new Uint32Array(BigUint64Array.of(a, b, c, d, ...[a, c, d].map(inverseOf)).buffer);
  return secret;
}

/** The words at the beginning of a table, in a view that is valid until anything is allocated. */
function wordsOf({ instance, pointer }: Table): Uint32Array {
  return new Uint32Array(instance.memory.buffer, pointer, WORDS);
}

function wordOf(table: Table, word: number): number {
  return wordsOf(table)[word] as number;
}

/** The bytes of a cell. */
export function widthOf(table: Table): number {
  return wordOf(table, WIDTH);
}

/** The number of fingerprints. */
export function countIn(table: Table): number {
  return wordOf(table, COUNT);
}

/** The number of cells. */
export function cellsIn(table: Table): number {
  return (wordOf(table, PAGES) * wordOf(table, PAGE_BYTES)) / widthOf(table);
}

/** The bytes that have been in use. Most of the directory, and memory for further pages, was never touched. */
export function usedBytes(table: Table): number {
  return DIRECTORY + 2 * 2 ** wordOf(table, DEPTH) + (4 + wordOf(table, PAGE_BYTES)) * wordOf(table, USED);
}

/** Cells at the end of a page in which no search begins. */
function spareCells(cells: number): number {
  return Math.min(128, Math.ceil(cells / 8));
}

function mostIn(cells: number): number {
  return Math.floor(MOST_FILL * (cells - spareCells(cells)));
}

/** Takes all fingerprints out of a table, and returns it. */
export function emptied(table: Table): Table {
  table.instance.kernel.fingerprints_empty(table.pointer);
  return table;
}

/** Writes the first words of a table in memory that is zero, and empties it. */
function begin(table: Table, width: number, pageCells: number, limit: number, layout: keyof typeof layouts): Table {
  const words = wordsOf(table);
  words[WIDTH] = width;
  words[LIMIT] = limit;
  words[PAGE_BYTES] = width * pageCells;
  words[HOMES] = pageCells - spareCells(pageCells);
  words[MOST] = mostIn(pageCells);
  words[FACTS] = layouts[layout].facts;
  words[FIRST] = layouts[layout].first;
  words.set(secretWords(), SECRET);
  return emptied(table);
}

/** Makes a table of one page. */
function onePage(engine: Engine, width: number, cells: number): Table {
  const table = engine.reserve(layouts.one.first + width * cells) as Table;
  return begin(table, width, cells, 1, 'one');
}

function bytesOfPages(width: number, pages: number): number {
  return layouts.many.first + width * PAGE_CELLS * pages;
}

function isMany(table: Table): boolean {
  return wordOf(table, FIRST) === layouts.many.first;
}

/**
 * Makes a table that grows by pages, with memory for `pages` of them: in a memory of its own that may become as large as
 * the engine allows, or, where the system refuses that, in one that is replaced when it is full.
 */
function manyPages(engine: Engine, width: number, pages: number): Table {
  const bytes = bytesOfPages(width, pages);
  const most = Math.min(engine.maxBytes, bytesOfPages(width, MOST_PAGES));
  let table: Table | undefined;
  try {
    table = engine.reserve(Math.max(bytes, most), true) as Table;
    table.commit(bytes);
  } catch (error) {
    table?.dispose();
    if (!(error instanceof FilterMemoryError)) throw error;
    table = engine.reserve(bytes) as Table;
  }
  return begin(table, width, PAGE_CELLS, pages, 'many');
}

/** Makes a table with memory for `capacity` fingerprints, in cells of `width` bytes. */
export function newTable(engine: Engine, capacity: number, width: number): Table {
  let cells = LEAST_CELLS;
  while (mostIn(cells) < capacity && cells <= MOST_CELLS) cells = nextCells(cells);
  if (cells <= MOST_CELLS) return onePage(engine, width, cells);
  return manyPages(engine, width, Math.ceil(capacity / (MEAN_FILL * PAGE_CELLS)));
}

/** The number of cells of the next larger table of one page. */
function nextCells(cells: number): number {
  return Math.ceil(1.5 * cells);
}

/** Copies a table, with memory for at least `pages` pages. */
export function copyOf(table: Table, engine: Engine, pages: number = wordOf(table, PAGES)): Table {
  const width = widthOf(table);
  const cells = cellsIn(table);
  const copy = isMany(table) ? manyPages(engine, width, pages) : onePage(engine, width, cells);
  const length = wordOf(table, FIRST) + width * cells;
  copy.view(0, length).set(table.view(0, length));
  const words = wordsOf(copy);
  words[LIMIT] = pages;
  words[USED] = wordOf(table, PAGES);
  return copy;
}

/** Makes a table of many pages from one of a single page. */
function divided(table: Table, engine: Engine): Table {
  const width = widthOf(table);
  const cells = cellsIn(table);
  const bytes = width * cells;
  const { first } = layouts.one;
  // The cells are copied to pages that stay free until they have been moved.
  const pages = Math.ceil((2 * cells) / PAGE_CELLS);
  const all = pages + Math.ceil(cells / PAGE_CELLS);
  const larger = manyPages(engine, width, all);
  wordsOf(larger)[LIMIT] = pages;
  const from = bytesOfPages(width, pages);
  larger.view(from, from + bytes).set(table.view(first, first + bytes));
  if (larger.instance.kernel.fingerprints_move(larger.pointer, larger.pointer + from, cells) === 0) {
    larger.dispose();
    throw new FilterMemoryError('its fingerprints have too much in common', bytesOfPages(width, all));
  }
  larger.view(from, from + bytes).fill(0);
  wordsOf(larger)[LIMIT] = all;
  return larger;
}

/** Makes a larger table of one page. */
function widened(table: Table, engine: Engine): Table {
  const width = widthOf(table);
  const cells = cellsIn(table);
  const { first } = layouts.one;
  const larger = onePage(engine, width, nextCells(cells));
  const end = first + width * nextCells(cells);
  const bytes = width * cells;
  larger.view(end - bytes, end).set(table.view(first, first + bytes));
  larger.instance.kernel.fingerprints_spread(larger.pointer, cells);
  return larger;
}

/** Adds memory to a table of many pages, so that there is enough for `wanted` of them, or copies it to where there is. */
function extended(table: Table, engine: Engine, wanted: number): Table {
  const width = widthOf(table);
  const fitting = Math.floor((table.byteLength - layouts.many.first) / (width * PAGE_CELLS));
  const more = Math.min(wanted, fitting);
  if (more <= wordOf(table, LIMIT)) return copyOf(table, engine, wanted);
  table.commit(bytesOfPages(width, more));
  wordsOf(table)[LIMIT] = more;
  return table;
}

/** Makes a larger table of many pages, or the same table larger. */
function lengthened(table: Table, engine: Engine): Table {
  const pages = wordOf(table, LIMIT);
  let cause = new FilterMemoryError('its table is as large as it can be', bytesOfPages(widthOf(table), pages));
  // If there are pages left, more of them would not help.
  if (wordOf(table, PAGES) < pages || pages === MOST_PAGES) throw cause;
  for (const growth of GROWTHS) {
    try {
      return extended(table, engine, Math.min(MOST_PAGES, Math.ceil(growth * pages)));
    } catch (error) {
      if (!(error instanceof FilterMemoryError)) throw error;
      cause = error;
    }
  }
  throw cause;
}

/**
 * Makes more room: for more pages in the same table, or in a larger one, and then disposes of the table. Throws a
 * FilterMemoryError if there is no memory, and then nothing has changed.
 */
export function grown(table: Table, engine: Engine): Table {
  let larger: Table;
  if (isMany(table)) larger = lengthened(table, engine);
  else larger = nextCells(cellsIn(table)) <= MOST_CELLS ? widened(table, engine) : divided(table, engine);
  if (larger !== table) table.dispose();
  return larger;
}

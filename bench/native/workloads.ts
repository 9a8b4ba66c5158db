// Keys for the comparison with native code: as batches for bloomery, as files or numbers for the native program.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyLines, lines } from 'bloomery';
import { choose, loadNames, seededRandom, sourceOfNames } from '../../examples/names.ts';

const SEED = 1970;
/** The number of absent keys, as a share of all names or of the present addresses. */
const ABSENT_SHARE = 0.1;
const PART = 2 ** 20;
const FIRST_ABSENT_INTEGER = 2 ** 40;

/** The keys of one call. */
export interface Batch {
  readonly keys: KeyLines | BigUint64Array;
  readonly count: number;
}

export interface KeySet {
  readonly count: number;
  readonly largestBatch: number;
  /** The next batch may overwrite the previous one. */
  batches(): Iterable<Batch>;
}

export interface Workload {
  readonly title: string;
  readonly present: KeySet;
  readonly absent: KeySet;
  /** The arguments that give the native program the same keys. */
  readonly args: readonly string[];
  /** Removes the files made for the native program. */
  remove(): void;
}

interface Text {
  readonly bytes: Uint8Array;
  readonly count: number;
}

function linesOf({ bytes, count }: Text): KeySet {
  return { count, largestBatch: count, batches: () => [{ keys: lines(bytes), count }] };
}

function workloadOfTexts(title: string, present: Text, absent: Text): Workload {
  const folder = mkdtempSync(join(tmpdir(), 'bloomery-'));
  const files = { present: join(folder, 'present.txt'), absent: join(folder, 'absent.txt') };
  writeFileSync(files.present, present.bytes);
  writeFileSync(files.absent, absent.bytes);
  return {
    title,
    present: linesOf(present),
    absent: linesOf(absent),
    args: ['lines', files.present, files.absent],
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The names of npm packages, in the order of the list; a tenth is held out as absent keys. */
export function names(): Workload {
  const all = loadNames();
  const { chosen, others } = choose(all, Math.round(ABSENT_SHARE * all.length), seededRandom(SEED));
  const textOf = (list: readonly string[]): Text => ({ bytes: Buffer.from(list.join('\n')), count: list.length });
  return workloadOfTexts(`npm names as lines (${sourceOfNames()})`, textOf(others), textOf(chosen));
}

/** Maps each 32-bit number to a different one, so that all addresses differ. */
function scrambled(position: number): number {
  const mixed = Math.imul(position ^ (position >>> 16), 0x7feb352d);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

function addresses(from: number, count: number): Text {
  const parts: Buffer[] = [];
  for (let start = from; start < from + count; start += PART) {
    const length = Math.min(PART, from + count - start);
    const list = Array.from({ length }, (_, i) => `https://example.org/${scrambled(start + i).toString(36)}\n`);
    parts.push(Buffer.from(list.join('')));
  }
  return { bytes: Buffer.concat(parts), count };
}

/** `count` made-up addresses, and a tenth as many absent ones. */
export function madeLines(count: number): Workload {
  const absent = addresses(count, Math.ceil(ABSENT_SHARE * count));
  return workloadOfTexts('made-up addresses as lines', addresses(0, count), absent);
}

function integersFrom(first: number, count: number): KeySet {
  const largestBatch = Math.min(PART, count);
  const keys = new BigUint64Array(largestBatch);
  // Written as two halves, the lower one first as in native code, because bigints would take minutes.
  const halves = new Uint32Array(keys.buffer);
  function* batches(): Generator<Batch> {
    for (let from = 0; from < count; from += largestBatch) {
      const length = Math.min(largestBatch, count - from);
      for (let i = 0; i < length; i++) {
        const key = first + from + i;
        halves[2 * i] = key;
        halves[2 * i + 1] = Math.floor(key / 2 ** 32);
      }
      yield { keys: keys.subarray(0, length), count: length };
    }
  }
  return { count, largestBatch, batches };
}

/** The integers from 0 on, and as many absent ones from 2^40 on. */
export function integers(count: number): Workload {
  return {
    title: '64-bit integers',
    present: integersFrom(0, count),
    absent: integersFrom(FIRST_ABSENT_INTEGER, count),
    args: ['integers', String(count)],
    remove: () => {},
  };
}

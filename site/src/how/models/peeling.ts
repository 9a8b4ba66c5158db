// How a fuse filter is built: its keys are peeled off, and written in the opposite order. The library keeps no record of
// it, so this does it again, and must end with the library's own cells.

import type { BinaryFuseFilter } from 'bloomery/fuse';
import { type Engine, entryOn } from '../../engine.ts';
import { integer, plural } from '../../format.ts';
import type { HashKeys } from '../small/model.ts';
import { nameAt } from '../small/names.ts';
import { cellsOf } from '../small/saved-cells.ts';
import { hex } from '../small/words.ts';

export const KEYS = 12;
const BITS = 8;
/** The highest number of the first name. */
export const LAST_FIRST = 1000;
/** Where a file has the kind's own parameters: see docs/format.md. */
const OWN = 64;
const GOLDEN = 0x9e3779b97f4a7c15n;

/** Where a key goes. */
export interface Home {
  readonly name: string;
  /** One cell in each of three adjacent segments. */
  readonly cells: readonly number[];
  readonly fingerprint: number;
}

interface Layout {
  readonly exponent: number;
  readonly segments: number;
  readonly attempt: number;
}

/** A step of building. */
interface Frame {
  readonly phase: 'peel' | 'write';
  /** The index of the key. */
  readonly key: number;
  /** The cell in which the key is alone, and which is written for it. */
  readonly cell: number;
}

/** MurmurHash3's finalizer of 64 bits. */
function mix(x: bigint): bigint {
  const once = BigInt.asUintN(64, (x ^ (x >> 33n)) * 0xff51afd7ed558ccdn);
  const twice = BigInt.asUintN(64, (once ^ (once >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return twice ^ (twice >> 33n);
}

function homeOf(name: string, h1: bigint, { exponent, segments, attempt }: Layout): Home {
  const mixed = mix(BigInt.asUintN(64, h1 + BigInt(attempt + 1) * GOLDEN));
  const length = 2 ** exponent;
  const first = Number((mixed * BigInt(segments * length)) >> 64n);
  const second = (first + length) ^ Number(BigInt.asUintN(exponent, mixed >> 18n));
  const third = (first + 2 * length) ^ Number(BigInt.asUintN(exponent, mixed));
  return { name, cells: [first, second, third], fingerprint: Number(BigInt.asUintN(BITS, mixed ^ (mixed >> 32n))) };
}

/** Takes out one key after another that is alone in a cell. */
function peel(homes: readonly Home[], cellCount: number): Frame[] {
  const left = Array.from({ length: cellCount }, (_, cell) =>
    homes.flatMap(({ cells }, key) => (cells.includes(cell) ? [key] : [])),
  );
  const queue = left.flatMap(({ length }, cell) => (length === 1 ? [cell] : []));
  const frames: Frame[] = [];
  for (const cell of queue) {
    const key = left[cell]?.[0];
    if (key === undefined) continue;
    frames.push({ phase: 'peel', key, cell });
    for (const each of homes[key]?.cells ?? []) {
      const others = (left[each] ?? []).filter((other) => other !== key);
      left[each] = others;
      // The loop takes what is added to the queue, too.
      if (others.length === 1) queue.push(each);
    }
  }
  return frames;
}

export class Peeling {
  readonly homes: readonly Home[];
  readonly cellCount: number;
  /** The cells of a segment. */
  readonly segmentCells: number;
  /** The library's own cells. */
  readonly built: readonly number[];
  readonly #frames: readonly Frame[];
  readonly #filter: BinaryFuseFilter;
  readonly #homeOf: (name: string) => Home;

  private constructor(names: readonly string[], filter: BinaryFuseFilter, hashKeys: HashKeys) {
    const saved = filter.toBytes();
    const own = new DataView(saved.buffer, saved.byteOffset + OWN);
    const layout: Layout = {
      exponent: own.getUint32(0, true),
      segments: own.getUint32(4, true),
      attempt: own.getUint32(8, true),
    };
    this.#filter = filter;
    this.#homeOf = (name) => {
      const { buffer, byteOffset } = hashKeys([name]).bytes;
      return homeOf(name, new DataView(buffer, byteOffset).getBigUint64(0, true), layout);
    };
    this.homes = names.map(this.#homeOf);
    this.built = cellsOf(saved);
    this.cellCount = this.built.length;
    this.segmentCells = 2 ** layout.exponent;
    const peeled = peel(this.homes, this.cellCount);
    this.#frames = [...peeled, ...peeled.map((frame) => ({ ...frame, phase: 'write' as const })).reverse()];
  }

  /** @param first the number of the first name, 0 … 1000 */
  static async create(engine: Engine, first: number): Promise<Peeling> {
    const { BinaryFuseFilter } = await entryOn(engine, 'fuse');
    const { hashKeys } = await entryOn(engine, 'hash');
    const names = Array.from({ length: KEYS }, (_, i) => nameAt(first * KEYS + i));
    return new Peeling(names, BinaryFuseFilter.from(names, { fingerprintBits: BITS }), hashKeys);
  }

  /** The number of steps: each key is taken out, and later written. */
  get steps(): number {
    return this.#frames.length;
  }

  /** The step that was done last, if any was. */
  frameAt(step: number): Frame | undefined {
    return this.#frames[step - 1];
  }

  /** The keys that were taken out so far, in this order. */
  takenAt(step: number): number[] {
    return this.#frames.slice(0, step).flatMap(({ phase, key }) => (phase === 'peel' ? [key] : []));
  }

  /** How many keys are left in each cell. */
  countsAt(step: number): number[] {
    const taken = new Set(this.takenAt(step));
    const left = this.homes.filter((_, key) => !taken.has(key));
    return Array.from({ length: this.cellCount }, (_, cell) => left.filter(({ cells }) => cells.includes(cell)).length);
  }

  /** The cells that have been written so far, with their values. */
  valuesAt(step: number): Map<number, number> {
    const values = new Map<number, number>();
    for (const { phase, key, cell } of this.#frames.slice(0, step)) {
      if (phase === 'peel') continue;
      const { cells, fingerprint } = this.homes[key] as Home;
      values.set(
        cell,
        cells.reduce((sum, each) => sum ^ (values.get(each) ?? 0), fingerprint),
      );
    }
    return values;
  }

  /** What a step did. */
  describe(step: number): string {
    const frame = this.frameAt(step);
    if (frame === undefined)
      return `${KEYS} keys, each with a line to its three cells. A cell shows how many keys it has.`;
    const { name, cells, fingerprint } = this.homes[frame.key] as Home;
    if (frame.phase === 'peel') {
      const left = KEYS - this.takenAt(step).length;
      const rest =
        left === 0 ? 'No key is left: now they are written, the last one first.' : `${plural(left, 'key')} left.`;
      return `“${name}” is alone in cell ${frame.cell}, and is taken out. ${rest}`;
    }
    const values = this.valuesAt(step);
    const others = cells.filter((cell) => cell !== frame.cell);
    const terms = others.map((cell) => `${hex(values.get(cell) ?? 0)} of cell ${cell}`);
    const text = `“${name}”: cell ${frame.cell} becomes ${hex(values.get(frame.cell) ?? 0)}, its fingerprint ${hex(fingerprint)} xor ${terms.join(' xor ')}.`;
    if (step < this.steps) return text;
    const bits = integer((this.cellCount * BITS) / KEYS);
    return `${text} The filter is built: ${this.cellCount} cells of ${BITS} bits, ${bits} for each key. From a million keys on, it is 9.`;
  }

  /** What a lookup does, in the finished filter. */
  lookUp(name: string): { readonly home: Home; readonly text: string } {
    const home = this.#homeOf(name);
    const values = home.cells.map((cell) => this.built[cell] ?? 0);
    const sum = values.reduce((all, value) => all ^ value, 0);
    const found = this.#filter.has(name);
    const isKey = this.homes.some((each) => each.name === name);
    const verdict = found
      ? `is its fingerprint, so it may be present. ${isKey ? 'It is.' : 'But it is no key: this is a false positive.'}`
      : `is not its fingerprint ${hex(home.fingerprint)}, so “${name}” is certainly absent.`;
    return { home, text: `“${name}”: ${values.map(hex).join(' xor ')} = ${hex(sum)}, which ${verdict}` };
  }
}

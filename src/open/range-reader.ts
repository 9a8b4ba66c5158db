import type { CheckedSource } from './checked-source.ts';

/** The most bytes of one read. */
export const MAX_READ: number = 2 ** 20;

/** Cells that are to be read: where each begins in the body, in bits, and the number of bits of all of them. */
export interface Wanted {
  readonly bits: Float64Array;
  readonly width: number;
  /** The cells lie in runs of this number, each in ascending order. */
  readonly run: number;
}

/** Bytes that are read at once, and the numbers of the ranges in them that were asked for. */
interface Range {
  readonly start: number;
  end: number;
  readonly asked: number[];
}

/** Takes the bytes of a range that was asked for, by its number, and others around them, which begin at `start`. */
type Visit = (number: number, bytes: Uint8Array, start: number) => void;

/** The value of a cell in bytes that begin at the offset `start` of the body. */
function cellIn(bytes: Uint8Array, start: number, bit: number, width: number): number {
  const first = Math.floor(bit / 8);
  const shift = bit % 8;
  let value = 0;
  // At most five bytes, so the sum is exact.
  for (let i = Math.ceil((shift + width) / 8) - 1; i >= 0; i--) value = 256 * value + (bytes[first + i - start] ?? 0);
  return Math.floor(value / 2 ** shift) % 2 ** width;
}

/** Reads parts of the body of a file: sorts them, joins those that are near, and has few reads under way at a time. */
export class RangeReader {
  readonly #source: CheckedSource;
  readonly #bodyOffset: number;

  constructor(source: CheckedSource, bodyOffset: number) {
    this.#source = source;
    this.#bodyOffset = bodyOffset;
  }

  /** Reads cells, and returns their values in the order of `bits`. Rejects with the first error, and reads no more then. */
  async read({ bits, width, run }: Wanted, signal?: AbortSignal): Promise<Uint32Array> {
    const bitOf = (i: number): number => bits[i] as number;
    const values = new Uint32Array(bits.length);
    const runs = bits.length / run;
    const starts = Float64Array.from({ length: runs }, (_, i) => Math.floor(bitOf(run * i) / 8));
    const ends = Float64Array.from({ length: runs }, (_, i) => Math.ceil((bitOf(run * i + run - 1) + width) / 8));
    const take = (number: number, bytes: Uint8Array, start: number): void => {
      for (let i = run * number; i < run * (number + 1); i++) values[i] = cellIn(bytes, start, bitOf(i), width);
    };
    await this.visit(starts, ends, take, signal);
    return values;
  }

  /** Reads ranges of the body, and calls `visit` for each. Rejects with the first error, and reads no more then. */
  async visit(starts: Float64Array, ends: Float64Array, visit: Visit, signal?: AbortSignal): Promise<void> {
    let hasFailed = false;
    const fill = async ({ start, end, asked }: Range): Promise<void> => {
      if (hasFailed) return;
      try {
        const bytes = await this.#source.read(this.#bodyOffset + start, end - start, signal);
        for (const number of asked) visit(number, bytes, start);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };
    await Promise.all(this.#joined(starts, ends).map((range) => this.#source.inTurn(() => fill(range))));
  }

  #joined(starts: Float64Array, ends: Float64Array): Range[] {
    const order = Uint32Array.from(starts, (_, i) => i);
    order.sort((one, other) => (starts[one] as number) - (starts[other] as number));
    const ranges: Range[] = [];
    let last: Range | undefined;
    for (const number of order) {
      const [start, end] = [starts[number] as number, ends[number] as number];
      if (last && start - last.end <= this.#source.gap && end - last.start <= MAX_READ) {
        last.end = Math.max(last.end, end);
        last.asked.push(number);
      } else {
        last = { start, end, asked: [number] };
        ranges.push(last);
      }
    }
    return ranges;
  }
}

import type { CheckedSource } from './checked-source.ts';

/** The most bytes of one read. */
const MAX_READ: number = 2 ** 20;

/** Cells that are to be read: where each begins in the body, in bits, and the number of bits of all of them. */
export interface Wanted {
  readonly bits: Float64Array;
  readonly width: number;
  /** The cells lie in runs of this number, each in ascending order. */
  readonly run: number;
}

/** Bytes that are read at once, and the runs of cells in them. */
interface Range {
  readonly start: number;
  end: number;
  readonly runs: number[];
}

/** The value of a cell in bytes that begin at the offset `start` of the body. */
function cellIn(bytes: Uint8Array, start: number, bit: number, width: number): number {
  const first = Math.floor(bit / 8);
  const shift = bit % 8;
  let value = 0;
  // At most five bytes, so the sum is exact.
  for (let i = Math.ceil((shift + width) / 8) - 1; i >= 0; i--) value = 256 * value + (bytes[first + i - start] ?? 0);
  return Math.floor(value / 2 ** shift) % 2 ** width;
}

/** Reads cells of the body of a file: sorts them, joins those that are near, and has few reads under way at a time. */
export class RangeReader {
  readonly #source: CheckedSource;
  readonly #bodyOffset: number;

  constructor(source: CheckedSource, bodyOffset: number) {
    this.#source = source;
    this.#bodyOffset = bodyOffset;
  }

  /** Reads cells, and returns their values in the order of `bits`. Rejects with the first error, and reads no more then. */
  async read(wanted: Wanted, signal?: AbortSignal): Promise<Uint32Array> {
    const { bits, width, run } = wanted;
    const values = new Uint32Array(bits.length);
    let hasFailed = false;
    const fill = async ({ start, end, runs }: Range): Promise<void> => {
      if (hasFailed) return;
      try {
        const bytes = await this.#source.read(this.#bodyOffset + start, end - start, signal);
        for (const first of runs) {
          for (let i = first; i < first + run; i++) values[i] = cellIn(bytes, start, bits[i] as number, width);
        }
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };
    await Promise.all(this.#rangesOf(wanted).map((range) => this.#source.inTurn(() => fill(range))));
    return values;
  }

  #rangesOf({ bits, width, run }: Wanted): Range[] {
    const bitOf = (i: number): number => bits[i] as number;
    const runs = Uint32Array.from({ length: bits.length / run }, (_, i) => run * i);
    runs.sort((one, other) => bitOf(one) - bitOf(other));
    const ranges: Range[] = [];
    let last: Range | undefined;
    for (const first of runs) {
      const start = Math.floor(bitOf(first) / 8);
      const end = Math.ceil((bitOf(first + run - 1) + width) / 8);
      if (last && start - last.end <= this.#source.gap && end - last.start <= MAX_READ) {
        last.end = Math.max(last.end, end);
        last.runs.push(first);
      } else {
        last = { start, end, runs: [first] };
        ranges.push(last);
      }
    }
    return ranges;
  }
}

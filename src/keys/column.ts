import type { Instance } from '../kernel/instance.ts';
import { CHUNK_BYTES, CHUNK_KEYS } from '../kernel/scratch.ts';
import { arrayError, lengthOf, typedArrayName } from '../util/checks/typed-arrays.ts';
import { hashLongBytes } from './encode.ts';
import { integerArrayName } from './integers.ts';
import { requireBytes } from './key.ts';
import { KeptBytes } from './picked-bytes.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

/** The offsets of a column's keys: 32-bit, or 64-bit for large columns, as in Apache Arrow. */
export type ColumnOffsets = Int32Array | Uint32Array | BigInt64Array;

/** Contiguous keys in one buffer; made by `column(data, offsets)`. */
export class KeyColumn<O extends ColumnOffsets = ColumnOffsets, B extends ArrayBufferLike = ArrayBufferLike>
  implements Readable
{
  /** The bytes of all keys. Not a copy. */
  readonly data: Uint8Array<B>;
  /** Key i is `data` from `offsets[i]` to `offsets[i + 1]`, end excluded. Not a copy. */
  readonly offsets: O;

  constructor(data: Uint8Array<B>, offsets: O) {
    this.data = data;
    this.offsets = offsets;
  }

  /** The number of keys. */
  get length(): number {
    return Math.max(0, lengthOf(this.offsets) - 1);
  }

  /** @internal */
  [SOURCE](): Source {
    return new ColumnSource(column(this.data, this.offsets));
  }
}

/**
 * A column of strings or bytes as keys, in the layout of Apache Arrow's Utf8, LargeUtf8 and Binary vectors.
 *
 * Offsets need not start at 0, so a slice of a vector is a column too. They are checked as they are read: a batch
 * throws a RangeError at an offset that decreases or lies outside `data`.
 *
 * @param data the bytes of all keys; not copied
 * @param offsets n + 1 offsets for n keys; an empty array for no keys
 * @throws TypeError unless `data` is a Uint8Array and `offsets` an Int32Array, Uint32Array or BigInt64Array, and if one
 *   of them is detached or out of the bounds of its buffer
 * @see https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-layout
 */
export function column<O extends ColumnOffsets, B extends ArrayBufferLike>(
  data: Uint8Array<B>,
  offsets: O,
): KeyColumn<O, B> {
  const name = integerArrayName(offsets);
  if (!name || name === 'BigUint64Array') {
    throw arrayError('offsets', 'an Int32Array, Uint32Array or BigInt64Array', offsets);
  }
  return new KeyColumn(requireBytes('data', data), offsets);
}

/** Reads a column: copies each chunk of keys at once, and lets the kernel move the kept keys to its front. */
class ColumnSource implements Source {
  /** The index of the next key. */
  position = 0;
  readonly #length: number;
  readonly #column: KeyColumn;
  readonly #keptData: KeptBytes;
  readonly #keptOffsets: number[] = [0];
  /** The last chunk is `size` keys in `data` from `from` to `to`. */
  from = 0;
  to = 0;
  size = 0;

  constructor(column: KeyColumn) {
    this.#column = column;
    this.#length = column.length;
    this.#keptData = new KeptBytes(column.data);
  }

  count(): number {
    return this.#length;
  }

  collect(): boolean {
    return this.position < this.#length;
  }

  hash(instance: Instance, seed: number): number {
    const { kernel, scratch } = instance;
    const { data, offsets } = this.#column;
    const first = this.position;
    const start = Number(offsets[first]);
    const firstEnd = Number(offsets[first + 1]);
    if (!(start >= 0 && firstEnd >= start && firstEnd <= data.length)) {
      throw new RangeError(
        `offsets[${first}] and offsets[${first + 1}] must rise within the ${data.length} bytes of data, got ${start} and ${firstEnd}`,
      );
    }
    const last = Math.min(this.#length, first + CHUNK_KEYS);
    let end = start;
    let count = 0;
    for (let i = first; i < last; i++) {
      const next = Number(offsets[i + 1]);
      if (!(next >= end && next <= data.length && next - start <= CHUNK_BYTES)) break;
      scratch.endValues[count++] = next - start;
      end = next;
    }
    if (count === 0) {
      end = firstEnd;
      count = 1;
      hashLongBytes(data.subarray(start, end), instance, seed);
    } else {
      scratch.keyBytes.set(data.subarray(start, end));
      kernel.hash_packed(scratch.keys, scratch.ends, count, seed, scratch.hashes);
    }
    this.from = start;
    this.to = end;
    this.size = count;
    this.position += count;
    return count;
  }

  keep(instance: Instance, wanted: number): void {
    this.#keptData.keep(instance, this.from, this.to, this.size, wanted, (end) => this.#keptOffsets.push(end));
  }

  kept(): KeyColumn {
    const name = typedArrayName(this.#column.offsets);
    const offsets = this.#keptOffsets;
    return new KeyColumn(
      this.#keptData.take(),
      name === 'BigInt64Array'
        ? BigInt64Array.from(offsets, BigInt)
        : (name === 'Int32Array' ? Int32Array : Uint32Array).from(offsets),
    );
  }
}

import { FUSE_FILE, type FuseParameters } from '../kinds/fuse/file.ts';
import { hashKey, openFile, Shard } from './shard.ts';

/**
 * Looks up single keys in the file of a `BinaryFuseFilter`, in a few kilobytes of plain JavaScript: for pages that ship a
 * list and ask little of it. It has the answers of the filter. For batches, lines and many lookups the filter is faster.
 *
 * ```ts
 * const blocked = FuseLookup.fromBytes(BinaryFuseFilter.from(['spam.example']).toBytes());
 * blocked.has('spam.example'); // true
 * ```
 */
export class FuseLookup {
  readonly #cells: Shard;
  readonly #seed: number;

  private constructor(cells: Shard, seed: number) {
    this.#cells = cells;
    this.#seed = seed;
  }

  /**
   * Opens the file of a `BinaryFuseFilter`. It is checked as the filter's own `fromBytes` checks it, and not copied: the
   * bytes must not change afterwards.
   *
   * @throws SavedFilterError unless the bytes are one whole, undamaged filter of this kind, without a secret
   * @throws TypeError if `bytes` is something else
   */
  static fromBytes(bytes: Uint8Array | ArrayBuffer): FuseLookup {
    const { file, head } = openFile(bytes, FUSE_FILE);
    const { parameters, cellBits, own, bodyOffset } = head;
    const cells = new Shard(file.subarray(bodyOffset), cellBits, own as FuseParameters, 'its padding bits');
    return new FuseLookup(cells, parameters.seed);
  }

  /** The number of distinct keys in the filter. */
  get capacity(): number {
    return this.#cells.count;
  }

  /**
   * Whether a key may be present: always true for a key of the list, and for others at the filter's error rate. Takes
   * one or two microseconds for a short key.
   *
   * @param key a string, which is looked up as its UTF-8, or bytes
   * @throws TypeError if `key` is something else
   */
  has(key: string | Uint8Array): boolean {
    hashKey(key, this.#seed);
    return this.capacity > 0 && this.#cells.combine(0) === 0;
  }
}

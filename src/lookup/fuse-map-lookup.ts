import { sum } from '../format/header.ts';
import { FUSE_MAP_FILE, type MapParameters } from '../kinds/fuse-map/file.ts';
import { hashKey, openFile, Shard } from './shard.ts';

/**
 * Looks up single keys in the file of a `FuseMap`, in a few kilobytes of plain JavaScript. It has the answers of the map.
 * For batches, lines and many lookups the map is faster.
 *
 * ```ts
 * const places = FuseMapLookup.fromBytes(FuseMap.from(['/old', '/older'], [17, 4]).toBytes());
 * places.get('/old'); // 17
 * ```
 */
export class FuseMapLookup {
  readonly #shards: readonly Shard[];
  readonly #seed: number;
  readonly #valueBits: number;
  readonly #cellBits: number;

  private constructor(shards: readonly Shard[], seed: number, valueBits: number, cellBits: number) {
    this.#shards = shards;
    this.#seed = seed;
    this.#valueBits = valueBits;
    this.#cellBits = cellBits;
  }

  /**
   * Opens the file of a `FuseMap`. It is checked as the map's own `fromBytes` checks it, and not copied: the bytes must
   * not change afterwards.
   *
   * @throws SavedFilterError unless the bytes are one whole, undamaged map, without a secret
   * @throws TypeError if `bytes` is something else
   */
  static fromBytes(bytes: Uint8Array | ArrayBuffer): FuseMapLookup {
    const { file, head } = openFile(bytes, FUSE_MAP_FILE);
    const { parameters, cellBits, own, bodyOffset, lengths } = head;
    const { shards, valueBits } = own as MapParameters;
    const all = shards.map((shard, i) => {
      const from = bodyOffset + sum(lengths.slice(0, i));
      const cells = file.subarray(from, from + (lengths[i] as number));
      return new Shard(cells, cellBits, shard, `the padding bits of shard ${i}`);
    });
    return new FuseMapLookup(all, parameters.seed, valueBits, cellBits);
  }

  /** The number of distinct keys in the map. */
  get capacity(): number {
    return sum(this.#shards.map(({ count }) => count));
  }

  /**
   * The value of a key: always its own for a key of the map. Others get none, but for a share that is the map's error
   * rate. Takes one or two microseconds for a short key.
   *
   * @param key a string, which is looked up as its UTF-8, or bytes
   * @returns its value; undefined if the key is certainly absent
   * @throws TypeError if `key` is something else
   */
  get(key: string | Uint8Array): number | undefined {
    const top = hashKey(key, this.#seed) >>> 0;
    const shard = this.#shards[Math.floor((top / 2 ** 32) * this.#shards.length)] as Shard;
    const value = shard.combine(this.#valueBits);
    const isValue = this.#valueBits === this.#cellBits || value >>> this.#valueBits === 0;
    return shard.count > 0 && isValue ? value : undefined;
  }

  /**
   * Whether a key may be in the map: whether `get` gives a value.
   *
   * @throws TypeError if `key` is neither a string nor a Uint8Array
   */
  has(key: string | Uint8Array): boolean {
    return this.get(key) !== undefined;
  }
}

/** The linear memory of either engine. Growth replaces its buffer. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  /** Grows by `pages` pages of 64 KiB. Throws or returns −1 if it cannot. */
  grow(pages: number): number;
}

/** The bytes of a hash: h1, then h2, of MurmurHash3 x64_128. */
export const HASH_BYTES = 16;
/** The 32-bit words of a hash: the low and the high half of h1, then of h2. */
export const HASH_WORDS: number = HASH_BYTES / 4;

/** The most keys in a chunk. */
export const CHUNK_KEYS = 4096;
/** The most bytes of keys in a chunk. */
export const CHUNK_BYTES: number = 96 * 1024;
/**
 * The most UTF-16 units of keys in a chunk: each may take three bytes. The limit also keeps joined strings below
 * 100 KB, beyond which V8 allocates large objects and is several times slower.
 */
export const CHUNK_UNITS: number = CHUNK_BYTES / 3;

/**
 * The bytes after keys and bodies. The kernel reads up to 32 bytes too far; with 64, the next block also starts on its
 * own cache line.
 */
export const PADDING = 64;

const ENDS: number = CHUNK_BYTES + PADDING;
/**
 * The number of ends that the search for lines may write past its limit: up to 32 for the last 32 bytes, and two more.
 */
export const ENDS_TOO_MANY = 34;
const HASHES: number = ENDS + 4 * CHUNK_KEYS + Math.ceil((4 * ENDS_TOO_MANY) / 64) * 64;
/**
 * Not a multiple of 4 KiB after the hashes: the processor would take the load of a hash for one of the flag that was just
 * stored. The hash of a key that comes in parts may take 16 bytes more while it is computed.
 */
const FLAGS: number = HASHES + HASH_BYTES * CHUNK_KEYS + 64;
export const SCRATCH_BYTES: number = FLAGS + CHUNK_KEYS + PADDING;

/**
 * The buffers for one chunk of a batch, in an instance's memory: keys, the end of each key, hashes and flags. Nothing
 * in it outlives a chunk, and no user code runs while it is in use.
 */
export class Scratch {
  readonly #memory: Memory;
  /** Pointer to the bytes of the keys, or to integer keys. */
  readonly keys: number;
  /** Pointer to the end of each key: a u32 offset from `keys`. */
  readonly ends: number;
  /** Pointer to the hashes, 16 bytes each. */
  readonly hashes: number;
  /** Pointer to the flags, one byte each. */
  readonly flags: number;

  // Views at these pointers, valid until the memory grows.

  keyBytes!: Uint8Array<ArrayBuffer>;
  /** The bytes of the keys, and the padding after them. */
  keyView!: DataView<ArrayBuffer>;
  keyWords!: Uint32Array<ArrayBuffer>;
  keyBigInts!: BigUint64Array<ArrayBuffer>;
  endValues!: Uint32Array<ArrayBuffer>;
  flagBytes!: Uint8Array<ArrayBuffer>;

  constructor(memory: Memory, pointer: number) {
    this.#memory = memory;
    this.keys = pointer;
    this.ends = pointer + ENDS;
    this.hashes = pointer + HASHES;
    this.flags = pointer + FLAGS;
    this.refresh();
  }

  /** Renews the views. After growth, the old ones are empty (WebAssembly) or stale (plain JavaScript). */
  refresh(): void {
    const { buffer } = this.#memory;
    if (this.keyBytes?.buffer === buffer) return;
    this.keyBytes = new Uint8Array(buffer, this.keys, CHUNK_BYTES);
    this.keyView = new DataView(buffer, this.keys, CHUNK_BYTES + PADDING);
    this.keyWords = new Uint32Array(buffer, this.keys, CHUNK_BYTES / 4);
    this.keyBigInts = new BigUint64Array(buffer, this.keys, CHUNK_BYTES / 8);
    this.endValues = new Uint32Array(buffer, this.ends, CHUNK_KEYS);
    this.flagBytes = new Uint8Array(buffer, this.flags, CHUNK_KEYS);
  }
}

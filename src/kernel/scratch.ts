import type { Memory } from './kernel.ts';

/** The most keys that are hashed in one go. */
export const CHUNK_KEYS = 4096;
/** The most bytes of keys that are hashed in one go. */
export const CHUNK_BYTES: number = 96 * 1024;
/**
 * The most UTF-16 units of strings that are encoded in one go: each may take three bytes. It also keeps the
 * joined string below 100 KB, past which V8 allocates it as a large object and is several times slower.
 */
export const CHUNK_UNITS: number = CHUNK_BYTES / 3;

/** The kernel reads up to 32 bytes past keys and bodies; and 64 keeps all that follows on its own cache line. */
export const PADDING = 64;

const ENDS: number = CHUNK_BYTES + PADDING;
/** The search for lines writes so many ends too many: of the 32 that 32 bytes may have, and up to two more. */
export const ENDS_TOO_MANY = 34;
const HASHES: number = ENDS + 4 * CHUNK_KEYS + Math.ceil((4 * ENDS_TOO_MANY) / 64) * 64;
const FLAGS: number = HASHES + 16 * CHUNK_KEYS;
export const SCRATCH_BYTES: number = FLAGS + CHUNK_KEYS + PADDING;

/**
 * The part of an instance's memory through which every batch passes: a chunk of keys, where each of them ends,
 * their hashes, their flags. Nothing in it outlives a step, and no code of the user runs during one.
 */
export class Scratch {
  readonly #memory: Memory;
  /** Where the bytes of keys, or integers, lie. */
  readonly keys: number;
  /** Where each key's end lies: u32, counted from `keys`. */
  readonly ends: number;
  /** Where the hashes lie: 16 bytes each. */
  readonly hashes: number;
  /** Where the flags lie: one byte each. */
  readonly flags: number;

  /** Views of the same places. */
  keyBytes!: Uint8Array<ArrayBuffer>;
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

  /** Takes the views anew. After growth the old ones are empty (WebAssembly) or, worse, stale (JavaScript). */
  refresh(): void {
    const { buffer } = this.#memory;
    if (this.keyBytes?.buffer === buffer) return;
    this.keyBytes = new Uint8Array(buffer, this.keys, CHUNK_BYTES);
    this.keyWords = new Uint32Array(buffer, this.keys, CHUNK_BYTES / 4);
    this.keyBigInts = new BigUint64Array(buffer, this.keys, CHUNK_BYTES / 8);
    this.endValues = new Uint32Array(buffer, this.ends, CHUNK_KEYS);
    this.flagBytes = new Uint8Array(buffer, this.flags, CHUNK_KEYS);
  }
}

// Keys become hashes. The blocked kind uses only the first 64 bits of a key's 128-bit hash: the low word for the bits,
// the high word for the block. They are copied out of the kernel's memory before anything is awaited.

import { forEachChunk } from '../filters/batch.ts';
import { wasmElse } from '../kernel/engine-wasm.ts';
import type { Instance } from '../kernel/instance.ts';
import type { Engine, Region } from '../kernel/region.ts';
import { sourceOf } from '../keys/collections.ts';
import { hashLongString } from '../keys/encode.ts';
import type { Source } from '../keys/source.ts';

/** A part of the keys of a call ends after this many. */
const PART_KEYS = 32768;

/** The engine of all filters in Redis without a secret. */
export const engine: Engine = /* @__PURE__ */ wasmElse('bloomery/redis cannot run without it');

const regions = /* @__PURE__ */ new WeakMap<Engine, Region>();

/** The memory that hashes the keys of all filters of an engine. */
function hashingRegion(hashing: Engine): Region {
  const region = regions.get(hashing) ?? hashing.reserve(1);
  regions.set(hashing, region);
  return region;
}

/** A hash of a text, under no secret: 16 hexadecimal digits. */
export function digestOf(text: string): string {
  const { instance } = hashingRegion(engine);
  hashLongString(text, instance, 0);
  const view = new DataView(instance.memory.buffer, instance.scratch.hashes);
  return view.getBigUint64(0, true).toString(16).padStart(16, '0');
}

/** A list of hashes, two words each. */
class HashList {
  #words = new Uint32Array(0);
  #length = 0;

  /** Copies the first `count` hashes in the scratch. */
  push({ memory, scratch }: Instance, count: number): void {
    const from = new Uint32Array(memory.buffer, scratch.hashes, 4 * count);
    const length = this.#length + 2 * count;
    if (length > this.#words.length) {
      const words = new Uint32Array(this.#length ? Math.max(length, 2 * this.#words.length) : length);
      words.set(this.#words.subarray(0, this.#length));
      this.#words = words;
    }
    for (let i = 0, at = this.#length; at < length; i += 4) {
      this.#words[at++] = from[i] ?? 0;
      this.#words[at++] = from[i + 1] ?? 0;
    }
    this.#length = length;
  }

  get isFull(): boolean {
    return this.#length >= 2 * PART_KEYS;
  }

  /** Empties the list. The next hashes overwrite what it yields. */
  *take(): Generator<Uint32Array, void, undefined> {
    const length = this.#length;
    this.#length = 0;
    if (length > 0) yield this.#words.subarray(0, length);
  }
}

/** A chunk of keys whose flags are not known yet. */
interface HeldChunk {
  readonly count: number;
  /** A copy of the source's public fields. */
  readonly position: object;
  /** Copies of the keys and their ends in the scratch, which lines and columns need. */
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** How the keys of a filter are hashed. */
export interface Hash {
  readonly engine: Engine;
  readonly seed: number;
}

/** Reads the keys of one call and hashes each of them once, some ten thousand at a time. */
export class KeyReader {
  readonly source: Source;
  readonly #region: Region;
  readonly #seed: number;
  readonly #hashes = new HashList();
  /** The chunks of the last part; undefined if no keys are to be kept. */
  readonly #held: HeldChunk[] | undefined;

  /** @param holds whether `keep` is called after each part */
  constructor(keys: unknown, hash: Hash, holds = false) {
    this.source = sourceOf(keys);
    this.#region = hashingRegion(hash.engine);
    this.#seed = hash.seed;
    if (holds) this.#held = [];
  }

  /** Yields the hashes of the next keys. They are valid until the next ones are asked for. */
  *parts(): Generator<Uint32Array, void, undefined> {
    const { source } = this;
    const hashes = this.#hashes;
    const target = { region: this.#region, seed: this.#seed };
    const part = {
      collect: () => !hashes.isFull && source.collect(),
      hash: (instance: Instance, seed: number) => source.hash(instance, seed),
    };
    const take = (count: number): void => {
      const { instance } = target.region;
      hashes.push(instance, count);
      this.#held?.push(this.#hold(instance, count));
    };
    try {
      for (let isMore = true; isMore; ) {
        try {
          forEachChunk(target, part, take);
        } catch (error) {
          // One of the keys is invalid: those before it are sent.
          yield* hashes.take();
          throw error;
        }
        isMore = hashes.isFull;
        yield* hashes.take();
      }
    } finally {
      source.close?.();
    }
  }

  #hold({ scratch }: Instance, count: number): HeldChunk {
    const { source } = this;
    return {
      count,
      position: { ...source },
      // For lines and columns, this is the number of bytes.
      bytes: scratch.keyBytes.slice(0, source.to - source.from),
      ends: scratch.endValues.slice(0, count),
    };
  }

  /** Keeps those keys of the last part whose flag is `wanted`. */
  keep(flags: Uint8Array, wanted: 0 | 1): void {
    const { instance } = this.#region;
    const { scratch } = instance;
    let at = 0;
    for (const { count, position, bytes, ends } of this.#held?.splice(0) ?? []) {
      Object.assign(this.source, position);
      scratch.keyBytes.set(bytes);
      scratch.endValues.set(ends);
      scratch.flagBytes.set(flags.subarray(at, at + count));
      this.source.keep(instance, wanted);
      at += count;
    }
  }
}

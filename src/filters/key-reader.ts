// The keys of calls whose answers are awaited, from Redis or from a file that is read in part. Hashes and chunks are
// copied out of the kernel's memory before anything is awaited.

import type { Instance } from '../kernel/instance.ts';
import type { Region } from '../kernel/region.ts';
import { sourceOf } from '../keys/collections.ts';
import type { Source } from '../keys/source.ts';
import { forEachChunk } from './batch.ts';

/** A part of the keys of a call ends after this many. */
const PART_KEYS = 32768;
/** The words of a hash in the scratch. */
const SCRATCH_WORDS = 4;

/** A list of hashes: the first words of each. */
class HashList {
  readonly #width: number;
  #words = new Uint32Array(0);
  #length = 0;

  /** @param width how many words of a hash are kept */
  constructor(width: number) {
    this.#width = width;
  }

  /** Copies the first `count` hashes in the scratch. */
  push({ memory, scratch }: Instance, count: number): void {
    const width = this.#width;
    const from = new Uint32Array(memory.buffer, scratch.hashes, SCRATCH_WORDS * count);
    const length = this.#length + width * count;
    if (length > this.#words.length) {
      const words = new Uint32Array(this.#length ? Math.max(length, 2 * this.#words.length) : length);
      words.set(this.#words.subarray(0, this.#length));
      this.#words = words;
    }
    for (let i = 0, at = this.#length; at < length; i += SCRATCH_WORDS) {
      for (let word = i; word < i + width; word++) this.#words[at++] = from[word] ?? 0;
    }
    this.#length = length;
  }

  get isFull(): boolean {
    return this.#length >= this.#width * PART_KEYS;
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

/** What hashes the keys. */
export interface KeyTarget {
  /** The memory in whose scratch keys are hashed. */
  readonly region: Region;
  readonly seed: number;
}

/** Reads the keys of one call and hashes each of them once, some ten thousand at a time. */
export class KeyReader {
  readonly source: Source;
  readonly #target: KeyTarget;
  readonly #hashes: HashList;
  /** The chunks of the last part; undefined if no keys are to be kept. */
  readonly #held: HeldChunk[] | undefined;

  /**
   * @param width how many of the four words of a hash `parts` yields: two for h1, four for all
   * @param holds whether `keep` is called after each part
   */
  constructor(keys: unknown, target: KeyTarget, width: 2 | 4, holds = false) {
    this.source = sourceOf(keys);
    this.#target = target;
    this.#hashes = new HashList(width);
    if (holds) this.#held = [];
  }

  /** Yields the hashes of the next keys. They are valid until the next ones are asked for. */
  *parts(): Generator<Uint32Array, void, undefined> {
    const { source } = this;
    const hashes = this.#hashes;
    const target = this.#target;
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
          // One of the keys is invalid: those before it are asked for.
          yield* hashes.take();
          throw error;
        }
        isMore = hashes.isFull;
        yield* hashes.take();
      }
    } catch (error) {
      // This error counts, not one of closing, as in a loop `for … of`.
      try {
        source.close?.();
      } catch {}
      throw error;
    } finally {
      // Also where nobody asks for the rest. What is closed is not closed again.
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
    const { instance } = this.#target.region;
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

// The methods that take many keys: they hash a chunk at a time, then probe it.

import type { Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { requireBytes } from '../keys/key.ts';
import { type Keys, type Picked, sourceOf } from '../keys/many.ts';
import type { Source } from '../keys/source.ts';
import { mustBe } from '../validate.ts';

/**
 * One operation of a kind on the first `count` hashes in the scratch, before which came those of `before` keys. If it
 * throws, because a key cannot be added, its flags are read even so: those of the keys that it took, and 0 for others.
 */
type Step = (count: number, before: number) => unknown;

/** A kind's steps by name, and what they need. */
export type Probe<Verbs extends string> = {
  readonly region: Region;
  readonly seed: number;
  /** Runs before the first key is read, and may run user code. */
  begin?(): void;
} & { readonly [Verb in Verbs]: Step };

/** The only loop over keys. `each` runs after each chunk, while the chunk's flags are in the scratch. */
function probeAll<V extends string>(
  probe: Probe<V>,
  verb: V,
  source: Source,
  each?: (instance: Instance, count: number) => void,
): void {
  const { region, seed } = probe;
  // Throws if the filter was disposed of, before the source runs any user code.
  let { instance } = region;
  let before = 0;
  try {
    probe.begin?.();
    while (source.collect()) {
      // Read it again: `collect` runs user code, which may dispose of the filter.
      instance = region.instance;
      const count = source.hash(instance, seed);
      try {
        probe[verb](count, before);
      } finally {
        each?.(instance, count);
      }
      before += count;
    }
  } finally {
    source.close();
  }
}

/** What holds flags: an instance, in its scratch. */
interface Flagged {
  readonly scratch: Pick<Instance['scratch'], 'flagBytes'>;
}

/** Collects the flags of many keys in order: in `out` if it is given, else in an array that grows. */
export class Flags<B extends ArrayBufferLike> {
  readonly #out: Uint8Array<B> | undefined;
  #bytes: Uint8Array<ArrayBufferLike>;
  #length = 0;

  constructor(source: Source, out: Uint8Array<B> | undefined) {
    this.#out = out;
    this.#bytes = new Uint8Array(0);
    if (out === undefined) return;
    this.#bytes = requireBytes('out', out);
    if (source.count === undefined) {
      throw new TypeError(mustBe('out', 'left out, for the number of keys is unknown', out));
    }
  }

  /** Throws unless there is room for `length` flags. */
  require(length: number): void {
    if (this.#bytes.length >= length) return;
    throw new RangeError(`out must hold ${length} flags or more, got ${this.#bytes.length} bytes`);
  }

  /** Appends the first `count` flags in the scratch. */
  readonly push = ({ scratch }: Flagged, count: number): void => {
    const flags = scratch.flagBytes.subarray(0, count);
    const length = this.#length + count;
    if (this.#out) {
      this.require(length);
    } else if (length > this.#bytes.length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(flags, this.#length);
    this.#length = length;
  };

  take(): Uint8Array<B> {
    return (this.#out?.subarray(0, this.#length) ?? this.#bytes.slice(0, this.#length)) as Uint8Array<B>;
  }
}

/** Adds or removes many keys. `flagged` does the same as `plain` and also writes flags, which only `out` needs. */
export function changeAll<V extends string>(
  probe: Probe<V>,
  plain: V,
  flagged: V,
  keys: unknown,
  out?: Uint8Array,
): void {
  const source = sourceOf(keys);
  if (out === undefined) {
    probeAll(probe, plain, source);
    return;
  }
  const flags = new Flags(source, out);
  // Check `out` before adding. A failed lookup changes nothing, so `hasAll` checks as it goes and never counts lines.
  flags.require(source.count?.() ?? 0);
  probeAll(probe, flagged, source, flags.push);
}

export function hasAll<B extends ArrayBufferLike>(
  probe: Probe<'has'>,
  keys: unknown,
  out?: Uint8Array<B>,
): Uint8Array<B> {
  const source = sourceOf(keys);
  const flags = new Flags(source, out);
  probeAll(probe, 'has', source, flags.push);
  return flags.take();
}

/** Returns the keys whose flag is `wanted`. */
export function select<V extends string, K extends Keys>(probe: Probe<V>, verb: V, keys: K, wanted: 0 | 1): Picked<K> {
  const source = sourceOf(keys);
  probeAll(probe, verb, source, (instance) => source.keep(instance, wanted));
  return source.kept() as Picked<K>;
}

// The methods that take many keys: they hash a chunk at a time, then probe it.

import type { Instance } from '../kernel/instance.ts';
import type { Region } from '../kernel/region.ts';
import type { Scratch } from '../kernel/scratch.ts';
import { type Picked, sourceOf } from '../keys/collections.ts';
import { ListSource, readAhead } from '../keys/iterables.ts';
import type { Key } from '../keys/key.ts';
import { hashEach } from '../keys/runs.ts';
import type { Source } from '../keys/source.ts';
import { flagsFor, type Results } from './results.ts';

/**
 * Runs one operation of a kind on the first `count` hashes in the scratch; `before` keys came in earlier chunks. If it
 * throws because a key cannot be added, the flags in the scratch are still valid: 0 for that key and all after it.
 */
type Step<T> = (this: T, count: number, before: number) => unknown;

/** Up to so many keys of an array are read without a source, which would take longer to make than to use. */
export const FEW = 20;

/** A filter, or anything else that takes hashes. */
interface Target {
  /** The memory in whose scratch keys are hashed. */
  readonly region: Region;
  readonly seed: number;
  /** Runs before the first key is read, and may run user code. */
  begin?(): void;
  /** Reads keys by rules of its own, such as those of another system. Without it, `sourceOf` of collections.ts does. */
  sourceOf?(keys: unknown): Source;
}

function sourceFor(target: Target, keys: unknown): Source {
  return target.sourceOf?.(keys) ?? sourceOf(keys);
}

/** What looks up hashes: the cells of a filter, or of a view of filters. */
export interface Lookup extends Target {
  /** Flags with 1 those of the first `count` hashes in the scratch that may be present. */
  has(count: number): unknown;
}

/** The only loop over keys. `each` runs after each chunk, while the chunk's flags are in the scratch. */
export function forEachChunk<T extends Target>(
  target: T,
  source: Pick<Source, 'collect' | 'hash' | 'close'>,
  step: Step<T>,
  each?: (instance: Instance, count: number) => void,
): void {
  const { region, seed } = target;
  // Throws if the filter was disposed of, before the source runs any user code.
  let { instance } = region;
  let before = 0;
  try {
    target.begin?.();
    while (source.collect()) {
      // Read it again: `collect` runs user code, which may dispose of the filter.
      instance = region.instance;
      const count = source.hash(instance, seed);
      try {
        step.call(target, count, before);
      } finally {
        each?.(instance, count);
      }
      before += count;
    }
  } finally {
    source.close?.();
  }
}

/** Few keys, whose flags are in the scratch if the step writes any. */
interface FewKeys {
  readonly few: readonly Key[];
  readonly scratch: Scratch;
}

/** Does with few keys what `forEachChunk` does with many. Returns the source of all other keys: nothing is done yet. */
function doFew<T extends Target>(target: T, keys: unknown, step: Step<T>): FewKeys | Source {
  const { region, seed } = target;
  // Throws if the filter was disposed of, before any user code runs.
  void region.instance;
  if (target.begin || target.sourceOf || !Array.isArray(keys) || !(keys.length <= FEW)) return sourceFor(target, keys);
  const ahead = readAhead(keys, 0, FEW);
  const { keys: few, count } = ahead;
  // Where a key is wrong, or user code has changed the array meanwhile, there is more to do.
  if (count === 0 || count < few.length || count < keys.length) return new ListSource(keys, ahead);
  const { instance } = region;
  try {
    hashEach(few, 0, count, instance, seed);
  } catch {
    // A getter took the memory of an array of bytes away after it was read.
    return new ListSource(keys, ahead);
  }
  step.call(target, count, 0);
  return { few, scratch: instance.scratch };
}

/** Runs a step that writes flags, and collects them. */
function flagAll<T extends Target>(
  target: T,
  source: Source,
  step: Step<T>,
  flags: Results<Uint8Array<ArrayBufferLike>>,
): void {
  forEachChunk(target, source, step, ({ scratch }, count) => flags.push(scratch.flagBytes.subarray(0, count)));
}

/** Adds or removes many keys. If `out` is given, `step` must write flags. */
export function changeAll<T extends Target>(target: T, keys: unknown, step: Step<T>, out?: Uint8Array): void {
  if (out === undefined) {
    const source = doFew(target, keys, step);
    if (!('few' in source)) forEachChunk(target, source, step);
    return;
  }
  const source = sourceFor(target, keys);
  const flags = flagsFor(source, out);
  // Check `out` before adding. `hasAll` does not: a failed lookup changes nothing, so it checks as it goes, and lines
  // need not be counted.
  flags.require(source.count?.() ?? 0);
  flagAll(target, source, step, flags);
}

/** Looks up many keys, and returns their flags. */
export function hasAll<B extends ArrayBufferLike>(target: Lookup, keys: unknown, out?: Uint8Array<B>): Uint8Array<B> {
  const source = out === undefined ? doFew(target, keys, target.has) : sourceFor(target, keys);
  if ('few' in source) return source.scratch.flagBytes.slice(0, source.few.length) as Uint8Array<B>;
  const flags = flagsFor(source, out);
  flagAll(target, source, target.has, flags);
  return flags.take();
}

/** Returns the keys whose flag is `wanted`. */
export function select<T extends Target, K>(target: T, keys: K, step: Step<T>, wanted: 0 | 1): Picked<K> {
  const source = doFew(target, keys, step);
  if ('few' in source) return source.few.filter((_, i) => source.scratch.flagBytes[i] === wanted) as Picked<K>;
  forEachChunk(target, source, step, (instance) => source.keep(instance, wanted));
  return source.kept() as Picked<K>;
}

// The methods that take many keys: they hash a chunk at a time, then probe it. Few keys are single calls.

import type { Instance } from '../kernel/instance.ts';
import type { Region } from '../kernel/region.ts';
import { type Picked, sourceOf } from '../keys/collections.ts';
import { ListSource } from '../keys/iterables.ts';
import { isBytes, type Key, requireKey } from '../keys/key.ts';
import { LONG } from '../keys/runs.ts';
import type { Source } from '../keys/source.ts';
import { lengthOf } from '../util/checks/typed-arrays.ts';
import { flagsFor, partOf, type Results } from './results.ts';

/**
 * Runs one operation of a kind on the first `count` hashes in the scratch; `before` keys came in earlier chunks. If it
 * throws because a key cannot be added, the flags in the scratch are still valid: 0 for that key and all after it.
 */
type Step<T> = (this: T, count: number, before: number) => unknown;

/** What cells do with a single key. If it throws, the key is as it was. */
type SingleCalls = Readonly<Record<'addKey' | 'addAbsentKey' | 'hasKey' | 'removeKey', (key: Key) => boolean>>;
type Single = keyof SingleCalls;

/** Up to so many keys of an array are taken one by one: a chunk would take longer to prepare. */
export const FEW = 128;
/** As FEW, of keys that take less time in a chunk than others. */
export const FEW_QUICK = 32;
/** From how many bytes on a filter is taken to be larger than the cache of a core. */
const LARGE = 2 ** 20;
/** As FEW, for a larger filter: in a chunk, the waits for its memory overlap. */
export const FEW_IF_LARGE = 4;

/** A filter, or anything else that takes hashes. */
interface Target {
  /** The memory in whose scratch keys are hashed. */
  readonly region: Region;
  readonly seed: number;
  /** The memory of the cells, in bytes. If it is unknown, they count as small. */
  readonly byteLength?: number;
  /**
   * Up to so many keys are taken one by one, if not FEW: fewer where single calls take longer. None by default if there is
   * `begin`, which must run once for all keys of a batch. 0 if there is `sourceOf`, because `doFew` leaves keys to a source
   * without such rules.
   */
  readonly few?: number;
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

/** The only loop over chunks. `each` runs after each chunk, while the chunk's flags are in the scratch. */
export function forEachChunk<T extends Target>(
  target: T,
  source: Pick<Source, 'collect' | 'hash' | 'close' | 'done'>,
  step: Step<T>,
  each?: (instance: Instance, count: number) => void,
): void {
  const { region, seed } = target;
  // Throws if the filter was disposed of, before the source runs any user code.
  void region.instance;
  let before = source.done ?? 0;
  try {
    target.begin?.();
    while (source.collect()) {
      // Read it again: `collect` runs user code, which may dispose of the filter.
      const { instance } = region;
      const count = source.hash(instance, seed);
      // The next value is no key: `collect` throws.
      if (count === 0) continue;
      try {
        step.call(target, count, before);
      } finally {
        each?.(instance, count);
      }
      before += count;
    }
  } catch (error) {
    // This error counts, not one of closing, as in a loop `for … of`.
    try {
      source.close?.();
    } catch {}
    throw error;
  }
  source.close?.();
}

/** Whether `out` has room for the flags of one key or more. For none, one that has lost its memory would do, too. */
function hasRoom(out: Uint8Array, count: number): boolean {
  return count > 0 && isBytes(out) && lengthOf(out) >= count;
}

/** Whether keys are taken one by one. Where `out` cannot take their flags, they are not: `Results` says why. */
function isFew(target: Target, keys: unknown, out?: Uint8Array): keys is readonly unknown[] {
  // Throws if the filter was disposed of, before any user code runs.
  void target.region.instance;
  const few = target.few ?? (target.begin ? 0 : FEW);
  if (!few || !Array.isArray(keys)) return false;
  const { length } = keys;
  if (length > few || (length > FEW_IF_LARGE && (target.byteLength as number) > LARGE)) return false;
  return out === undefined || hasRoom(out, length);
}

/**
 * Whether so few keys take less time in a chunk, by the second key and the type of the first. Mixed keys do not. Numbers
 * do, because they need no encoding, and so do strings that are joined at a gain: neither short nor long, and beginning
 * with ASCII.
 */
function areQuick(firstType: string, key: Key): boolean {
  return (
    typeof key === firstType &&
    (typeof key === 'number' ||
      (typeof key === 'string' && key.length > 12 && key.length <= LONG && key.charCodeAt(0) < 0x80))
  );
}

// V8 inlines all functions from `hasMany` to the kernel into the function that calls `hasMany`, if they have at most 920
// bytes of bytecode together (--max-inlined-bytecode-size-cumulative). To pass a number to a function that is not inlined,
// V8 makes an object of it, unless it is a small integer: then five integers take 1.3 times as long. So the functions that
// few keys pass through are short, and what happens seldom is in others.

/**
 * Calls a method for single keys. V8 inlines those that are named here. Without that, integers took 1.5 times as long
 * where batches had several lengths.
 */
function callSingle(cells: SingleCalls, single: Single, key: Key): boolean {
  if (single === 'hasKey') return cells.hasKey(key);
  if (single === 'addKey') return cells.addKey(key);
  return cells[single](key);
}

/**
 * Gives few keys to a method for single keys. Writes what it returns to `flags`, or keeps the keys for which that is
 * `wanted`. Returns undefined when all are done, or a source of those that are left: from the second on if they are
 * quicker in a chunk, or from the key on that a single call refused, so that `forEachChunk` throws an error that has its
 * position.
 */
function doFew<T extends Target>(
  target: T,
  keys: readonly unknown[],
  single: Single,
  flags?: Uint8Array,
  kept?: Key[],
  wanted?: number,
): Source | undefined {
  let typeBefore = '';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Key;
    let flag = -1;
    if (i !== 1 || keys.length <= FEW_QUICK || !areQuick(typeBefore, key)) {
      try {
        flag = Number(callSingle(target as T & SingleCalls, single, key));
      } catch {}
    }
    if (flag < 0) {
      requireKey(key, i);
      return new ListSource(keys, i, key, kept);
    }
    typeBefore = typeof key;
    if (flags) flags[i] = flag;
    else if (flag === wanted) (kept as Key[]).push(key);
  }
  return undefined;
}

/** Runs a step. If it writes flags, collects them. */
function flagAll<T extends Target>(
  target: T,
  source: Source,
  step: Step<T>,
  flags: Results<Uint8Array<ArrayBufferLike>> | undefined,
): void {
  const collect =
    flags && (({ scratch }: Instance, count: number): void => flags.push(scratch.flagBytes.subarray(0, count)));
  forEachChunk(target, source, step, collect);
}

/** Adds or removes many keys. If `out` is given, `step` must write flags. */
export function changeAll<T extends Target>(
  target: T,
  keys: unknown,
  step: Step<T>,
  out?: Uint8Array,
  single?: Single,
): void {
  const isShort = single && isFew(target, keys, out);
  let source = isShort ? doFew(target, keys, single, out) : sourceFor(target, keys);
  if (!source) {
    // User code may have made the array longer meanwhile, or `out` shorter: then `Results` throws.
    if (out === undefined || lengthOf(out) >= (keys as readonly unknown[]).length) return;
    source = sourceFor(target, keys);
  }
  const flags = out === undefined ? undefined : flagsFor(source, out);
  // Check `out` before adding. `hasAll` does not: a failed lookup changes nothing, so it checks as it goes, and lines
  // need not be counted.
  flags?.require(source.count?.() ?? 0);
  flagAll(target, source, step, flags);
}

/** Looks up the keys of a source, and returns their flags, after those in `done`. */
function hasEach<B extends ArrayBufferLike>(
  target: Lookup,
  source: Source,
  out?: Uint8Array<B>,
  done?: Uint8Array<B>,
): Uint8Array<B> {
  const flags = flagsFor(source, out, done);
  flagAll(target, source, target.has, flags);
  return flags.take();
}

/** Looks up many keys, and returns their flags. */
export function hasAll<B extends ArrayBufferLike>(target: Lookup, keys: unknown, out?: Uint8Array<B>): Uint8Array<B> {
  let source: Source | undefined;
  let few: Uint8Array<B> | undefined;
  if (isFew(target, keys, out)) {
    few = out ?? (new Uint8Array(keys.length) as Uint8Array<B>);
    source = doFew(target, keys, 'hasKey', few);
    const { length } = keys;
    if (!source && out === undefined && few.length === length) return few;
    // User code may have made the array longer meanwhile, or `out` shorter: then all keys are looked up again.
    if (!source && lengthOf(few) >= length) return partOf(few, length);
  }
  return hasEach(target, source ?? sourceFor(target, keys), out, few);
}

/** Returns the keys whose flag is `wanted`. */
export function select<T extends Target, K>(
  target: T,
  keys: K,
  step: Step<T>,
  wanted: 0 | 1,
  single?: Single,
): Picked<K> {
  const few: Key[] = [];
  const isShort = single && isFew(target, keys);
  const source = isShort ? doFew(target, keys, single, undefined, few, wanted) : sourceFor(target, keys);
  if (!source) return few as Picked<K>;
  forEachChunk(target, source, step, (instance) => source.keep(instance, wanted));
  return source.kept() as Picked<K>;
}

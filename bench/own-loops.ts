// Loops of single calls, for benchmarks that compare classes of filters.

/** What single calls need of a filter. */
interface SingleCalls {
  add(key: string): boolean;
  has(key: string): boolean;
}

type Loop = (filter: SingleCalls, keys: readonly string[]) => number;

/** The loops of one class. */
export interface OwnLoops {
  /** Adds one by one. Returns how many were certainly absent. */
  readonly addEach: Loop;
  /** Looks up one by one. Returns how many were found. */
  readonly hasEach: Loop;
}

function addEach(filter: SingleCalls, keys: readonly string[]): number {
  let added = 0;
  for (let i = 0; i < keys.length; i++) if (filter.add(keys[i] as string)) added++;
  return added;
}

function hasEach(filter: SingleCalls, keys: readonly string[]): number {
  let found = 0;
  for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as string)) found++;
  return found;
}

function copyOf(loop: Loop, label: string): Loop {
  return new Function(`return ${loop}; // ${label}`)();
}

/**
 * Copies of the loops for one class. In a shared loop V8 would see all classes, and inline none.
 *
 * @param label must differ from class to class: functions made of equal texts share what V8 has seen
 */
export function ownLoops(label: string): OwnLoops {
  return { addEach: copyOf(addEach, label), hasEach: copyOf(hasEach, label) };
}

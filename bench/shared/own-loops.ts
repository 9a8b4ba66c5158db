// Loops of single calls, for benchmarks that compare classes of filters.

/** The loops of one class: `K` is a key, `F` a filter. */
export interface OwnLoops<K = string, F = SingleCalls<K>> {
  /** Adds keys one by one. Returns how many were certainly absent, if `add` tells. */
  addEach(filter: F, keys: ArrayLike<K>): number;
  /** Looks up keys one by one. Returns how many were found. */
  hasEach(filter: F, keys: ArrayLike<K>): number;
}

interface SingleCalls<K> {
  add(key: K): unknown;
  has(key: K): boolean;
}

/**
 * Calls a method for each key, and returns how often it returned true. The filter is a variable around the loop: where
 * it is a parameter, some loops take 5 % longer.
 */
function loopOf<F, K>(method: string, label: string): (filter: F, keys: ArrayLike<K>) => number {
  const body = `
    return (keys) => {
      let count = 0;
      for (let i = 0; i < keys.length; i++) if (filter.${method}(keys[i])) count++;
      return count;
    };
    // ${label}`;
  const around = new Function('filter', body) as (filter: F) => (keys: ArrayLike<K>) => number;
  return (filter, keys) => around(filter)(keys);
}

/**
 * Compiles loops for one class from their text. In a loop that classes share, V8 would see all of them, and inline
 * nothing.
 *
 * @param label must differ from class to class, because functions with equal texts share V8's type feedback
 * @param has the class's name for its method `has`
 */
export function ownLoops<K = string, F = SingleCalls<K>>(
  label: string,
  has: keyof F & string = 'has' as keyof F & string,
): OwnLoops<K, F> {
  return { addEach: loopOf('add', label), hasEach: loopOf(has, label) };
}

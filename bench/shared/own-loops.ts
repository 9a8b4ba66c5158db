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
 * Runs a statement for each `key`, and returns how many it has found, by `found++`, or kept, by `kept.push(key)`. The
 * filter is a variable around the loop: where it is a parameter, some loops take 5 % longer. So is `out`.
 */
export function loopOf<F, K>(
  statement: string,
  label: string,
  out?: Uint8Array,
): (filter: F, keys: ArrayLike<K>) => number {
  const body = `
    return (keys) => {
      const kept = [];
      let found = 0;
      for (let i = 0; i < keys.length; i++) { const key = keys[i]; ${statement}; }
      return found + kept.length;
    };
    // ${label}`;
  const around = new Function('filter', 'out', body) as (filter: F, out?: Uint8Array) => (keys: ArrayLike<K>) => number;
  return (filter, keys) => around(filter, out)(keys);
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
  const loop = (method: string) => loopOf<F, K>(`if (filter.${method}(key)) found++`, label);
  return { addEach: loop('add'), hasEach: loop(has) };
}

/** A filter of a class that may be any, with these keys. */
export function filterOf(Filter, keys, BloomFilter) {
  const options = { errorRate: 1e-4 };
  // A class without this method makes filters around others.
  if (!('from' in Filter)) return new Filter(BloomFilter.from(keys, options));
  if ('labelOf' in Filter.prototype) return Filter.from([[2, keys]], options);
  // A map has a value for each key.
  if ('getMany' in Filter.prototype) return Filter.from(keys, [...keys.keys()], options);
  // A set has no error rate to choose.
  return Filter.from(keys, 'difference' in Filter.prototype ? {} : options);
}

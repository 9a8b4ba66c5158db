import { BloomFilter } from 'bloomery';
import { same } from '../../checks/assert.ts';

/** Makes filters of this size that hold one key each. */
export function makeFilters(mib: number, count: number): BloomFilter[] {
  const filters: BloomFilter[] = [];
  // The header and the like take some of the size.
  const bits = Math.ceil((mib * 2 ** 20 - 1024) * 8);
  try {
    for (let i = 0; i < count; i++) {
      const filter = new BloomFilter({ bits, hashes: 7 });
      filter.add(`key ${i}`);
      filters.push(filter);
    }
  } catch (error) {
    throw new Error(`filter ${filters.length + 1} of ${count} was refused`, { cause: error });
  }
  return filters;
}

/** Whether each filter still has its own key, and not that of its neighbor. */
export function expectKeys(filters: readonly BloomFilter[]): void {
  const wrong = filters.findIndex((filter, i) => !filter.has(`key ${i}`) || filter.has(`key ${i + 1}`));
  same(wrong, -1, 'the first filter with other keys than were added');
}

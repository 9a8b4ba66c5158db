import { FilterFullError, type GrowingFilter, type Key } from '../../src/index.ts';

/** Adds a key. Returns whether there is no room for it. */
export function refuses(filter: GrowingFilter, key: Key): boolean {
  try {
    filter.add(key);
    return false;
  } catch (error) {
    if (error instanceof FilterFullError) return true;
    throw error;
  }
}

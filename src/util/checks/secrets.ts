import { mustBeSeed, SECRETS, showSeed } from './validate.ts';

/**
 * Throws a RangeError unless a filter was made under a secret, or under none.
 *
 * @param name what the filter is called in the error
 * @param only the seed that stands for the secret
 */
export function requireSameSecret(name: string, seed: number, only: number | undefined): void {
  if (only === undefined ? seed < SECRETS : seed === only) return;
  if (only !== undefined) throw new RangeError(mustBeSeed(`seed of ${name}`, only, seed));
  throw new RangeError(`${name} must be without a secret, got one under ${showSeed(seed)}: see keyed`);
}

import type { GuavaExports } from '../../../src/kernel/generated/guava/exports.ts';
import { BODY, chunk, inOnes, inZeros, oneKey, ROUNDS, type Scenario, type Stage } from './stage.ts';

/** A number of bits that fits the body, a number of hashes, and whether the strategy is MURMUR128_MITZ_32. */
type Filter = [bits: number, hashes: number, narrow: number];

/** A filter with so few hashes that keys are found. */
const filter = ({ random }: Stage): Filter => [64 * (1 + random(2 ** 13)), 1 + random(12), random(2)];

/** A filter with any number of hashes. */
const anyFilter = ({ random }: Stage): Filter => [64 * (1 + random(2 ** 13)), 1 + random(255), random(2)];

const SINGLE = 10 * ROUNDS;

export const scenarios: Record<keyof GuavaExports, Scenario<GuavaExports>> = {
  guava_add: inZeros((stage) => {
    const [hashes, count] = chunk(stage.random);
    stage.kernel.guava_add(BODY, ...anyFilter(stage), hashes, count);
  }),
  guava_add_flags: inZeros((stage) => stage.kernel.guava_add_flags(BODY, ...filter(stage), ...chunk(stage.random))),
  guava_has: inOnes(4, (stage) => stage.kernel.guava_has(BODY, ...filter(stage), ...chunk(stage.random))),
  guava_add_key: inZeros(
    (stage) => stage.kernel.guava_add_key(BODY, ...anyFilter(stage), ...oneKey(stage.random)),
    SINGLE,
  ),
  guava_has_key: inOnes(
    4,
    (stage) => stage.kernel.guava_has_key(BODY, ...filter(stage), ...oneKey(stage.random)),
    SINGLE,
  ),
};

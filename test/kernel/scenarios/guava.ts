import type { GuavaExports } from '../../../src/kernel/generated/guava/exports.ts';
import { BODY, chunk, inOnes, inZeros, oneKey, ROUNDS, repeat, type Scenario, type Stage } from './stage.ts';

/** A number of bits that fits the body, and a number of hashes. */
const size = ({ random }: Stage): [bits: number, hashes: number] => [64 * (1 + random(2 ** 13)), 1 + random(12)];

/** Also as many hashes as there can be. */
const anySize = (stage: Stage): [bits: number, hashes: number] => {
  const [bits, hashes] = size(stage);
  return [bits, stage.random(4) ? hashes : 255];
};

export const scenarios: Record<keyof GuavaExports, Scenario<GuavaExports>> = {
  guava_add: inZeros((stage) =>
    stage.kernel.guava_add(BODY, ...anySize(stage), stage.random(2), ...chunk(stage.random)),
  ),
  guava_has: inOnes(4, (stage) =>
    stage.kernel.guava_has(BODY, ...size(stage), stage.random(2), ...chunk(stage.random)),
  ),
  guava_add_key: inZeros(
    (stage) => stage.kernel.guava_add_key(BODY, ...anySize(stage), stage.random(2), ...oneKey(stage.random)),
    10 * ROUNDS,
  ),
  guava_has_key: repeat(
    (stage) => stage.kernel.guava_has_key(BODY, ...size(stage), stage.random(2), ...oneKey(stage.random)),
    10 * ROUNDS,
  ),
};

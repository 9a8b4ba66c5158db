import type { RotatingExports } from '../../../src/kernel/generated/rotating/exports.ts';
import { BODY, chunk, inOnes, inZeros, oneKey, ROUNDS, repeat, type Scenario, SEEDS, type Stage } from './stage.ts';

/** A random number of blocks and lanes whose body takes less than a stage has, and one of the lanes. */
function layoutOf({ random }: Stage): [blocks: number, lanes: number, lane: number] {
  const lanes = 2 + random(15);
  return [1 + random(120), lanes, random(lanes)];
}

/** A layout without the lane. */
const sizeOf = (stage: Stage): [blocks: number, lanes: number] => layoutOf(stage).slice(0, 2) as [number, number];

// Most bits are set where keys are looked up, so that some find all their bits in a lane.
export const scenarios: Record<keyof RotatingExports, Scenario<RotatingExports>> = {
  rotating_add: inZeros((stage) => {
    const { kernel, random } = stage;
    kernel.rotating_add(BODY, ...layoutOf(stage), random(random(2) ? 10 : 600), ...chunk(random));
  }),
  rotating_has: inOnes(3, (stage) => stage.kernel.rotating_has(BODY, ...sizeOf(stage), ...chunk(stage.random))),
  rotating_add_key: inZeros((stage) => {
    const { kernel, random } = stage;
    kernel.rotating_add_key(BODY, ...layoutOf(stage), random(2), ...oneKey(random), random(SEEDS));
  }, 10 * ROUNDS),
  rotating_has_key: inOnes(
    3,
    (stage) => stage.kernel.rotating_has_key(BODY, ...sizeOf(stage), ...oneKey(stage.random), stage.random(SEEDS)),
    10 * ROUNDS,
  ),
  rotating_clear: inOnes(3, (stage) => stage.kernel.rotating_clear(BODY, ...layoutOf(stage))),
  rotating_used: repeat((stage) => stage.kernel.rotating_used(BODY, ...layoutOf(stage))),
  rotating_error_rate: repeat((stage) => stage.kernel.rotating_error_rate(BODY, ...layoutOf(stage))),
};

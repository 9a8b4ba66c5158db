import type { RotatingExports } from '../../../src/kernel/generated/rotating/exports.ts';
import { BODY, FLAGS, HASHES, OTHER, oneKey, ROUNDS, type Scenario, SEEDS, type Stage } from './stage.ts';

/** A random number of blocks and lanes whose body takes less than a stage has, and one of the lanes. */
function layoutOf({ random }: Stage): [blocks: number, lanes: number, lane: number] {
  const lanes = 2 + random(15);
  return [1 + random(120), lanes, random(lanes)];
}

/** Most bits are set, so that some keys find all their bits in a lane. */
function fill({ bytes, random }: Stage): void {
  for (let at = BODY; at < OTHER; at++) bytes[at] = random(256) | random(256) | random(256);
}

export const scenarios: Record<keyof RotatingExports, Scenario<RotatingExports>> = {
  rotating_add(stage) {
    const { kernel, bytes, random } = stage;
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      const hashes = HASHES + 16 * random(500);
      kernel.rotating_add(BODY, ...layoutOf(stage), random(random(2) ? 10 : 600), hashes, random(500), FLAGS);
    }
  },
  rotating_has(stage) {
    const { kernel, random } = stage;
    fill(stage);
    for (let i = 0; i < ROUNDS; i++) {
      const [blocks, lanes] = layoutOf(stage);
      kernel.rotating_has(BODY, blocks, lanes, HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  rotating_add_key(stage) {
    const { kernel, bytes, random } = stage;
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.rotating_add_key(BODY, ...layoutOf(stage), random(2), ...oneKey(random), random(SEEDS));
    }
  },
  rotating_has_key(stage) {
    const { kernel, random } = stage;
    fill(stage);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      const [blocks, lanes] = layoutOf(stage);
      kernel.rotating_has_key(BODY, blocks, lanes, ...oneKey(random), random(SEEDS));
    }
  },
  rotating_clear(stage) {
    fill(stage);
    for (let i = 0; i < ROUNDS; i++) stage.kernel.rotating_clear(BODY, ...layoutOf(stage));
  },
  rotating_used(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.rotating_used(BODY, ...layoutOf(stage));
  },
  rotating_error_rate(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.rotating_error_rate(BODY, ...layoutOf(stage));
  },
};

import type { StableExports } from '../../../src/kernel/generated/stable/exports.ts';
import {
  BODY,
  chunk,
  inOnes,
  inZeros,
  multiple,
  oneKey,
  ROUNDS,
  repeat,
  type Scenario,
  SEEDS,
  type Stage,
} from './stage.ts';

/** A random size whose body takes less than a stage has: the numbers of cells, of bits as a logarithm, and of hashes. */
function sizeOf({ random }: Stage): [cells: number, width: number, k: number] {
  const width = random(4);
  return [1 + random(2 ** (1 + random(19 - width)) - 1), width, 1 + random(random(4) ? 8 : 255)];
}

/** A size, a length of the run, and a state. */
function stepOf(stage: Stage): [...ReturnType<typeof sizeOf>, run: number, low: number, high: number] {
  const { random } = stage;
  const [cells, width, k] = sizeOf(stage);
  return [cells, width, k, 1 + random(random(2) ? Math.min(100, cells) : cells), random(2 ** 32), random(2 ** 32)];
}

function add(stage: Stage<StableExports>): void {
  stage.kernel.stable_add(BODY, ...stepOf(stage), ...chunk(stage.random));
}

// Most bits are set where keys are looked up, so that some find no cell that is 0.
export const scenarios: Record<keyof StableExports, Scenario<StableExports>> = {
  stable_add(stage) {
    repeat<StableExports>(add)(stage);
    inZeros<StableExports>(add)(stage);
  },
  stable_has: inOnes(2, (stage) => stage.kernel.stable_has(BODY, ...sizeOf(stage), ...chunk(stage.random))),
  stable_add_key: inOnes(
    1,
    (stage) => {
      const { kernel, random } = stage;
      kernel.stable_add_key(BODY, ...stepOf(stage), ...oneKey(random), random(SEEDS));
    },
    4 * ROUNDS,
  ),
  stable_has_key: inOnes(
    2,
    (stage) => stage.kernel.stable_has_key(BODY, ...sizeOf(stage), ...oneKey(stage.random), stage.random(SEEDS)),
    10 * ROUNDS,
  ),
  stable_state: inZeros((stage) => {
    add(stage);
    stage.kernel.stable_state(0);
    stage.kernel.stable_state(1);
  }),
  stable_used: repeat((stage) => stage.kernel.stable_used(BODY, multiple(stage, 8, 65_536), stage.random(4))),
};

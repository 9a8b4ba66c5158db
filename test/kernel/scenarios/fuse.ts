import type { FuseExports } from '../../../src/kernel/generated/fuse/exports.ts';
import { BODY, FLAGS, HASHES, KEYS, OTHER, oneKey, ROUNDS, type Scenario, SEEDS, type Stage } from './stage.ts';

/** Random parameters of a filter whose body, or whose memory for building, takes less than a stage has. */
function layoutOf({ random }: Stage): [exponent: number, segments: number, attempt: number] {
  return [2 + random(5), 1 + random(10), random(64)];
}

/** Counts random keys, most often fewer than the cells can hold. */
function count({ kernel, bytes, random }: Stage<FuseExports>, exponent: number, segments: number, attempt: number) {
  const keys = random((segments + 1) * 2 ** exponent);
  bytes.fill(0, BODY, OTHER);
  kernel.fuse_count(BODY, exponent, segments, attempt, KEYS + 8 * random(1000), keys);
  return keys;
}

export const scenarios: Record<keyof FuseExports, Scenario<FuseExports>> = {
  fuse_mix({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) kernel.fuse_mix(HASHES + 16 * random(500), random(500));
  },
  fuse_count(stage) {
    for (let i = 0; i < ROUNDS; i++) count(stage, ...layoutOf(stage));
    // More keys in a cell than can be counted.
    const { kernel, bytes } = stage;
    bytes.fill(0, BODY, OTHER);
    bytes.fill(7, KEYS, KEYS + 8 * 256);
    for (const keys of [255, 256]) kernel.fuse_count(BODY, 3, 1, 0, KEYS, keys);
  },
  fuse_build(stage) {
    const { kernel, bytes, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      const [exponent, segments, attempt] = layoutOf(stage);
      const keys = count(stage, exponent, segments, attempt);
      bytes.fill(0, HASHES, BODY);
      kernel.fuse_build(BODY, exponent, segments, keys, HASHES, 1 + random(32));
    }
  },
  fuse_has(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      const hashes = HASHES + 16 * random(500);
      const [exponent, segments, attempt] = layoutOf(stage);
      kernel.fuse_has(BODY, exponent, segments, attempt, 1 + random(32), hashes, random(500), FLAGS);
    }
  },
  fuse_has_key(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < 10 * ROUNDS; i++) {
      const [exponent, segments, attempt] = layoutOf(stage);
      kernel.fuse_has_key(BODY, exponent, segments, attempt, 1 + random(9), ...oneKey(random), random(SEEDS));
    }
  },
};

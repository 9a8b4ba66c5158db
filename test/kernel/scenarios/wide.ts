import type { WideExports } from '../../../src/kernel/generated/wide/exports.ts';
import { BODY, FLAGS, HASHES, OTHER, oneKey, ROUNDS, type Scenario, SEEDS } from './stage.ts';

export const scenarios: Record<keyof WideExports, Scenario<WideExports>> = {
  wide_add({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      kernel.wide_add(BODY, 1 + random(2 ** 10), HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  wide_has({ kernel, bytes, random }) {
    // Fifteen of sixteen bits are set, so that some keys find all their sixteen bits set.
    for (let at = BODY; at < OTHER; at++) bytes[at] = random(256) | random(256) | random(256) | random(256);
    for (let i = 0; i < ROUNDS; i++) {
      kernel.wide_has(BODY, 1 + random(2 ** 10), HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  wide_add_key({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.wide_add_key(BODY, 1 + random(2 ** 10), ...oneKey(random), random(SEEDS));
    }
  },
  wide_has_key({ kernel, bytes, random }) {
    for (let at = BODY; at < OTHER; at++) bytes[at] = random(256) | random(256) | random(256) | random(256);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.wide_has_key(BODY, 1 + random(2 ** 10), ...oneKey(random), random(SEEDS));
    }
  },
  wide_error_rate({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) kernel.wide_error_rate(BODY + 64 * random(100), 1 + random(500));
  },
};

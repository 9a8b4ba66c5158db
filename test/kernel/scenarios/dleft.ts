import type { DleftExports } from '../../../src/kernel/generated/dleft/exports.ts';
import {
  BODY,
  FLAGS,
  HASHES,
  inZeros,
  KEYS,
  MAX_KEYS,
  OTHER,
  oneKey,
  ROUNDS,
  repeat,
  type Scenario,
  SEEDS,
  type Stage,
} from './stage.ts';

/** A number of buckets and a width of cells whose body fits its place. */
function size({ random }: Stage): [buckets: number, bits: number] {
  return [1 + random(2 ** random(10)), 6 + random(27)];
}

/** Few enough buckets that all cells are in use soon, and short remainders, of which some are equal. */
const small = ({ random }: Stage): [buckets: number, bits: number] => [1 + random(4), 6 + random(27)];
const short = (stage: Stage): [buckets: number, bits: number] => [size(stage)[0], 6 + stage.random(3)];

const hash = ({ random }: Stage): number => HASHES + 16 * random(500);

/** Empties most cells: no other byte than 0 is left in seven of eight runs of 64 bytes. */
function clearMost({ bytes, random }: Stage): void {
  for (let at = BODY; at < OTHER; at += 64) if (random(8)) bytes.fill(0, at, at + 64);
}

export const scenarios: Record<keyof DleftExports, Scenario<DleftExports>> = {
  dleft_add(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      clearMost(stage);
      kernel.dleft_add(BODY, ...size(stage), hash(stage), random(500), FLAGS);
    }
    // Until a key has no room, in bodies of random cells too.
    for (let i = 0; i < 2 * ROUNDS; i++) {
      const at = BODY + 64 * random(100);
      if (random(2)) stage.bytes.fill(0, at, at + 1024);
      kernel.dleft_add(at, ...small(stage), HASHES, random(200), FLAGS);
    }
  },
  dleft_add_absent: inZeros((stage) => {
    const { kernel, random } = stage;
    kernel.dleft_add_absent(BODY, ...size(stage), hash(stage), random(500), FLAGS);
    kernel.dleft_add_absent(BODY, ...small(stage), hash(stage), random(500), FLAGS);
  }),
  dleft_has: repeat((stage) => {
    const { kernel, random } = stage;
    // In a body of random bytes, some keys look present if remainders are short.
    kernel.dleft_has(BODY, ...short(stage), hash(stage), random(500), FLAGS);
    kernel.dleft_has(BODY, ...size(stage), hash(stage), random(500), FLAGS);
  }),
  dleft_remove: repeat((stage) => {
    const { kernel, random } = stage;
    const shape = size(stage);
    kernel.dleft_add(BODY, ...shape, HASHES, random(200), FLAGS);
    kernel.dleft_remove(BODY, ...shape, HASHES + 16 * random(100), random(500), FLAGS);
    kernel.dleft_remove(BODY, ...short(stage), hash(stage), random(500), FLAGS);
  }),
  dleft_count: repeat((stage) => {
    const { kernel, random } = stage;
    kernel.dleft_count(BODY, ...short(stage), HASHES + 16 * random(MAX_KEYS));
    kernel.dleft_count(BODY, ...size(stage), HASHES + 16 * random(MAX_KEYS));
  }, 10 * ROUNDS),
  dleft_add_key(stage) {
    const { kernel, random } = stage;
    clearMost(stage);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.dleft_add_key(BODY, ...size(stage), ...oneKey(random), random(SEEDS));
      kernel.dleft_add_key(BODY, ...small(stage), ...oneKey(random), random(SEEDS));
    }
  },
  dleft_has_key: repeat((stage) => {
    const { kernel, random } = stage;
    kernel.dleft_has_key(BODY, ...short(stage), ...oneKey(random), random(SEEDS));
    kernel.dleft_has_key(BODY, ...size(stage), ...oneKey(random), random(SEEDS));
  }, 10 * ROUNDS),
  dleft_remove_key: repeat((stage) => {
    stage.kernel.dleft_remove_key(BODY, ...short(stage), ...oneKey(stage.random), stage.random(SEEDS));
  }, 10 * ROUNDS),
  dleft_count_key: repeat((stage) => {
    stage.kernel.dleft_count_key(BODY, ...short(stage), ...oneKey(stage.random), stage.random(SEEDS));
  }, 10 * ROUNDS),
  dleft_merge(stage) {
    const { kernel, random } = stage;
    clearMost(stage);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      const [buckets, bits] = i % 2 ? size(stage) : small(stage);
      const from = random(4 * buckets);
      kernel.dleft_merge(BODY, buckets, bits, from, KEYS + random(100), random(Math.min(4 * buckets - from, 50)));
      if (i % 10 === 0) clearMost(stage);
    }
  },
  dleft_used: repeat((stage) => stage.kernel.dleft_used(BODY, ...size(stage))),
  dleft_stored: repeat((stage) => stage.kernel.dleft_stored(BODY, ...size(stage))),
  dleft_flaws(stage) {
    const { kernel } = stage;
    kernel.dleft_flaws(BODY, ...size(stage));
    clearMost(stage);
    for (let i = 0; i < ROUNDS; i++) kernel.dleft_flaws(BODY, ...size(stage));
  },
};

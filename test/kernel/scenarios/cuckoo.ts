import type { CuckooExports } from '../../../src/kernel/generated/cuckoo/exports.ts';
import {
  BODY,
  FLAGS,
  HASHES,
  KEYS,
  MAX_KEYS,
  OTHER,
  oneKey,
  ROUNDS,
  type Scenario,
  SEEDS,
  type Stage,
} from './stage.ts';

/** A number of buckets and a width of fingerprints whose body fits its place. */
function size({ random }: Stage): [buckets: number, bits: number] {
  const bits = 7 + random(26);
  return [2 * (1 + random(2 ** (1 + random(11)))), bits];
}

/** Few enough buckets that all are in use soon. */
const small = ({ random }: Stage): [buckets: number, bits: number] => [2 * (1 + random(8)), 7 + random(26)];

/** Empties most slots: no other byte than 0 is left in seven of eight runs of 64 bytes. */
function clearMost({ bytes, random }: Stage): void {
  for (let at = BODY; at < OTHER; at += 64) if (random(8)) bytes.fill(0, at, at + 64);
}

export const scenarios: Record<keyof CuckooExports, Scenario<CuckooExports>> = {
  cuckoo_add(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      clearMost(stage);
      kernel.cuckoo_add(BODY, ...size(stage), HASHES + 16 * random(500), random(500), FLAGS);
    }
    // Until a search fails, in bodies of random entries too.
    for (let i = 0; i < ROUNDS; i++) {
      kernel.cuckoo_add(BODY + 64 * random(100), ...small(stage), HASHES, random(100), FLAGS);
    }
  },
  cuckoo_add_absent(stage) {
    const { kernel, bytes, random } = stage;
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      kernel.cuckoo_add_absent(BODY, ...size(stage), HASHES + 16 * random(500), random(500), FLAGS);
      kernel.cuckoo_add_absent(BODY, ...small(stage), HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  cuckoo_has(stage) {
    // In a body of random bytes, some keys look present if fingerprints are short.
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      kernel.cuckoo_has(BODY, size(stage)[0], 7 + random(3), HASHES + 16 * random(500), random(500), FLAGS);
      kernel.cuckoo_has(BODY, ...size(stage), HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  cuckoo_remove(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      const shape = size(stage);
      kernel.cuckoo_add(BODY, ...shape, HASHES, random(200), FLAGS);
      kernel.cuckoo_remove(BODY, ...shape, HASHES + 16 * random(100), random(500), FLAGS);
    }
  },
  cuckoo_count(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.cuckoo_count(BODY, size(stage)[0], 7 + random(3), HASHES + 16 * random(MAX_KEYS));
      kernel.cuckoo_count(BODY, ...size(stage), HASHES + 16 * random(MAX_KEYS));
    }
  },
  cuckoo_add_key(stage) {
    const { kernel, random } = stage;
    clearMost(stage);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.cuckoo_add_key(BODY, ...size(stage), ...oneKey(random), random(SEEDS));
      kernel.cuckoo_add_key(BODY, ...small(stage), ...oneKey(random), random(SEEDS));
    }
  },
  cuckoo_has_key(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.cuckoo_has_key(BODY, size(stage)[0], 7 + random(3), ...oneKey(random), random(SEEDS));
      kernel.cuckoo_has_key(BODY, ...size(stage), ...oneKey(random), random(SEEDS));
    }
  },
  cuckoo_remove_key(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.cuckoo_remove_key(BODY, size(stage)[0], 7 + random(3), ...oneKey(random), random(SEEDS));
    }
  },
  cuckoo_count_key(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.cuckoo_count_key(BODY, size(stage)[0], 7 + random(3), ...oneKey(random), random(SEEDS));
    }
  },
  cuckoo_merge(stage) {
    const { kernel, random } = stage;
    clearMost(stage);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      const [buckets, bits] = i % 2 ? size(stage) : small(stage);
      const pairs = buckets / 2;
      const from = random(pairs);
      kernel.cuckoo_merge(BODY, buckets, bits, from, KEYS + random(100), random(Math.min(pairs - from, 50)));
      if (i % 10 === 0) clearMost(stage);
    }
  },
  cuckoo_used(stage) {
    clearMost(stage);
    for (let i = 0; i < ROUNDS; i++) stage.kernel.cuckoo_used(BODY, ...size(stage));
  },
};

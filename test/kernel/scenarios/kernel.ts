import type { KernelExports } from '../../../src/kernel/kernel.ts';
import {
  BODY,
  ENDS,
  FLAGS,
  HASHES,
  KEY_BYTES,
  KEYS,
  MAX_KEYS,
  multiple,
  OTHER,
  oneKey,
  putEnds,
  ROUNDS,
  type Scenario,
  SEEDS,
} from './stage.ts';

export const scenarios: Record<keyof KernelExports, Scenario> = {
  heap_base({ kernel }) {
    kernel.heap_base();
  },
  allocate({ kernel, random }) {
    for (let left = 2 ** 20; left > 0; ) {
      const length = random(60_000);
      const at = kernel.allocate(length);
      kernel.bits_fill(at, random(256), length);
      left -= length;
    }
  },
  release({ kernel, random }) {
    const held: number[] = [];
    for (let i = 0; i < 10 * ROUNDS; i++) {
      if (random(2)) held.push(kernel.allocate(random(4000)));
      else for (const at of held.splice(random(held.length), 1)) kernel.release(at);
    }
  },
  murmur3_begin({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) kernel.murmur3_begin(HASHES + 16 * random(MAX_KEYS), random(SEEDS));
  },
  murmur3_continue(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      kernel.murmur3_continue(HASHES + 16 * i, KEYS + random(1000), multiple(stage, 16, 20_000));
    }
  },
  murmur3_end({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) {
      kernel.murmur3_end(HASHES + 16 * i, KEYS + random(KEY_BYTES), 2 ** random(54) - random(2));
    }
  },
  hash_key({ kernel, random }) {
    for (let i = 0; i < 10 * ROUNDS; i++) kernel.hash_key(...oneKey(random), random(SEEDS));
  },
  hash_packed(stage) {
    for (let i = 0; i < ROUNDS; i++) {
      const start = stage.random(1000);
      const count = putEnds(stage, KEY_BYTES - start);
      stage.kernel.hash_packed(KEYS + start, ENDS, count, stage.random(SEEDS), HASHES);
    }
  },
  hash_lines({ kernel, bytes, random }) {
    const alphabet = Buffer.from('abc\r\n');
    for (let i = 0; i < ROUNDS; i++) {
      // In some rounds, newlines are rare, so that lines are long. The bytes after the text also look like text.
      const letters = random(3) ? 5 : 200;
      for (let at = KEYS; at < KEYS + KEY_BYTES; at++) bytes[at] = alphabet[random(letters)] ?? random(256);
      const start = random(100);
      const length = random(random(2) ? 100 : 1000);
      const limit = random(3) ? MAX_KEYS : random(10);
      kernel.hash_lines(KEYS + start, length, random(2), random(2), limit, random(SEEDS), HASHES, ENDS);
    }
  },
  hash_u64({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) {
      kernel.hash_u64(KEYS + 8 * random(MAX_KEYS), random(MAX_KEYS), random(SEEDS), HASHES);
    }
  },
  hash_32({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) {
      kernel.hash_32(KEYS + 4 * random(MAX_KEYS), random(MAX_KEYS), random(2), random(SEEDS), HASHES);
    }
  },
  utf8_ends(stage) {
    const { kernel, bytes, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      const units = Uint16Array.from({ length: 2000 }, () => random(2 ** (8 + random(9))));
      const text = String.fromCharCode(...units);
      const start = KEYS + random(100);
      const { written } = new TextEncoder().encodeInto(text, bytes.subarray(start, KEYS + KEY_BYTES));
      const count = putEnds(stage, units.length);
      const ends = new Uint32Array(bytes.buffer, ENDS, count);
      // No end may be inside a surrogate pair.
      for (const [at, end] of ends.entries()) if ((text.codePointAt(end - 1) ?? 0) > 0xffff) ends[at] = end - 1;
      kernel.utf8_ends(start, written, ENDS, count);
    }
  },
  keep_packed(stage) {
    const { kernel, bytes, random } = stage;
    for (let i = 0; i < ROUNDS; i++) {
      const start = random(1000);
      const count = putEnds(stage, KEY_BYTES - start);
      for (let key = 0; key < count; key++) bytes[FLAGS + key] = random(2);
      kernel.keep_packed(KEYS + start, ENDS, count, FLAGS, random(2));
    }
  },
  bits_count(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.bits_count(BODY + 8 * i, multiple(stage, 8, 10_000));
  },
  bits_or(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.bits_or(BODY + 64 * i, OTHER, multiple(stage, 8, 10_000));
  },
  bits_and(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.bits_and(BODY + 64 * i, OTHER, multiple(stage, 8, 10_000));
  },
  bits_equal({ kernel, bytes, random }) {
    bytes.copyWithin(OTHER, BODY, BODY + 10_000);
    for (const at of [9999, 5000, 800]) {
      for (let i = 0; i < ROUNDS; i++) kernel.bits_equal(BODY, OTHER, 8 * random(1250));
      bytes[OTHER + at] = ~(bytes[BODY + at] ?? 0);
    }
  },
  bits_fill(stage) {
    const { kernel, random } = stage;
    for (let i = 0; i < ROUNDS; i++) kernel.bits_fill(BODY + 8 * random(100), random(256), multiple(stage, 8, 1000));
  },
  bloom_add({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      kernel.bloom_add(BODY, 1 + random(2 ** 19), 1 + random(20), HASHES + 16 * random(500), random(500));
    }
  },
  bloom_add_flags({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      const at = HASHES + 16 * random(500);
      kernel.bloom_add_flags(BODY, 1 + random(2 ** 19), 1 + random(20), at, random(500), FLAGS);
    }
  },
  bloom_has({ kernel, random }) {
    // Half of the bits are set, so that a few of a key's k bits tell whether it is present.
    for (let i = 0; i < ROUNDS; i++) {
      const at = HASHES + 16 * random(500);
      kernel.bloom_has(BODY, 1 + random(2 ** 19), 1 + random(5), at, random(500), FLAGS);
    }
  },
  bloom_add_key({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.bloom_add_key(BODY, 1 + random(2 ** 19), 1 + random(20), ...oneKey(random), random(SEEDS));
    }
  },
  bloom_has_key({ kernel, random }) {
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.bloom_has_key(BODY, 1 + random(2 ** 19), 1 + random(5), ...oneKey(random), random(SEEDS));
    }
  },
  blocked_add_key({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.blocked_add_key(BODY, 1 + random(2 ** 11), ...oneKey(random), random(SEEDS));
    }
  },
  blocked_has_key({ kernel, bytes, random }) {
    for (let at = BODY; at < OTHER; at++) bytes[at] = random(256) | random(256) | random(256);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.blocked_has_key(BODY, 1 + random(2 ** 11), ...oneKey(random), random(SEEDS));
    }
  },
  blocked_add({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      kernel.blocked_add(BODY, 1 + random(2 ** 11), HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  blocked_has({ kernel, bytes, random }) {
    // Seven of eight bits are set, so that some keys find all their eight bits set.
    for (let at = BODY; at < OTHER; at++) bytes[at] = random(256) | random(256) | random(256);
    for (let i = 0; i < ROUNDS; i++) {
      kernel.blocked_has(BODY, 1 + random(2 ** 11), HASHES + 16 * random(500), random(500), FLAGS);
    }
  },
  blocked_error_rate({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) kernel.blocked_error_rate(BODY + 32 * random(100), 1 + random(1000));
  },
  counting_add({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < ROUNDS; i++) {
      const at = HASHES + 16 * random(500);
      kernel.counting_add(BODY, 1 + random(2 ** (2 + random(16))), 1 + random(20), at, random(500), FLAGS);
    }
  },
  counting_has({ kernel, random }) {
    // One counter in 16 is 0.
    for (let i = 0; i < ROUNDS; i++) {
      const at = HASHES + 16 * random(500);
      kernel.counting_has(BODY, 1 + random(2 ** 17), 1 + random(20), at, random(500), FLAGS);
    }
  },
  counting_remove({ kernel, random }) {
    for (let i = 0; i < ROUNDS; i++) {
      const at = HASHES + 16 * random(500);
      kernel.counting_remove(BODY, 1 + random(2 ** 17), 1 + random(20), at, random(500), FLAGS);
    }
  },
  counting_count({ kernel, random }) {
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.counting_count(BODY, 1 + random(2 ** 17), 1 + random(5), HASHES + 16 * random(MAX_KEYS));
    }
  },
  counting_add_key({ kernel, bytes, random }) {
    bytes.fill(0, BODY, OTHER);
    for (let i = 0; i < 10 * ROUNDS; i++) {
      const counters = 1 + random(2 ** (2 + random(16)));
      kernel.counting_add_key(BODY, counters, 1 + random(20), ...oneKey(random), random(SEEDS));
    }
  },
  counting_remove_key({ kernel, random }) {
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.counting_remove_key(BODY, 1 + random(2 ** 17), 1 + random(9), ...oneKey(random), i);
    }
  },
  counting_count_key({ kernel, random }) {
    for (let i = 0; i < 10 * ROUNDS; i++) {
      kernel.counting_count_key(BODY, 1 + random(2 ** 17), 1 + random(5), ...oneKey(random), i);
    }
  },
  counting_used(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.counting_used(BODY + 8 * i, multiple(stage, 8, 10_000));
  },
  counting_sum(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.counting_sum(BODY + 512 * i, OTHER, multiple(stage, 8, 10_000));
  },
  counting_least(stage) {
    for (let i = 0; i < ROUNDS; i++) stage.kernel.counting_least(BODY + 512 * i, OTHER, multiple(stage, 8, 10_000));
  },
  counting_bits(stage) {
    for (let i = 0; i < ROUNDS; i++) {
      const { kernel, random } = stage;
      kernel.counting_bits(BODY + 64 * random(100), multiple(stage, 8, 10_000), OTHER + 64 * i);
    }
  },
};

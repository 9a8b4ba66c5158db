import type { KernelExports } from '../../../src/kernel/instance.ts';
import {
  BODY,
  chunk,
  ENDS,
  FLAGS,
  HASHES,
  inOnes,
  inZeros,
  KEY_BYTES,
  KEYS,
  MAX_KEYS,
  multiple,
  OTHER,
  oneKey,
  putEnds,
  ROUNDS,
  repeat,
  type Scenario,
  SEEDS,
} from './stage.ts';

const SINGLE = 10 * ROUNDS;

export const scenarios: Record<keyof KernelExports, Scenario> = {
  heap_base: ({ kernel }) => void kernel.heap_base(),
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
    for (let i = 0; i < SINGLE; i++) {
      if (random(2)) held.push(kernel.allocate(random(4000)));
      else for (const at of held.splice(random(held.length), 1)) kernel.release(at);
    }
  },
  hash_begin: repeat(({ kernel, random }) => kernel.hash_begin(HASHES + 16 * random(MAX_KEYS), random(SEEDS))),
  hash_continue: repeat((stage, i) =>
    stage.kernel.hash_continue(HASHES + 16 * i, KEYS + stage.random(1000), multiple(stage, 16, 20_000)),
  ),
  hash_end: repeat(({ kernel, random }, i) =>
    kernel.hash_end(HASHES + 16 * i, KEYS + random(KEY_BYTES), 2 ** random(54) - random(2)),
  ),
  hash_key: repeat(({ kernel, random }) => kernel.hash_key(...oneKey(random), random(SEEDS)), SINGLE),
  hash_packed: repeat((stage) => {
    const start = stage.random(1000);
    const count = putEnds(stage, KEY_BYTES - start);
    stage.kernel.hash_packed(KEYS + start, ENDS, count, stage.random(SEEDS), HASHES);
  }),
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
  hash_u64: repeat(({ kernel, random }) =>
    kernel.hash_u64(KEYS + 8 * random(MAX_KEYS), random(MAX_KEYS), random(SEEDS), HASHES),
  ),
  hash_32: repeat(({ kernel, random }) =>
    kernel.hash_32(KEYS + 4 * random(MAX_KEYS), random(MAX_KEYS), random(2), random(SEEDS), HASHES),
  ),
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
  bits_count: repeat((stage, i) => stage.kernel.bits_count(BODY + 8 * i, multiple(stage, 8, 10_000))),
  bits_or: repeat((stage, i) => stage.kernel.bits_or(BODY + 64 * i, OTHER, multiple(stage, 8, 10_000))),
  bits_and: repeat((stage, i) => stage.kernel.bits_and(BODY + 64 * i, OTHER, multiple(stage, 8, 10_000))),
  bits_equal({ kernel, bytes, random }) {
    bytes.copyWithin(OTHER, BODY, BODY + 10_000);
    for (const at of [9999, 5000, 800]) {
      for (let i = 0; i < ROUNDS; i++) kernel.bits_equal(BODY, OTHER, 8 * random(1250));
      bytes[OTHER + at] = ~(bytes[BODY + at] ?? 0);
    }
  },
  bits_fill: repeat((stage) =>
    stage.kernel.bits_fill(BODY + 8 * stage.random(100), stage.random(256), multiple(stage, 8, 1000)),
  ),
  bloom_add: inZeros(({ kernel, random }) =>
    kernel.bloom_add(BODY, 1 + random(2 ** 19), 1 + random(20), HASHES + 16 * random(500), random(500)),
  ),
  bloom_add_flags: inZeros(({ kernel, random }) =>
    kernel.bloom_add_flags(BODY, 1 + random(2 ** 19), 1 + random(20), ...chunk(random)),
  ),
  // Half of the bits are set, so that a few of a key's k bits tell whether it is present.
  bloom_has: repeat(({ kernel, random }) =>
    kernel.bloom_has(BODY, 1 + random(2 ** 19), 1 + random(5), ...chunk(random)),
  ),
  bloom_add_key: inZeros(
    ({ kernel, random }) =>
      kernel.bloom_add_key(BODY, 1 + random(2 ** 19), 1 + random(20), ...oneKey(random), random(SEEDS)),
    SINGLE,
  ),
  bloom_has_key: repeat(
    ({ kernel, random }) =>
      kernel.bloom_has_key(BODY, 1 + random(2 ** 19), 1 + random(5), ...oneKey(random), random(SEEDS)),
    SINGLE,
  ),
  blocked_add_key: inZeros(
    ({ kernel, random }) => kernel.blocked_add_key(BODY, 1 + random(2 ** 11), ...oneKey(random), random(SEEDS)),
    SINGLE,
  ),
  blocked_has_key: inOnes(
    3,
    ({ kernel, random }) => kernel.blocked_has_key(BODY, 1 + random(2 ** 11), ...oneKey(random), random(SEEDS)),
    SINGLE,
  ),
  blocked_add: inZeros(({ kernel, random }) => kernel.blocked_add(BODY, 1 + random(2 ** 11), ...chunk(random))),
  blocked_has: inOnes(3, ({ kernel, random }) => kernel.blocked_has(BODY, 1 + random(2 ** 11), ...chunk(random))),
  blocked_error_rate: repeat(({ kernel, random }) =>
    kernel.blocked_error_rate(BODY + 32 * random(100), 1 + random(1000)),
  ),
  counting_add: inZeros(({ kernel, random }) =>
    kernel.counting_add(BODY, 1 + random(2 ** (2 + random(16))), 1 + random(20), ...chunk(random)),
  ),
  // One counter in 16 is 0.
  counting_has: repeat(({ kernel, random }) =>
    kernel.counting_has(BODY, 1 + random(2 ** 17), 1 + random(20), ...chunk(random)),
  ),
  counting_remove: repeat(({ kernel, random }) =>
    kernel.counting_remove(BODY, 1 + random(2 ** 17), 1 + random(20), ...chunk(random)),
  ),
  counting_count: repeat(
    ({ kernel, random }) =>
      kernel.counting_count(BODY, 1 + random(2 ** 17), 1 + random(5), HASHES + 16 * random(MAX_KEYS)),
    SINGLE,
  ),
  counting_add_key: inZeros(
    ({ kernel, random }) =>
      kernel.counting_add_key(
        BODY,
        1 + random(2 ** (2 + random(16))),
        1 + random(20),
        ...oneKey(random),
        random(SEEDS),
      ),
    SINGLE,
  ),
  counting_remove_key: repeat(
    ({ kernel, random }, i) =>
      kernel.counting_remove_key(BODY, 1 + random(2 ** 17), 1 + random(9), ...oneKey(random), i),
    SINGLE,
  ),
  counting_count_key: repeat(
    ({ kernel, random }, i) =>
      kernel.counting_count_key(BODY, 1 + random(2 ** 17), 1 + random(5), ...oneKey(random), i),
    SINGLE,
  ),
  counting_used: repeat((stage, i) => stage.kernel.counting_used(BODY + 8 * i, multiple(stage, 8, 10_000))),
  counting_sum: repeat((stage, i) => stage.kernel.counting_sum(BODY + 512 * i, OTHER, multiple(stage, 8, 10_000))),
  counting_least: repeat((stage, i) => stage.kernel.counting_least(BODY + 512 * i, OTHER, multiple(stage, 8, 10_000))),
  counting_bits: repeat((stage, i) =>
    stage.kernel.counting_bits(BODY + 64 * stage.random(100), multiple(stage, 8, 10_000), OTHER + 64 * i),
  ),
};

/** What the module exports. */
export interface KernelExports {
  heap_base(): number;
  hash_begin(state: number, seed: number): void;
  hash_continue(state: number, part: number, length: number): void;
  hash_end(state: number, tail: number, length: number): void;
  hash_key(text: string | null, key: number, length: number, seed: number, out: number): void;
  hash_packed(bytes: number, ends: number, count: number, seed: number, hashes: number): void;
  hash_lines(text: number, length: number, last: number, crlf: number, limit: number, seed: number, hashes: number, ends: number): number;
  hash_u64(integers: number, count: number, seed: number, hashes: number): void;
  hash_32(integers: number, count: number, signed: number, seed: number, hashes: number): void;
  utf8_ends(bytes: number, length: number, ends: number, count: number): boolean;
  keep_packed(bytes: number, ends: number, count: number, flags: number, wanted: number): number;
  bits_count(at: number, length: number): number;
  bits_or(target: number, source: number, length: number): void;
  bits_and(target: number, source: number, length: number): void;
  bits_equal(one: number, other: number, length: number): number;
  bits_fill(at: number, value: number, length: number): void;
  bloom_add(body: number, bits: number, k: number, hashes: number, count: number): void;
  bloom_add_flags(body: number, bits: number, k: number, hashes: number, count: number, flags: number): number;
  bloom_has(body: number, bits: number, k: number, hashes: number, count: number, flags: number): number;
  bloom_add_key(body: number, bits: number, k: number, text: string | null, key: number, length: number, seed: number): number;
  bloom_has_key(body: number, bits: number, k: number, text: string | null, key: number, length: number, seed: number): number;
  blocked_add(body: number, blocks: number, hashes: number, count: number, flags: number): number;
  blocked_has(body: number, blocks: number, hashes: number, count: number, flags: number): number;
  blocked_add_key(body: number, blocks: number, text: string | null, key: number, length: number, seed: number): number;
  blocked_has_key(body: number, blocks: number, text: string | null, key: number, length: number, seed: number): number;
  blocked_error_rate(body: number, blocks: number): number;
  counting_add(body: number, counters: number, k: number, hashes: number, keys: number, flags: number): number;
  counting_has(body: number, counters: number, k: number, hashes: number, keys: number, flags: number): number;
  counting_remove(body: number, counters: number, k: number, hashes: number, keys: number, flags: number): number;
  counting_count(body: number, counters: number, k: number, hash: number): number;
  counting_add_key(body: number, counters: number, k: number, text: string | null, key: number, length: number, seed: number): number;
  counting_count_key(body: number, counters: number, k: number, text: string | null, key: number, length: number, seed: number): number;
  counting_remove_key(body: number, counters: number, k: number, text: string | null, key: number, length: number, seed: number): number;
  counting_used(at: number, length: number): number;
  counting_sum(target: number, source: number, length: number): void;
  counting_least(target: number, source: number, length: number): void;
  counting_bits(counters: number, length: number, bits: number): void;
}

/** The first byte of memory that no module uses itself. */
export const HEAP_BASE: number = 25712;

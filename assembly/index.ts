export { heap_base } from "./memory";
export { murmur3_begin as hash_begin, murmur3_continue as hash_continue, murmur3_end as hash_end } from "./murmur3";
export { hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32, utf8_ends, keep_packed } from "./hash-chunk";
export { bits_count, bits_or, bits_and, bits_equal, bits_fill } from "./bodies";
export { bloom_add, bloom_add_flags, bloom_has, bloom_add_key, bloom_has_key } from "./classic";
export { blocked_add, blocked_has, blocked_add_key, blocked_has_key, blocked_error_rate } from "./blocked";
export {
  counting_add, counting_has, counting_remove, counting_count,
  counting_add_key, counting_count_key, counting_remove_key,
  counting_used, counting_sum, counting_least, counting_bits,
} from "./counting";

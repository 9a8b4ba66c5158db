export { heap_base, allocate, release } from "./memory";
export { murmur3_begin, murmur3_continue, murmur3_end } from "./murmur3";
export { hash_packed, hash_lines, hash_u64, hash_32, utf8_ends, keep_packed } from "./keys";
export { bits_count, bits_or, bits_and, bits_equal, bits_fill } from "./bits";
export { bloom_add, bloom_add_flags, bloom_has } from "./bloom";

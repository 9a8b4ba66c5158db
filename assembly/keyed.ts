// The module for filters with a secret: the functions of the kernel that hash keys, compiled with SipHash in place of
// MurmurHash3. They take the place of the kernel's, and run over its memory.

export {
  secret_at, siphash_begin as hash_begin, siphash_continue as hash_continue, siphash_end as hash_end,
} from "./siphash";
export { hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32 } from "./hash-chunk";
export { bloom_add_key, bloom_has_key } from "./classic";
export { blocked_add_key, blocked_has_key } from "./blocked";
export { counting_add_key, counting_count_key, counting_remove_key } from "./counting";

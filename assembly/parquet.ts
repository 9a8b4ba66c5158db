// The module for the filters of Parquet files: the functions of the kernel that hash keys, compiled with XXH64 in place
// of MurmurHash3. The loops of the blocked filter are those of the kernel.

export { xxh64_begin as hash_begin, xxh64_continue as hash_continue, xxh64_end as hash_end } from "./xxh64";
export { hash_key } from "./hash-key";
export { hash_packed, hash_lines, hash_u64, hash_32 } from "./hash-chunk";
export { blocked_add_key, blocked_has_key } from "./blocked";

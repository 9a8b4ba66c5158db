// The kernel functions that modules import which are compiled separately and linked to the kernel over its memory.

/** Hashes one key, as `hashKey` in one.ts does, and returns a pointer to the hash. */
@external("kernel", "hash_key")
export declare function hash_key(text: externref, key: usize, length: u32, seed: u32): usize;

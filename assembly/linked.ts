// The kernel functions that linked modules import. These are compiled separately, and run over the kernel's memory.

/** Hashes one key, as `hashKey` in hash-key.ts does, and returns a pointer to the hash. */
@external("kernel", "hash_key")
export declare function hash_key(text: externref, key: usize, length: u32, seed: u32): usize;

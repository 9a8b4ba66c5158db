// What the kernel gives to modules that are compiled alone and linked to it over the same memory.

/** Hashes one key, as `hashKey` in one.ts does, and returns where the hash lies. */
@external("kernel", "hash_key")
export declare function hash_key(text: externref, key: usize, length: u32, seed: u32): usize;

// The loops of the classic and the blocked filter over a memory that threads share. Each thread has an instance of this
// module, which hashes nothing: keys are hashed by the kernel in a memory of the thread's own. There is no allocator.

export { heap_base, use_work } from "./memory";
export { bits_count, bits_fill } from "./bodies";
export { bloom_add, bloom_add_flags, bloom_has } from "./classic";
export { blocked_add, blocked_has, blocked_error_rate } from "./blocked";

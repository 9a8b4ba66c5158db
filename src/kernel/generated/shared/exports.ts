/** What the module exports. */
export interface SharedExports {
  heap_base(): number;
  use_work(at: number): void;
  bits_count(at: number, length: number): number;
  bits_fill(at: number, value: number, length: number): void;
  bloom_add(body: number, bits: number, k: number, hashes: number, count: number): void;
  bloom_add_flags(body: number, bits: number, k: number, hashes: number, count: number, flags: number): number;
  bloom_has(body: number, bits: number, k: number, hashes: number, count: number, flags: number): number;
  blocked_add(body: number, blocks: number, hashes: number, count: number, flags: number): number;
  blocked_has(body: number, blocks: number, hashes: number, count: number, flags: number): number;
  blocked_error_rate(body: number, blocks: number): number;
}

/** The first byte of memory that no module uses itself. */
export const HEAP_BASE: number = 16464;

/** What the module exports. */
export interface GuavaExports {
  guava_add_key(body: number, bits: number, k: number, narrow: number, text: string | null, key: number, length: number): number;
  guava_has_key(body: number, bits: number, k: number, narrow: number, text: string | null, key: number, length: number): number;
  guava_add(body: number, bits: number, k: number, narrow: number, hashes: number, count: number): void;
  guava_add_flags(body: number, bits: number, k: number, narrow: number, hashes: number, count: number, flags: number): number;
  guava_has(body: number, bits: number, k: number, narrow: number, hashes: number, count: number, flags: number): number;
}

/** What the module exports. */
export interface SparkExports {
  spark_add_key(body: number, bits: number, k: number, narrow: number, text: string | null, key: number, length: number, seed: number): number;
  spark_has_key(body: number, bits: number, k: number, narrow: number, text: string | null, key: number, length: number, seed: number): number;
  hash_begin(state: number, seed: number): void;
  hash_continue(state: number, part: number, length: number): void;
  hash_end(state: number, tail: number, length: number): void;
  hash_key(text: string | null, key: number, length: number, seed: number, out: number): void;
  hash_packed(bytes: number, ends: number, count: number, seed: number, hashes: number): void;
  hash_lines(text: number, length: number, last: number, crlf: number, limit: number, seed: number, hashes: number, ends: number): number;
  hash_u64(integers: number, count: number, seed: number, hashes: number): void;
  hash_32(integers: number, count: number, signed: number, seed: number, hashes: number): void;
  spark_add(body: number, bits: number, k: number, narrow: number, hashes: number, count: number): void;
  spark_add_flags(body: number, bits: number, k: number, narrow: number, hashes: number, count: number, flags: number): number;
  spark_has(body: number, bits: number, k: number, narrow: number, hashes: number, count: number, flags: number): number;
}

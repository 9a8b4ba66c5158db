/** What the module exports. */
export interface ParquetExports {
  hash_begin(state: number, _seed: number): void;
  hash_continue(state: number, part: number, length: number): void;
  hash_end(state: number, tail: number, length: number): void;
  hash_key(text: string | null, key: number, length: number, seed: number, out: number): void;
  hash_packed(bytes: number, ends: number, count: number, seed: number, hashes: number): void;
  hash_lines(text: number, length: number, last: number, crlf: number, limit: number, seed: number, hashes: number, ends: number): number;
  hash_u64(integers: number, count: number, seed: number, hashes: number): void;
  hash_32(integers: number, count: number, signed: number, seed: number, hashes: number): void;
  blocked_add_key(body: number, blocks: number, text: string | null, key: number, length: number, seed: number): number;
  blocked_has_key(body: number, blocks: number, text: string | null, key: number, length: number, seed: number): number;
}

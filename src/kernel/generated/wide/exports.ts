/** What the module exports. */
export interface WideExports {
  wide_add(body: number, blocks: number, hashes: number, count: number, flags: number, seed: number): number;
  wide_has(body: number, blocks: number, hashes: number, count: number, flags: number, seed: number): number;
  wide_add_key(body: number, blocks: number, text: string | null, key: number, length: number, seed: number): number;
  wide_has_key(body: number, blocks: number, text: string | null, key: number, length: number, seed: number): number;
  wide_error_rate(body: number, blocks: number): number;
}

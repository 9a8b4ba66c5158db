/** What the module exports. */
export interface DleftExports {
  dleft_add(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  dleft_add_absent(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  dleft_has(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  dleft_remove(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  dleft_merge(body: number, buckets: number, bits: number, from: number, others: number, count: number): number;
  dleft_count(body: number, buckets: number, bits: number, hash: number): number;
  dleft_add_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  dleft_has_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  dleft_remove_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  dleft_count_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  dleft_used(body: number, buckets: number, bits: number): number;
  dleft_stored(body: number, buckets: number, bits: number): number;
  dleft_flaws(body: number, buckets: number, bits: number): number;
}

/** What the module exports. */
export interface CuckooExports {
  cuckoo_add(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  cuckoo_add_absent(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  cuckoo_has(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  cuckoo_remove(body: number, buckets: number, bits: number, hashes: number, count: number, flags: number): number;
  cuckoo_merge(body: number, buckets: number, bits: number, from: number, others: number, count: number): number;
  cuckoo_count(body: number, buckets: number, bits: number, hash: number): number;
  cuckoo_add_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  cuckoo_has_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  cuckoo_remove_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  cuckoo_count_key(body: number, buckets: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  cuckoo_used(body: number, buckets: number, bits: number): number;
}

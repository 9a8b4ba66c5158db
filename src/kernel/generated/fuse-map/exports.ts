/** What the module exports. */
export interface FuseMapExports {
  fuse_map_count(work: number, exponent: number, segments: number, attempt: number, keys: number, count: number): number;
  fuse_map_build(work: number, exponent: number, segments: number, count: number, body: number, valueBits: number, bits: number): number;
  fuse_map_get(body: number, exponent: number, segments: number, attempt: number, valueBits: number, bits: number, hashes: number, count: number, flags: number): number;
  fuse_map_get_key(body: number, exponent: number, segments: number, attempt: number, valueBits: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  fuse_map_sort(fingerprints: number, count: number, width: number, work: number): void;
  fuse_map_mix(hashes: number, count: number): void;
}

/** What the module exports. */
export interface FuseExports {
  fuse_count(work: number, exponent: number, segments: number, attempt: number, mixed: number, count: number): number;
  fuse_build(work: number, exponent: number, segments: number, count: number, body: number, bits: number): number;
  fuse_has(body: number, exponent: number, segments: number, attempt: number, bits: number, hashes: number, count: number, flags: number): number;
  fuse_has_key(body: number, exponent: number, segments: number, attempt: number, bits: number, text: string | null, key: number, length: number, seed: number): number;
  fuse_mix(hashes: number, count: number): void;
}

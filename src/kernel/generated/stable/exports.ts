/** What the module exports. */
export interface StableExports {
  stable_add(body: number, cells: number, width: number, k: number, run: number, low: number, high: number, hashes: number, count: number, flags: number): number;
  stable_has(body: number, cells: number, width: number, k: number, hashes: number, count: number, flags: number): number;
  stable_add_key(body: number, cells: number, width: number, k: number, run: number, low: number, high: number, text: string | null, key: number, length: number, seed: number): number;
  stable_has_key(body: number, cells: number, width: number, k: number, text: string | null, key: number, length: number, seed: number): number;
  stable_state(high: number): number;
  stable_used(at: number, length: number, width: number): number;
}

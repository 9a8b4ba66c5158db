/** What the module exports. */
export interface RotatingExports {
  rotating_add(body: number, blocks: number, generations: number, current: number, room: number, hashes: number, count: number, flags: number): number;
  rotating_has(body: number, blocks: number, generations: number, hashes: number, count: number, flags: number): number;
  rotating_add_key(body: number, blocks: number, generations: number, current: number, room: number, text: string | null, key: number, length: number, seed: number): number;
  rotating_has_key(body: number, blocks: number, generations: number, text: string | null, key: number, length: number, seed: number): number;
  rotating_clear(body: number, blocks: number, generations: number, generation: number): void;
  rotating_used(body: number, blocks: number, generations: number, generation: number): number;
  rotating_error_rate(body: number, blocks: number, generations: number, generation: number): number;
}

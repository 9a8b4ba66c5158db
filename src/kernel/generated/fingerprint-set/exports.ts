/** What the module exports. */
export interface FingerprintSetExports {
  fingerprints_move(table: number, others: number, cells: number): number;
  fingerprints_add(table: number, fingerprints: number, stride: number, count: number, flags: number): number;
  fingerprints_number(table: number, fingerprints: number, count: number, numbers: number): number;
  fingerprints_has(table: number, fingerprints: number, stride: number, count: number, flags: number): number;
  fingerprints_remove(table: number, fingerprints: number, stride: number, count: number, flags: number): number;
  fingerprints_add_key(table: number, text: string | null, key: number, length: number, seed: number): number;
  fingerprints_has_key(table: number, text: string | null, key: number, length: number, seed: number): number;
  fingerprints_remove_key(table: number, text: string | null, key: number, length: number, seed: number): number;
  fingerprints_read(table: number, from: number, to: number, step: number, out: number): number;
  fingerprints_sort(fingerprints: number, count: number, width: number, work: number): void;
  fingerprints_ascending(fingerprints: number, count: number, width: number): number;
  fingerprints_empty(table: number): void;
  fingerprints_spread(table: number, cells: number): void;
}

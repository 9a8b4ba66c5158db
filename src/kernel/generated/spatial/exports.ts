/** What the module exports. */
export interface SpatialExports {
  spatial_add(body: number, cells: number, k: number, width: number, hashes: number, count: number, labels: number): void;
  spatial_labels(body: number, cells: number, k: number, width: number, hashes: number, count: number, labels: number): void;
  spatial_has(body: number, cells: number, k: number, width: number, hashes: number, count: number, flags: number): number;
  spatial_add_key(body: number, cells: number, k: number, width: number, label: number, text: string | null, key: number, length: number, seed: number): number;
  spatial_label_key(body: number, cells: number, k: number, width: number, text: string | null, key: number, length: number, seed: number): number;
  spatial_used(at: number, length: number, width: number, label: number): number;
  spatial_max(target: number, source: number, length: number, width: number): void;
}

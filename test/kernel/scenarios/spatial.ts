import type { SpatialExports } from '../../../src/kernel/generated/spatial/exports.ts';
import {
  BODY,
  ENDS,
  FLAGS,
  HASHES,
  inZeros,
  multiple,
  OTHER,
  oneKey,
  ROUNDS,
  repeat,
  type Scenario,
  SEEDS,
  type Stage,
} from './stage.ts';

/** A number of cells and hashes, and a width, whose body fits its place. */
function size({ random }: Stage): [cells: number, hashes: number, width: number] {
  return [1 + random(2 ** (1 + random(15))), 1 + random(20), random(5)];
}

/** Where random hashes begin, their number, and where their labels are. */
const labeled = ({ random }: Stage): [hashes: number, count: number, labels: number] => [
  HASHES + 16 * random(500),
  random(500),
  ENDS + 2 * random(500),
];

/** Writes random labels that fit into cells of this width. */
function writeLabels({ bytes, random }: Stage, width: number): void {
  const labels = new Uint16Array(bytes.buffer, ENDS, 1000);
  for (let i = 0; i < labels.length; i++) labels[i] = 1 + random(2 ** (2 ** width) - 1);
}

// In bodies of random bytes, most keys seem to have a label.
export const scenarios: Record<keyof SpatialExports, Scenario<SpatialExports>> = {
  spatial_add: inZeros((stage) => {
    const [cells, hashes, width] = size(stage);
    writeLabels(stage, width);
    stage.kernel.spatial_add(BODY, cells, hashes, width, ...labeled(stage));
  }),
  spatial_labels: repeat((stage) => stage.kernel.spatial_labels(BODY, ...size(stage), ...labeled(stage))),
  spatial_has: repeat((stage) => {
    const [hashes, count] = labeled(stage);
    stage.kernel.spatial_has(BODY, ...size(stage), hashes, count, FLAGS);
  }),
  spatial_add_key: inZeros((stage) => {
    const { kernel, random } = stage;
    const [cells, hashes, width] = size(stage);
    const label = 1 + random(2 ** (2 ** width) - 1);
    kernel.spatial_add_key(BODY, cells, hashes, width, label, ...oneKey(random), random(SEEDS));
  }, 10 * ROUNDS),
  spatial_label_key: repeat(
    (stage) => stage.kernel.spatial_label_key(BODY, ...size(stage), ...oneKey(stage.random), stage.random(SEEDS)),
    10 * ROUNDS,
  ),
  spatial_used: repeat((stage, i) => {
    const width = stage.random(5);
    stage.kernel.spatial_used(BODY + 8 * i, multiple(stage, 8, 10_000), width, stage.random(2 ** (2 ** width) + 1));
  }),
  spatial_max: repeat((stage, i) =>
    stage.kernel.spatial_max(BODY + 512 * i, OTHER, multiple(stage, 8, 10_000), stage.random(5)),
  ),
};

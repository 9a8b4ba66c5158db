import { Cells, type Kind, type Size } from '../../filters/kind.ts';
import { type Head, requireSaved, requireZeros, type Saved } from '../../format/header.ts';
import type { SpatialExports } from '../../kernel/generated/spatial/exports.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { PairFunction, RegionWith } from '../../kernel/region.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { requireInteger } from '../../util/checks/validate.ts';
import { expectedErrorRate, LEAST_ERROR_RATE, MAX_HASHES, sizeFor } from '../classic/sizing.ts';
import type { KeyLabels } from './labels.ts';

/** The highest label: that of the widest cells. */
export const MAX_LABELS: number = 2 ** 16 - 1;

/** The least and the most bits per cell. */
const CELL_BITS: readonly [least: number, most: number] = [1, 16];

/** The number of bits per cell that labels up to `labels` need: 1, 2, 4, 8 or 16, so that no cell lies in two words. */
function cellBitsFor(labels: number): number {
  let [bits] = CELL_BITS;
  while (2 ** bits <= labels) bits *= 2;
  return bits;
}

/** Returns the number of labels if a filter can have it; else throws. */
export function requireLabels(labels: unknown): number {
  return requireInteger('labels', labels, 1, MAX_LABELS);
}

/** The kind's own parameters. */
interface Own {
  /** The highest label. */
  readonly labels: number;
}

/** The bytes of the kind's own parameters in a file. */
const OWN_BYTES = 4;

function sizeOf(cellCount: number, hashes: number, given: unknown): Size {
  const labels = requireLabels(given);
  const own: Own = { labels };
  return { cellCount, hashes, cellBits: cellBitsFor(labels), own };
}

export const SPATIAL: Kind<SpatialCells> = {
  id: 9,
  name: 'spatial',
  className: 'SpatialBloomFilter',
  traits: {
    removes: false,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => LEAST_ERROR_RATE,
  },
  cellName: 'cells',
  cellBits: CELL_BITS,
  own: {
    maxSegments: 1,
    byteLength: () => OWN_BYTES,
    write: (view, { labels }: Own) => view.setUint32(0, labels, true),
    read(view, { cellBits }: Head) {
      requireZeros(view, OWN_BYTES);
      const labels = view.getUint32(0, true);
      const isValid = labels >= 1 && labels <= MAX_LABELS && cellBits === cellBitsFor(labels);
      requireSaved(isValid, `its number of labels is ${labels}, with ${cellBits} bits per cell`);
      return { labels };
    },
  },
  requireCells(saved: Saved<Own>) {
    const { labels } = saved.own;
    const holds = labels === 2 ** saved.cellBits - 1 || new SpatialCells(saved).used(labels + 1) === 0;
    requireSaved(holds, `a cell has a label above ${labels}`);
  },
  sizes: ['cells', 'hashes'],
  options: ['labels'],
  shown: ['cells', 'hashes', 'labels'],
  sizeFor(capacity, errorRate, { labels }) {
    const { cellCount, hashes } = sizeFor(capacity, errorRate);
    return sizeOf(cellCount, hashes, labels);
  },
  sizeOf: ({ cells, hashes, labels }) =>
    sizeOf(
      requireInteger('cells', cells, 1, Number.MAX_SAFE_INTEGER),
      requireInteger('hashes', hashes, 1, MAX_HASHES),
      labels,
    ),
  errorRateAt: (count, { cellCount, hashes }) => expectedErrorRate(count, cellCount, hashes),
  cellsOf: (saved: Saved<Own>) => new SpatialCells(saved),
};

/**
 * The labels of the first `count` keys in the scratch, until the next chunk is written. They lie in place of the ends of
 * the keys, which are not needed any more once the keys are hashed.
 */
export function labelsIn({ memory, scratch }: Instance, count: number): Uint16Array<ArrayBuffer> {
  return new Uint16Array(memory.buffer, scratch.ends, count);
}

/** m labels of 1 to 16 bits. Each key raises k of them to its own; the linked module computes which from its hash. */
export class SpatialCells extends Cells {
  declare readonly region: RegionWith<SpatialExports>;
  declare readonly own: Own;
  /** The number of bits per cell, as a power of 2. */
  readonly width: number;

  constructor(saved: Saved<Own>) {
    super(saved);
    this.width = Math.log2(saved.cellBits);
  }

  get kind(): Kind<SpatialCells> {
    return SPATIAL;
  }

  /**
   * Adds the first `count` hashes in the scratch with their labels, up to the first wrong one. `before` keys came in
   * earlier chunks. After that, `labelsIn` has the labels that they seemed to have before.
   */
  add(labels: KeyLabels, count: number, before: number): void {
    const { region, width, parameters } = this;
    const { instance } = region;
    const { kernel, scratch } = instance;
    const { cellCount, hashes } = parameters;
    const some = labelsIn(instance, count);
    const valid = labels.write(some, before);
    kernel.spatial_add(region.pointer, cellCount, hashes, width, scratch.hashes, valid, scratch.ends);
    if (valid === count) return;
    some.fill(0, valid);
    labels.fail();
  }

  /** Finds the labels that the first `count` hashes in the scratch seem to have. */
  find(count: number): void {
    const { region, width, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    kernel.spatial_labels(region.pointer, cellCount, hashes, width, scratch.hashes, count, scratch.ends);
  }

  has(count: number): number {
    const { region, width, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { cellCount, hashes } = parameters;
    return kernel.spatial_has(region.pointer, cellCount, hashes, width, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key, label: number): number {
    const { region, seed, width, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const { pointer } = region;
    const { cellCount, hashes } = parameters;
    if (length >= 0) {
      return kernel.spatial_add_key(pointer, cellCount, hashes, width, label, text, scratch.keys, length, seed);
    }
    const labels = labelsIn(instance, 1).fill(label);
    kernel.spatial_add(pointer, cellCount, hashes, width, scratch.hashes, 1, scratch.ends);
    return labels[0] as number;
  }

  labelOf(key: Key): number {
    const { region, seed, width, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const { pointer } = region;
    const { cellCount, hashes } = parameters;
    if (length >= 0) {
      return kernel.spatial_label_key(pointer, cellCount, hashes, width, text, scratch.keys, length, seed);
    }
    this.find(1);
    return labelsIn(instance, 1)[0] as number;
  }

  hasKey(key: Key): boolean {
    return this.labelOf(key) > 0;
  }

  /** The number of cells that have this label or a higher one. */
  used(label: number): number {
    const { region, width } = this;
    return region.instance.kernel.spatial_used(region.pointer, region.paddedLength, width, label);
  }

  /** The share of cells that have this label or a higher one. */
  shareFrom(label: number): number {
    return this.used(label) / this.parameters.cellCount;
  }

  /** The function that raises cells to those of others. */
  union(): (kernel: object) => PairFunction {
    return (kernel) => (target, source, length) =>
      (kernel as SpatialExports).spatial_max(target, source, length, this.width);
  }
}

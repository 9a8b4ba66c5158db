import type { Parameters } from '../format/header.ts';
import type { Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import type { Cells } from './cells.ts';

/** m counters of 4 bits, of which every key increments k: the kernel knows which. */
export class Counters implements Cells {
  readonly region: Region;
  readonly parameters: Parameters;
  readonly seed: number;

  constructor(region: Region, parameters: Parameters) {
    this.region = region;
    this.parameters = parameters;
    this.seed = parameters.seed;
  }

  add({ kernel, scratch }: Instance, count: number): number {
    const { cells, hashes } = this.parameters;
    return kernel.counting_add(this.region.pointer, cells, hashes, scratch.hashes, count, scratch.flags);
  }

  has({ kernel, scratch }: Instance, count: number): number {
    const { cells, hashes } = this.parameters;
    return kernel.counting_has(this.region.pointer, cells, hashes, scratch.hashes, count, scratch.flags);
  }

  remove({ kernel, scratch }: Instance, count: number): number {
    const { cells, hashes } = this.parameters;
    return kernel.counting_remove(this.region.pointer, cells, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(instance, 1) === 1;
    const { kernel, scratch } = instance;
    const { cells, hashes } = parameters;
    return kernel.counting_add_key(region.pointer, cells, hashes, text, scratch.keys, length, seed) === 1;
  }

  removeKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.remove(instance, 1) === 1;
    const { kernel, scratch } = instance;
    const { cells, hashes } = parameters;
    return kernel.counting_remove_key(region.pointer, cells, hashes, text, scratch.keys, length, seed) === 1;
  }

  countOf(key: Key): number {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const { cells, hashes } = parameters;
    if (length < 0) return kernel.counting_count(region.pointer, cells, hashes, scratch.hashes);
    return kernel.counting_count_key(region.pointer, cells, hashes, text, scratch.keys, length, seed);
  }
}

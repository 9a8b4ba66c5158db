// Numbers of hashes, in the order in which they come first.

import type { Engine } from '../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES } from '../../kernel/scratch.ts';
import { countIn, grown, newTable, type Table } from './table.ts';

/** Numbers distinct hashes from 0 on. It tells them apart by their first twelve bytes, as sets do. */
export class Numbering {
  readonly #engine: Engine;
  #table: Table;

  /** @param engine that of `FingerprintSet`, also of another copy of the package, whose types differ from those here */
  constructor(engine: object) {
    this.#engine = engine as Engine;
    this.#table = newTable(this.#engine, 0, HASH_BYTES);
  }

  /** How many hashes have numbers. */
  get count(): number {
    return countIn(this.#table);
  }

  /**
   * The number of each of these hashes: of one that has come before, the same as then; else the next one.
   *
   * @throws FilterMemoryError if there is no memory for all of them; then some have numbers
   */
  numbersOf(hashes: Uint8Array): Uint32Array<ArrayBuffer> {
    const numbers = new Uint32Array(hashes.length / HASH_BYTES);
    for (let done = 0; done < numbers.length; ) {
      const { pointer, instance } = this.#table;
      const { kernel, memory, scratch } = instance;
      const some = hashes.subarray(HASH_BYTES * done, HASH_BYTES * (done + CHUNK_KEYS));
      const count = some.length / HASH_BYTES;
      new Uint8Array(memory.buffer, scratch.hashes, some.length).set(some);
      const numbered = kernel.fingerprints_number(pointer, scratch.hashes, count, scratch.ends);
      numbers.set(scratch.endValues.subarray(0, numbered), done);
      if (numbered < count) this.#table = grown(this.#table, this.#engine);
      done += numbered;
    }
    return numbers;
  }
}

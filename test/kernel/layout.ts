import type { Memory } from '../../src/kernel/scratch.ts';
import { BASE } from './builds.ts';

const GUARD = 64;
const POISON = 0xa5;

type View<T> = new (buffer: ArrayBuffer, at: number, length: number) => T;

/** Allocates places in memory one after the other, separated by guard bytes that nothing may overwrite. */
export class Layout {
  readonly #buffer: ArrayBuffer;
  readonly #guards: Uint8Array[] = [];
  #end = BASE;

  constructor(memory: Memory) {
    this.#buffer = memory.buffer;
    this.#guard();
  }

  /** Takes the next place, aligned to 64 bytes. Its `byteOffset` is the pointer to it. */
  take<T extends ArrayBufferView>(View: View<T>, length: number): T {
    const place = new View(this.#buffer, this.#end, length);
    this.#end += place.byteLength;
    this.#guard();
    return place;
  }

  #guard(): void {
    const end = Math.ceil((this.#end + GUARD) / 64) * 64;
    this.#guards.push(new Uint8Array(this.#buffer, this.#end, end - this.#end).fill(POISON));
    this.#end = end;
  }

  /** Whether all guard bytes are unchanged. */
  get intact(): boolean {
    return this.#guards.every((guard) => guard.every((byte) => byte === POISON));
  }
}

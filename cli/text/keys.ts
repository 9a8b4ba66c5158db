import { column, type KeyColumn } from 'bloomery';

/** Writes keys one after the other into one memory, which grows if need be. */
export class KeyWriter {
  #data: Uint8Array<ArrayBuffer>;
  #length = 0;
  readonly #offsets: number[] = [0];

  /** @param size how many bytes the keys will have, or about so many */
  constructor(size: number) {
    this.#data = new Uint8Array(size);
  }

  /** The number of keys that are whole. */
  get count(): number {
    return this.#offsets.length - 1;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted <= this.#data.length) return;
    const longer = new Uint8Array(Math.max(wanted, 2 * this.#data.length));
    longer.set(this.#data);
    this.#data = longer;
  }

  put(byte: number): void {
    if (this.#length === this.#data.length) this.#makeRoom(1);
    this.#data[this.#length++] = byte;
  }

  /** Adds the bytes of a text from one place to another. */
  copy(text: Uint8Array, from: number, to: number): void {
    if (this.#length + to - from > this.#data.length) this.#makeRoom(to - from);
    const data = this.#data;
    let length = this.#length;
    // A view of so few bytes would take longer to make than they take to copy.
    for (let at = from; at < to; at++) data[length++] = text[at] as number;
    this.#length = length;
  }

  /** Ends a key. */
  end(): void {
    this.#offsets.push(this.#length);
  }

  toColumn(): KeyColumn {
    return column(this.#data.subarray(0, this.#length), Uint32Array.from(this.#offsets));
  }
}

import { requireBytes } from '../keys/key.ts';
import { KeyLines } from '../keys/lines.ts';
import { LineCutter } from './cutter.ts';
import type { LineProgress, LineSettings } from './options.ts';
import { Pacer } from './pause.ts';

/** During a pause, other code may have transferred or resized the memory of the chunk. */
function requireWhole(chunk: Uint8Array, length: number): void {
  if (chunk.length !== length) throw new TypeError('chunk must not be transferred or resized while it is read');
}

/** Passes a text through a filter, chunk by chunk, and keeps count. */
export class LineRun {
  readonly #settings: LineSettings;
  readonly #step: (text: KeyLines) => KeyLines;
  readonly #isCounted: boolean;
  readonly #cutter = new LineCutter();
  readonly #pacer = new Pacer();
  #bytes = 0;
  #lines = 0;
  #kept = 0;

  /**
   * @param step gets whole lines, and returns those that are kept
   * @param isCounted whether to count lines, which takes time
   */
  constructor(settings: LineSettings, isCounted: boolean, step: (text: KeyLines) => KeyLines) {
    this.#settings = settings;
    this.#isCounted = isCounted;
    this.#step = step;
  }

  get progress(): LineProgress {
    return { bytes: this.#bytes, lines: this.#lines, kept: this.#kept };
  }

  /** Processes the next chunk. Once the promise resolves, the chunk's memory may be reused. */
  async push(chunk: Uint8Array): Promise<void> {
    const bytes = requireBytes('chunk', chunk);
    const { length } = bytes;
    for (const text of this.#cutter.cut(bytes)) {
      if (this.#pacer.isDue) {
        await this.#pacer.pause();
        this.#settings.signal?.throwIfAborted();
        requireWhole(bytes, length);
      }
      this.#take(text);
    }
    this.#bytes += length;
    this.#settings.onProgress?.(this.progress);
  }

  /** Processes the last line if no newline ends it. */
  end(): void {
    this.#take(this.#cutter.rest());
    this.#settings.onProgress?.(this.progress);
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const text = new KeyLines(bytes, this.#settings.crlf);
    const kept = this.#step(text);
    if (!this.#isCounted) return;
    const count = text.count();
    this.#lines += count;
    this.#kept += kept === text ? count : kept.count();
  }
}

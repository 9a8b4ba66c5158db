// Writes the kept lines to a Blob, which the browser may keep on disk, or to a file that the user chose.

/** Small parts are collected, because each write to a file and each part of a Blob costs time. */
const PART_BYTES = 2 ** 20;

/** The number of lines in the preview. */
const PREVIEW_LINES = 10;
const PREVIEW_BYTES = 16 * 1024;
const PREVIEW_LENGTH = 200;

/** The first lines of a text, as strings that can be shown. */
export function firstLines(text: Uint8Array): string[] {
  const lines = new TextDecoder().decode(text).split(/\r?\n/);
  // After the last newline comes nothing, or the beginning of a line that was cut.
  if (lines.length > 1) lines.pop();
  return lines.slice(0, PREVIEW_LINES).map((line) => line.slice(0, PREVIEW_LENGTH));
}

/** Takes the bytes of a result in order, and passes the first lines to the preview as soon as there are some. */
class Output {
  /** The file that takes the result, which keeps its old contents until it is closed; undefined for a Blob. */
  readonly #file: FileSystemWritableFileStream | undefined;
  readonly #onPreview: (lines: string[]) => void;
  readonly #blobs: Blob[] = [];
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;
  #isPreviewed = false;

  constructor(file: FileSystemWritableFileStream | undefined, onPreview: (lines: string[]) => void) {
    this.#file = file;
    this.#onPreview = onPreview;
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!this.#isPreviewed) {
      this.#isPreviewed = true;
      this.#onPreview(firstLines(bytes.subarray(0, PREVIEW_BYTES)));
    }
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length >= PART_BYTES) await this.#flush();
  }

  /** Ends the result, and returns it unless it went to a file. */
  async close(): Promise<Blob | undefined> {
    await this.#flush();
    if (this.#file === undefined) return new Blob(this.#blobs, { type: 'text/plain' });
    await this.#file.close();
    return undefined;
  }

  async abort(): Promise<void> {
    await this.#file?.abort();
  }

  async #flush(): Promise<void> {
    if (this.#length === 0) return;
    const part = new Blob(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (this.#file) await this.#file.write(part);
    else this.#blobs.push(part);
  }
}

/**
 * @param file takes the result; without one, it becomes a Blob
 * @param onPreview gets the first lines as soon as there are some
 */
export async function openOutput(
  file: FileSystemFileHandle | undefined,
  onPreview: (lines: string[]) => void,
): Promise<Output> {
  return new Output(await file?.createWritable(), onPreview);
}

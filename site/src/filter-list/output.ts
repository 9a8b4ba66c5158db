// Where the kept lines go: to a Blob, which the browser may keep on disk, or to a file that the user chose.

/** Small pieces are collected, because each write to a file and each part of a Blob costs time. */
const PIECE_BYTES = 2 ** 20;

/** The first lines, for a preview. */
const PREVIEW_LINES = 10;
const PREVIEW_BYTES = 16 * 1024;
const PREVIEW_LENGTH = 200;

/** Takes the bytes of a result, in order. */
export interface Output {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Ends the result, and gives it unless it went to a file. */
  close(): Promise<Blob | undefined>;
  /** Gives up. A file that was chosen keeps its old contents. */
  abort(): Promise<void>;
}

function blobOutput(): Output {
  const parts: Blob[] = [];
  return {
    async write(bytes) {
      parts.push(new Blob([bytes]));
    },
    close: async () => new Blob(parts, { type: 'text/plain' }),
    async abort() {},
  };
}

async function fileOutput(file: FileSystemFileHandle): Promise<Output> {
  const stream = await file.createWritable();
  return {
    write: (bytes) => stream.write(bytes),
    async close() {
      await stream.close();
      return undefined;
    },
    abort: () => stream.abort(),
  };
}

/** The first lines of a text, as strings that can be shown. */
export function firstLines(text: Uint8Array): string[] {
  const lines = new TextDecoder().decode(text).split(/\r?\n/);
  // What follows the last newline is no line, or the beginning of one that was cut.
  if (lines.length > 1) lines.pop();
  return lines.slice(0, PREVIEW_LINES).map((line) => line.slice(0, PREVIEW_LENGTH));
}

/** Collects small pieces, and shows the first lines as soon as there are some. */
class CollectingOutput {
  readonly #output: Output;
  readonly #onPreview: (lines: string[]) => void;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;
  #isPreviewed = false;

  constructor(output: Output, onPreview: (lines: string[]) => void) {
    this.#output = output;
    this.#onPreview = onPreview;
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (!this.#isPreviewed) {
      this.#isPreviewed = true;
      this.#onPreview(firstLines(bytes.subarray(0, PREVIEW_BYTES)));
    }
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length >= PIECE_BYTES) await this.#flush();
  }

  async close(): Promise<Blob | undefined> {
    await this.#flush();
    return this.#output.close();
  }

  abort(): Promise<void> {
    return this.#output.abort();
  }

  async #flush(): Promise<void> {
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#length = 0;
    if (at > 0) await this.#output.write(joined);
  }
}

/** @param onPreview gets the first lines as soon as there are some */
export async function openOutput(
  file: FileSystemFileHandle | undefined,
  onPreview: (lines: string[]) => void,
): Promise<Output> {
  return new CollectingOutput(file ? await fileOutput(file) : blobOutput(), onPreview);
}

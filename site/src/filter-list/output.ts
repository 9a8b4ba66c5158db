// Writes the kept lines to a Blob, which the browser may keep on disk, or to a file that the user chose.

/** Small parts are collected, because each write to a file and each part of a Blob costs time. */
const PART_BYTES = 2 ** 20;

/** The number of lines in the preview. */
const PREVIEW_LINES = 10;
const PREVIEW_BYTES = 16 * 1024;
const PREVIEW_LENGTH = 200;

/** A Blob or a file that takes the result in parts. */
interface Target {
  write(part: Blob): Promise<void>;
  /** Ends the result, and returns it unless it went to a file. */
  close(): Promise<Blob | undefined>;
  /** Gives up. A file that was chosen keeps its old contents. */
  abort(): Promise<void>;
}

function blobTarget(): Target {
  const parts: Blob[] = [];
  return {
    async write(part) {
      parts.push(part);
    },
    close: async () => new Blob(parts, { type: 'text/plain' }),
    async abort() {},
  };
}

async function fileTarget(file: FileSystemFileHandle): Promise<Target> {
  const stream = await file.createWritable();
  return {
    write: (part) => stream.write(part),
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
  // After the last newline comes nothing, or the beginning of a line that was cut.
  if (lines.length > 1) lines.pop();
  return lines.slice(0, PREVIEW_LINES).map((line) => line.slice(0, PREVIEW_LENGTH));
}

/** Takes the bytes of a result in order, and passes the first lines to the preview as soon as there are some. */
class Output {
  readonly #target: Target;
  readonly #onPreview: (lines: string[]) => void;
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;
  #isPreviewed = false;

  constructor(target: Target, onPreview: (lines: string[]) => void) {
    this.#target = target;
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
    return this.#target.close();
  }

  /** Gives up. A file that was chosen keeps its old contents. */
  abort(): Promise<void> {
    return this.#target.abort();
  }

  async #flush(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    if (parts.length > 0) await this.#target.write(new Blob(parts));
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
  return new Output(file ? await fileTarget(file) : blobTarget(), onPreview);
}

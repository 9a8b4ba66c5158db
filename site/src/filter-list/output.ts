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

/**
 * What takes the bytes of a result in order.
 *
 * @param destination takes the result, and keeps its old contents until that is closed; without one, it becomes a Blob
 * @param onPreview gets the first lines as soon as there are some
 */
export async function openOutput(destination: FileSystemFileHandle | undefined, onPreview: (lines: string[]) => void) {
  const file = await destination?.createWritable();
  const blobs: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let isPreviewed = false;

  async function flush(): Promise<void> {
    if (length === 0) return;
    const part = new Blob(parts);
    parts = [];
    length = 0;
    if (file) await file.write(part);
    else blobs.push(part);
  }

  return {
    async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
      if (!isPreviewed) onPreview(firstLines(bytes.subarray(0, PREVIEW_BYTES)));
      isPreviewed = true;
      parts.push(bytes);
      length += bytes.length;
      if (length >= PART_BYTES) await flush();
    },
    /** Ends the result, and gives it unless it went to a file. */
    async close(): Promise<Blob | undefined> {
      await flush();
      await file?.close();
      return file ? undefined : new Blob(blobs, { type: 'text/plain' });
    },
    abort: async (): Promise<void> => file?.abort(),
  };
}

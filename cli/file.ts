import { closeSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import type { Chunks } from './peek.ts';

/** The number of bytes read at a time. Larger chunks are hardly faster, and take memory. */
const CHUNK_BYTES = 256 * 1024;

const readBytes = promisify(read);

/**
 * Reads a regular file; the next chunk while the last one is in use. Two buffers are used in turn, because new ones
 * would be garbage faster than it is collected. So a chunk is valid until the next one is asked for.
 *
 * @param name the path of the file; 0 for stdin
 */
export async function* fileChunks(name: string | 0): Chunks {
  const file = name === 0 ? name : openSync(name, 'r');
  let [buffer, next] = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
  const readNext = (): Promise<{ bytesRead: number }> => {
    const reading = readBytes(file, next, 0, CHUNK_BYTES, null);
    // An error counts only once the chunk is asked for.
    reading.catch(() => {});
    return reading;
  };
  let reading = readNext();
  try {
    for (;;) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      [buffer, next] = [next, buffer];
      reading = readNext();
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await reading.catch(() => {});
    if (file !== 0) closeSync(file);
  }
}

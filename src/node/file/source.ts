import { fstatSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type RangeSource, SourceError } from '../../open/source.ts';

/** What changes when somebody writes to a file. */
function versionOf(file: number): { size: number; version: string } {
  const { size, mtimeNs } = fstatSync(file, { bigint: true });
  return { size: Number(size), version: `${size} ${mtimeNs}` };
}

/**
 * Closes the file of a source that was dropped. Otherwise, Node closes it with a warning, and Node 26 ends the process
 * with an error.
 */
const dropped = new FinalizationRegistry<FileHandle>((handle) => {
  handle.close().catch(() => {});
});

/** Gives ranges of a file. A file that takes the place of this one, under its name, is not read. */
export async function openSource(path: string): Promise<RangeSource> {
  // Before it is opened, because that waits for somebody who writes to a pipe.
  if (!(await stat(path)).isFile()) throw new RangeError(`${path} must be a file, not a folder, device or pipe`);
  const handle = await open(path);
  try {
    // Both methods refer to it, so it lives as long as the source, and until reads that are under way have ended.
    const file = { handle, ...versionOf(handle.fd) };
    dropped.register(file, handle, file);
    return {
      size: file.size,
      async read(offset, length) {
        const bytes = new Uint8Array(length);
        for (let at = 0; at < length; ) {
          const { bytesRead } = await file.handle.read(bytes, at, length - at, offset + at);
          // At the end of the file, which has become shorter.
          if (bytesRead === 0) break;
          at += bytesRead;
        }
        if (versionOf(file.handle.fd).version === file.version) return bytes;
        throw new SourceError('CHANGED', `${path} has changed since it was opened: open it again`);
      },
      close() {
        dropped.unregister(file);
        return file.handle.close();
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

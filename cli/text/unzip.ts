import { pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { BEGINNINGS, formatNameOf } from '../../src/streams/first-bytes.ts';
import { CommandError, nameOf } from '../errors.ts';
import type { Chunks } from './bytes.ts';
import { type Unzip, unzipFrames } from './frames.ts';
import { canGunzipMembers, gunzipMembers } from './gunzip.ts';
import { peek } from './input.ts';

export { formatNameOf };

/** The number of bytes unzipped at a time. Larger chunks leave more garbage than is collected in time. */
const OPTIONS = { chunkSize: 32 * 1024 } as const;

/** From Node 22.15 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: typeof OPTIONS) => Unzip };

/** Copies the chunks, because their memory is used again before they are unzipped. */
async function* copiesOf(chunks: Chunks): Chunks {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function* gunzipWhole(chunks: Chunks): Chunks {
  const unzip = zlib.createGunzip(OPTIONS);
  // Errors of both streams surface when `unzip` is read.
  pipeline(Readable.from(copiesOf(chunks), { objectMode: false }), unzip, () => {});
  yield* unzip;
}

/** What unzips a format here, if anything does. */
const UNZIP: Readonly<Record<string, ((name: string, chunks: Chunks) => Chunks) | undefined>> = {
  gzip: (name, chunks) =>
    canGunzipMembers ? gunzipMembers(name, chunks, () => zlib.createInflateRaw(OPTIONS)) : gunzipWhole(chunks),
  zstd: createZstdDecompress && ((_, chunks) => unzipFrames(chunks, () => createZstdDecompress(OPTIONS))),
};

/** Files with these names are compressed, whatever their first bytes. */
const ENDINGS: Readonly<Record<string, string>> = { '.gz': 'gzip', '.zst': 'zstd', '.xz': 'xz', '.bz2': 'bzip2' };

/** What prints the contents of a file that is not read here. */
const PRINTING: Readonly<Record<string, string>> = {
  compress: 'gzip -dc',
  lzma: 'xz -dc',
  zip: 'unzip -p',
  tar: 'tar -xOf',
  '7z': '7z x -so',
  rar: 'unrar p -inul',
  'UTF-16': 'iconv -f UTF-16 -t UTF-8',
  'UTF-32': 'iconv -f UTF-32 -t UTF-8',
};
const ARCHIVES = ['zip', 'tar', '7z', 'rar'];

/** An error for a file that is not read here, or that has such a file in it. */
export function refusalOf(name: string, format: string, isInside: boolean): CommandError {
  const program = PRINTING[format] ?? `${format} -dc`;
  const subject = isInside ? `what ${nameOf(name)} contains` : nameOf(name);
  const how = `with '${program}', and read that through a pipe`;
  if (format.startsWith('UTF')) return new CommandError(`${subject} is ${format}: convert it ${how}`);
  const is = ARCHIVES.includes(format) ? `is a ${format} archive: unpack` : `is compressed with ${format}: unzip`;
  return new CommandError(`${subject} ${is} it ${how}`);
}

const isText = (format: string): boolean => format.startsWith('UTF');

/** The bytes that tell a format, but for those of tar, for which nothing waits. */
export const SIGNATURES: readonly Buffer[] = BEGINNINGS.flatMap(([, ...beginnings]) =>
  beginnings.map((each) => Buffer.from(each, 'latin1')),
);

/** The format in which a file is compressed by its name. */
export function formatOfName(name: string): string | undefined {
  return Object.entries(ENDINGS).find(([ending]) => name.endsWith(ending))?.[1];
}

/** The format in which a file is compressed or packed, which its name tells or its first bytes. */
export function zippedFormatOf(name: string, head: Buffer): string | undefined {
  const format = formatNameOf(head);
  return format === undefined || isText(format) ? formatOfName(name) : format;
}

async function* unzipped(name: string, chunks: Chunks): Chunks {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot unzip ${nameOf(name)}: ${(error as Error).message}`, { cause: error });
  }
}

/** What a file contains, once unzipped. */
interface Contents {
  readonly chunks: Chunks;
  readonly isZipped: boolean;
}

/**
 * Unzips a file if its name or its first bytes mark it as compressed.
 *
 * @throws CommandError if it is compressed in a format that cannot be read here, or an archive
 */
export async function unzip(name: string, file: Chunks): Promise<Contents> {
  const { head, chunks } = await peek(file, SIGNATURES);
  const format = zippedFormatOf(name, head);
  if (format === undefined) return { chunks, isZipped: false };
  const read = UNZIP[format];
  if (read) return { chunks: unzipped(name, read(name, chunks)), isZipped: true };
  await file.return();
  throw refusalOf(name, format, false);
}

import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { CommandError, nameOf } from '../errors.ts';
import { type Chunks, peek, startsWith } from './input.ts';

/** A compressed format. A file has it if its name has the ending, or if it begins with one of the signatures. */
interface Format {
  readonly program: string;
  readonly ending: string;
  readonly signatures: readonly Buffer[];
  /** Starts to unzip; undefined if this version of Node cannot. */
  readonly open: ((options: { chunkSize: number }) => Transform) | undefined;
}

/** The number of bytes unzipped at a time. Larger chunks leave more garbage than is collected in time. */
const CHUNK_BYTES = 32 * 1024;

/** From Node 22.15 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: Format['open'] };

const FORMATS: readonly Format[] = [
  { program: 'gzip', ending: '.gz', signatures: [Buffer.from([0x1f, 0x8b])], open: zlib.createGunzip },
  { program: 'zstd', ending: '.zst', signatures: [Buffer.from([0x28, 0xb5, 0x2f, 0xfd])], open: createZstdDecompress },
  { program: 'xz', ending: '.xz', signatures: [Buffer.from('\xfd7zXZ\0', 'latin1')], open: undefined },
  {
    program: 'bzip2',
    ending: '.bz2',
    signatures: Array.from('123456789', (level) => Buffer.from(`BZh${level}1AY&SY`)),
    open: undefined,
  },
];

const SIGNATURES = FORMATS.flatMap(({ signatures }) => signatures);

/** So many bytes of a file tell whether it is compressed. */
export const HEAD_BYTES: number = Math.max(...SIGNATURES.map(({ length }) => length));

function formatOf(name: string, head: Buffer): Format | undefined {
  return FORMATS.find(
    ({ ending, signatures }) => name.endsWith(ending) || signatures.some((signature) => startsWith(head, signature)),
  );
}

/** Whether a file is compressed, which its name tells or its first bytes. */
export function isZipped(name: string, head: Buffer): boolean {
  return formatOf(name, head) !== undefined;
}

/** Copies the chunks, because their memory is used again before they are unzipped. */
async function* copiesOf(chunks: Chunks): Chunks {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function* unzipped(name: string, chunks: Chunks, unzip: Transform): Chunks {
  // Errors of both streams surface when `unzip` is read.
  pipeline(Readable.from(copiesOf(chunks), { objectMode: false }), unzip, () => {});
  try {
    yield* unzip;
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
 * @throws CommandError if it is compressed in a format that cannot be read here
 */
export async function unzip(name: string, file: Chunks): Promise<Contents> {
  const { head, chunks } = await peek(file, SIGNATURES);
  const format = formatOf(name, head);
  if (format === undefined) return { chunks, isZipped: false };
  const { program, open } = format;
  if (open) return { chunks: unzipped(name, chunks, open({ chunkSize: CHUNK_BYTES })), isZipped: true };
  await file.return();
  throw new CommandError(`${nameOf(name)} is compressed: unzip it with '${program} -dc', and read that through a pipe`);
}

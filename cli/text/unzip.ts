import { pipeline, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { CommandError, nameOf } from '../errors.ts';
import { type Unzip, unzipFrames } from './frames.ts';
import { type Chunks, peek, startsWith } from './input.ts';

/** A compressed format. A file has it if its name has the ending, or if it begins with one of the signatures. */
interface Format {
  readonly program: string;
  readonly ending: string;
  readonly signatures: readonly Buffer[];
  /** Unzips a file; undefined if this version of Node cannot. */
  readonly unzip: ((chunks: Chunks) => Chunks) | undefined;
}

/** The number of bytes unzipped at a time. Larger chunks leave more garbage than is collected in time. */
const OPTIONS = { chunkSize: 32 * 1024 } as const;

/** From Node 22.15 on. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: typeof OPTIONS) => Unzip };

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

async function* gunzip(chunks: Chunks): Chunks {
  const unzip = zlib.createGunzip(OPTIONS);
  // Errors of both streams surface when `unzip` is read.
  pipeline(Readable.from(copiesOf(chunks), { objectMode: false }), unzip, () => {});
  yield* unzip;
}

const unzstd =
  createZstdDecompress && ((chunks: Chunks): Chunks => unzipFrames(chunks, () => createZstdDecompress(OPTIONS)));

const FORMATS: readonly Format[] = [
  { program: 'gzip', ending: '.gz', signatures: [Buffer.from([0x1f, 0x8b])], unzip: gunzip },
  { program: 'zstd', ending: '.zst', signatures: [Buffer.from([0x28, 0xb5, 0x2f, 0xfd])], unzip: unzstd },
  { program: 'xz', ending: '.xz', signatures: [Buffer.from('\xfd7zXZ\0', 'latin1')], unzip: undefined },
  {
    program: 'bzip2',
    ending: '.bz2',
    signatures: Array.from('123456789', (level) => Buffer.from(`BZh${level}1AY&SY`)),
    unzip: undefined,
  },
];

const SIGNATURES = FORMATS.flatMap(({ signatures }) => signatures);
/** So many bytes of a file tell whether it is compressed. */
export const HEAD_BYTES: number = Math.max(...SIGNATURES.map(({ length }) => length));

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
 * @throws CommandError if it is compressed in a format that cannot be read here
 */
export async function unzip(name: string, file: Chunks): Promise<Contents> {
  const { head, chunks } = await peek(file, SIGNATURES);
  const format = formatOf(name, head);
  if (format === undefined) return { chunks, isZipped: false };
  const { program } = format;
  if (format.unzip) return { chunks: unzipped(name, format.unzip(chunks)), isZipped: true };
  await file.return();
  throw new CommandError(`${nameOf(name)} is compressed: unzip it with '${program} -dc', and read that through a pipe`);
}

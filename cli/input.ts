import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError, cannot, quote } from './errors.ts';
import { peek } from './peek.ts';

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/**
 * The number of bytes read, or unzipped, at a time. Larger chunks are a seventh faster, but leave more garbage than is
 * collected in time.
 */
const CHUNK_BYTES = 32 * 1024;
const NEWLINE = 10;
const STDIN = '-';

/** @throws CommandError if stdin would be read twice */
export function requireOneStdin(names: readonly string[]): void {
  if (names.indexOf(STDIN) !== names.lastIndexOf(STDIN)) throw new CommandError('stdin can be read only once');
}

/** Files to be read one after the other; `-` is stdin. */
export interface Inputs {
  readonly names: readonly string[];
  /** The total size of the files in bytes, before unzipping; undefined if it is not known. */
  readonly size: number | undefined;
  /** The number of bytes read so far, before unzipping. */
  bytesRead: number;
  /** The first input that cannot be read twice: stdin or a pipe. */
  readonly transient: string | undefined;
}

async function statOf(name: string): Promise<Stats> {
  try {
    const found = name === STDIN ? fstatSync(0) : await stat(name);
    if (found.isDirectory()) throw new Error('it is a directory');
    return found;
  } catch (error) {
    throw cannot('read', name, error);
  }
}

/**
 * Finds the files to read, or stdin if none is named, before any work begins.
 *
 * @param others names of other files that the command reads
 * @throws CommandError if a file is missing or a directory, or stdin would be read twice
 */
export async function findInputs(given: readonly string[], others: readonly string[] = []): Promise<Inputs> {
  const names = given.length > 0 ? given : [STDIN];
  requireOneStdin([...names, ...others]);
  const found = await Promise.all(names.map(statOf));
  return {
    names,
    size: found.every((each) => each.isFile()) ? found.reduce((sum, each) => sum + each.size, 0) : undefined,
    bytesRead: 0,
    transient: names.find((name, i) => name === STDIN || !found[i]?.isFile()),
  };
}

function streamOf(name: string): Readable {
  return name === STDIN ? process.stdin : createReadStream(name, { highWaterMark: CHUNK_BYTES });
}

/** The bytes of a file as they are, not unzipped. */
export async function* rawChunks(name: string, onRead: (bytes: number) => void = () => {}): Chunks {
  try {
    for await (const chunk of streamOf(name)) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw cannot('read', name, error);
  }
}

async function* unzipped(name: string, chunks: Chunks): Chunks {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Errors of both streams surface when `gunzip` is read.
  pipeline(Readable.from(chunks, { objectMode: false }), gunzip, () => {});
  try {
    yield* gunzip;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot unzip ${quote(name)}: ${(error as Error).message}`, { cause: error });
  }
}

/** The text of a file, unzipped if its name or its first bytes mark it as gzip. */
async function* textChunks(name: string, onRead: (bytes: number) => void): Chunks {
  const { head, chunks } = await peek(rawChunks(name, onRead), 2);
  const isGzip = name.endsWith('.gz') || (head[0] === 0x1f && head[1] === 0x8b);
  yield* isGzip ? unzipped(name, chunks) : chunks;
}

/** The text of all inputs in order. A last line without a newline gets one if text of another file follows. */
export async function* readInputs(inputs: Inputs): Chunks {
  let last = NEWLINE;
  for (const name of inputs.names) {
    let isFirst = true;
    for await (const chunk of textChunks(name, (bytes) => (inputs.bytesRead += bytes))) {
      if (chunk.length === 0) continue;
      if (isFirst && last !== NEWLINE) yield Uint8Array.of(NEWLINE);
      isFirst = false;
      last = chunk[chunk.length - 1] ?? NEWLINE;
      yield chunk;
    }
  }
}

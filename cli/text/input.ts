// The files that a command reads, and their bytes.

import { closeSync, createReadStream, fstatSync, open, openSync, read, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { CommandError, cannot } from '../errors.ts';
import type { Chunks } from './bytes.ts';

/** The number of bytes read from a file at a time. Larger chunks are hardly faster, and take memory. */
const FILE_CHUNK_BYTES = 256 * 1024;
/** The number of bytes read from a pipe at a time: as many as Linux holds in it. */
const PIPE_CHUNK_BYTES = 64 * 1024;
/** The name of stdin. */
export const STDIN = '-';

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
  /** The number of lines read so far, if somebody sees the progress. */
  linesRead: number;
  /** The first input that cannot be read twice: stdin or a pipe. */
  readonly transient: string | undefined;
  /** Whether an input that cannot be read is reported and left out, as grep does, or an error. */
  readonly mayFail: boolean;
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

function namesOf(given: readonly string[], others: readonly string[]): readonly string[] {
  const names = given.length > 0 ? given : [STDIN];
  requireOneStdin([...names, ...others]);
  return names;
}

function inputsOf(names: readonly string[], found: readonly (Stats | undefined)[], mayFail: boolean): Inputs {
  return {
    names,
    mayFail,
    size: found.every((each) => each?.isFile()) ? found.reduce((sum, each) => sum + (each?.size ?? 0), 0) : undefined,
    bytesRead: 0,
    linesRead: 0,
    transient: names.find((name, i) => name === STDIN || !found[i]?.isFile()),
  };
}

/**
 * Finds the files to read, or stdin if none is named, before any work begins.
 *
 * @throws CommandError if a file is missing or a directory, or stdin would be read twice
 */
export async function findInputs(given: readonly string[]): Promise<Inputs> {
  const names = namesOf(given, []);
  return inputsOf(names, await Promise.all(names.map(statOf)), false);
}

/**
 * Finds the files to read, or stdin if none is named. A file that cannot be read is an error when its turn comes.
 *
 * @param others names of other files that the command reads
 * @throws CommandError if stdin would be read twice
 */
export async function findReadableInputs(given: readonly string[], others: readonly string[]): Promise<Inputs> {
  const names = namesOf(given, others);
  return inputsOf(names, await Promise.all(names.map((name) => statOf(name).catch(() => undefined))), true);
}

const readBytes = promisify(read);
const openFile = promisify(open);

/**
 * Reads a regular file; the next chunk while the last one is in use. Two buffers are used in turn, because new ones
 * would be garbage faster than it is collected. So a chunk is valid until the next one is asked for.
 *
 * @param name the path of the file; 0 for stdin
 */
async function* fileChunks(name: string | 0): Chunks {
  const file = name === 0 ? name : openSync(name, 'r');
  let [buffer, next] = [new Uint8Array(FILE_CHUNK_BYTES), new Uint8Array(FILE_CHUNK_BYTES)];
  const readNext = (): Promise<{ bytesRead: number }> => {
    const reading = readBytes(file, next, 0, FILE_CHUNK_BYTES, null);
    // An error is thrown where the chunk is awaited. Until then it must not be an unhandled rejection.
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

/** The named pipes that are open. */
const pipes = new Set<Socket>();

/** A named pipe can be closed while a chunk of it is awaited, as only a socket of Node's can. */
async function pipeChunks(name: string): Promise<AsyncIterable<Uint8Array>> {
  const pipe = new Socket({ fd: await openFile(name, 'r'), readable: true, writable: false });
  pipes.add(pipe);
  return pipe.once('close', () => pipes.delete(pipe));
}

/** Closes stdin and named pipes from which nothing more is read. Node would wait for those who write to them. */
export function closePipes(): void {
  for (const pipe of [process.stdin, ...pipes]) pipe.destroy();
}

async function chunksOf(name: string): Promise<AsyncIterable<Uint8Array>> {
  const found = name === STDIN ? fstatSync(0) : await stat(name);
  if (found.isFile()) return fileChunks(name === STDIN ? 0 : name);
  // Node reads it as an empty stdin.
  if (found.isDirectory()) throw new Error('it is a directory');
  if (name === STDIN) return process.stdin;
  return found.isFIFO() ? pipeChunks(name) : createReadStream(name, { highWaterMark: PIPE_CHUNK_BYTES });
}

/** The bytes of a file as they are, not unzipped. A chunk is valid until the next one is asked for. */
export async function* rawChunks(name: string, onRead: (bytes: number) => void): Chunks {
  try {
    for await (const chunk of await chunksOf(name)) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw cannot('read', name, error);
  }
}

async function* after(head: Uint8Array, rest: Chunks): Chunks {
  try {
    if (head.length > 0) yield head;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Reads ahead while the bytes so far may be the beginning of one of the signatures, but are not long enough to tell.
 * Then `head` has these bytes, and `chunks` yields all bytes, `head` included.
 */
export async function peek(
  chunks: Chunks,
  signatures: readonly Uint8Array[],
): Promise<{ head: Buffer; chunks: Chunks }> {
  let head = Buffer.alloc(0);
  const isOpen = (signature: Uint8Array): boolean =>
    head.length < signature.length && head.equals(signature.subarray(0, head.length));
  while (signatures.some(isOpen)) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { head, chunks: after(head, chunks) };
}

export function startsWith(head: Buffer, signature: Uint8Array): boolean {
  return head.subarray(0, signature.length).equals(signature);
}

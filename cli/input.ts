import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError, cannot } from './errors.ts';
import { fileChunks } from './file.ts';
import type { Chunks } from './peek.ts';

/** The number of bytes read from a pipe at a time: as many as Linux holds in it. */
const CHUNK_BYTES = 64 * 1024;
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

async function chunksOf(name: string): Promise<AsyncIterable<Uint8Array>> {
  const isFile = (name === STDIN ? fstatSync(0) : await stat(name)).isFile();
  if (isFile) return fileChunks(name === STDIN ? 0 : name);
  return name === STDIN ? process.stdin : createReadStream(name, { highWaterMark: CHUNK_BYTES });
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

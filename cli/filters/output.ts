// Where output goes: stdout, or a file that is saved whole.

import { fstatSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
// No entry of the package exports this: the library offers to save filters, not texts.
import {
  type Chunks,
  findTarget,
  followLinks,
  namesNoFile,
  type Target,
  writeTarget,
} from '../../src/node/file/replace.ts';
import { CommandError, cannot, quote, REPLACEMENT } from '../errors.ts';
import { beforeEnd } from './signals.ts';

/** The exit code that a shell reports for a program ended by SIGPIPE. */
const SIGPIPE_EXIT = 141;

let onClosed = (): void => {};

/** Has a function run if the reader of stdout has gone before all was written, just before that ends the program. */
export function beforeClosed(run: () => void): void {
  onClosed = run;
}

/** Ends the program if stdout fails: quietly once its reader has gone, as `head` does after ten lines. */
export function watchOutput(fail: (error: unknown) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      onClosed();
      process.exit(SIGPIPE_EXIT);
    }
    fail(cannot('write to', 'stdout', error));
    process.exit();
  });
  // Nobody reads the messages. The exit code still tells.
  process.stderr.on('error', () => {});
}

/** Writes to stdout. When the promise resolves, the chunk's memory may be used again. */
export function write(chunk: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => {
    // An error ends the program: see `watchOutput`.
    process.stdout.write(chunk, (error) => error ?? resolve());
  });
}

/** Writes facts as JSON to stdout. */
export async function writeJson(facts: object): Promise<void> {
  await write(`${JSON.stringify(facts, null, 2)}\n`);
}

/** The destination of a save, and its name as the user gave it. */
interface NamedTarget extends Target {
  readonly name: string;
}

/**
 * Resolves the destination of a save. Called before the work whose result is saved, so that errors come early.
 *
 * @throws CommandError if nothing can be written there
 */
async function targetOf(name: string): Promise<NamedTarget> {
  try {
    if (namesNoFile(name)) throw new Error('it names no file');
    if (name.includes(REPLACEMENT)) throw new Error('its name may not be valid UTF-8: use > and -o - in place of it');
    return { name, ...(await findTarget(name)) };
  } catch (error) {
    throw cannot('write', name, error);
  }
}

/**
 * Saves a file atomically: at any moment there is the old file or the new one, whole. A device or a pipe is written to
 * directly.
 *
 * @throws CommandError if that fails
 */
async function save(target: NamedTarget, chunks: Chunks): Promise<void> {
  try {
    await writeTarget(target, chunks, (path) => beforeEnd(() => rmSync(path, { force: true })));
  } catch (error) {
    throw error instanceof CommandError ? error : cannot('write', target.name, error);
  }
}

/** Writes to a file or to stdout. */
export interface Writer {
  /** Whether nothing is written unless all is. */
  readonly isAtomic: boolean;
  write(chunks: Chunks): Promise<void>;
}

/**
 * Checks where something is to be written, and returns what writes it there. `-` is stdout.
 *
 * @throws CommandError if it cannot be written there
 */
export async function writerTo(name: string): Promise<Writer> {
  if (name === '-') {
    return {
      isAtomic: false,
      async write(chunks) {
        for await (const chunk of chunks) await write(chunk);
      },
    };
  }
  const target = await targetOf(name);
  return { isAtomic: !target.isSpecial, write: (chunks) => save(target, chunks) };
}

/** Identifies a regular file, or one that does not exist yet, by any of its names; undefined for pipes and devices. */
async function identityOf(name: string, standard: 0 | 1): Promise<string | undefined> {
  try {
    const found = name === '-' ? fstatSync(standard, { bigint: true }) : await stat(name, { bigint: true });
    return found.isFile() ? `${found.dev} ${found.ino}` : undefined;
  } catch {
    // A path whose folder does not exist is refused later.
    return followLinks(name).catch(() => resolve(name));
  }
}

/**
 * Checks that an output is none of the other files of a command, by whatever name. `-` is stdout, or stdin among the
 * others.
 *
 * @throws CommandError if it is one of them
 */
export async function requireOther(output: string, others: readonly string[]): Promise<void> {
  const identity = await identityOf(output, 1);
  if (identity === undefined) return;
  const identities = await Promise.all(others.map((name) => identityOf(name, 0)));
  if (!identities.includes(identity)) return;
  const name = output === '-' ? 'stdout' : quote(output);
  throw new CommandError(`${name} is read and written by this command: choose another file`);
}

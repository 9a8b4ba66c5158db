// Filters whose keys are hashed under a secret. It comes in a file: arguments and variables of a program show in lists of
// processes.

import { createReadStream } from 'node:fs';
import { CommandError, cannot, nameOf } from '../errors.ts';
import { type ReadableClass, readableClasses } from './kinds.ts';
import { requireOther } from './output.ts';

const SECRET_BYTES = 16;
/** What `openssl rand -hex 16` writes. */
const DIGITS = /^([\da-f]{32})(?:\r?\n)?$/i;

/** Reads a file up to the byte with which it is too long for a secret: it may be a device without an end. */
async function beginningOf(name: string): Promise<Buffer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(name, { end: 2 * SECRET_BYTES + 2 })) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    throw cannot('read', name, error);
  }
}

/** @throws CommandError if the file cannot be read or holds no secret; it shows nothing of what the file holds */
async function readSecret(name: string): Promise<Uint8Array> {
  const bytes = await beginningOf(name);
  const [, digits] = DIGITS.exec(bytes.toString('latin1')) ?? [];
  const secret = digits === undefined ? bytes : Buffer.from(digits, 'hex');
  if (secret.length === SECRET_BYTES && secret.some(Boolean)) return secret;
  const wanted = `${SECRET_BYTES} random bytes, or the ${2 * SECRET_BYTES} digits of openssl rand -hex ${SECRET_BYTES}`;
  throw new CommandError(`${nameOf(name)} holds no secret: that is ${wanted}`);
}

/** Gives a class whose filters hash their keys under a secret, or the same class if there is no secret. */
export type Under = <C extends ReadableClass>(Class: C) => C;

/**
 * @param file the file of the secret, if there is one
 * @param output where the command writes
 * @throws CommandError if the file holds no secret, or would be overwritten
 */
export async function underSecret(file: string | undefined, output?: string): Promise<Under> {
  if (file === undefined) return (Class) => Class;
  if (output !== undefined) await requireOther(output, [file]);
  const secret = await readSecret(file);
  // Loaded only now, because few commands need it.
  const { keyed } = await import('bloomery/keyed');
  return (Class) => keyed(Class, secret);
}

/** As `underSecret`, for all classes of filters that can be loaded. */
export async function readableUnder(file: string | undefined, output?: string): Promise<readonly ReadableClass[]> {
  if (file === undefined) return readableClasses;
  const under = await underSecret(file, output);
  return readableClasses.map((Class) => under(Class));
}

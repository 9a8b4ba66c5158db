import { fstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandError, quote } from './errors.ts';

/** Identifies a regular file, or one that does not exist yet; undefined for pipes and devices. */
async function identityOf(name: string, standard: 0 | 1): Promise<string | undefined> {
  try {
    const found = name === '-' ? fstatSync(standard, { bigint: true }) : await stat(name, { bigint: true });
    return found.isFile() ? `${found.dev} ${found.ino}` : undefined;
  } catch {
    return resolve(name);
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
  throw new CommandError(`${name} is also read by this command: choose another output`);
}

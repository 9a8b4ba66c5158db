// Filters in the formats of other systems.

import { SavedFilterError } from 'bloomery';
import { CommandError, nameOf } from '../errors.ts';
import type { Chunks } from '../text/bytes.ts';
import { collect } from '../text/sections.ts';
import { type ForeignFilter, foreignClasses, readableForeignClasses } from './kinds.ts';

/** The first bytes of files of the formats: see docs/interop.md. Texts begin with none of them. */
const FIRST_BYTES: readonly number[] = [0x00, 0x01, 0x15];

/** What all classes have. Their types differ in what users do not see. */
interface Reading {
  fromBytes(bytes: Uint8Array): ForeignFilter;
}

/** Whether a file that begins so may be a filter of another system. */
export function mayBeForeign(head: Uint8Array): boolean {
  return FIRST_BYTES.includes(head[0] ?? 0xff);
}

/**
 * Reads a filter of another system.
 *
 * @param format the name of the format; undefined for any
 * @throws CommandError if it is none
 */
export async function readForeign(name: string, chunks: Chunks, format: string | undefined): Promise<ForeignFilter> {
  const bytes = await collect(chunks, 0);
  // Dumps of RedisBloom have no first bytes of their own, so they are tried only if they are asked for.
  const wanted = format === undefined ? foreignClasses : readableForeignClasses.filter(({ kind }) => kind === format);
  let cause: unknown;
  for (const Class of wanted) {
    try {
      return (Class as object as Reading).fromBytes(bytes);
    } catch (error) {
      if (!(error instanceof SavedFilterError)) throw error;
      cause = error;
    }
  }
  const reason = format === undefined ? '' : `: ${(cause as SavedFilterError).reason}`;
  const what =
    format === undefined ? 'a filter: bloomery build makes one from a text' : `a filter of ${format}${reason}`;
  throw new CommandError(`${nameOf(name)} is not ${what}`, { cause });
}

// Filters that are not loaded: of a large file, only what a few keys need is read.

import { stat } from 'node:fs/promises';
import { SavedFilterError } from 'bloomery';
import { fileSource } from 'bloomery/file';
import { type OpenedFilter, openFilter } from 'bloomery/open';
import { CommandError, cannot, nameOf } from '../errors.ts';
import { refusal } from './filter-file.ts';
import { type ReadableClass, readableClasses } from './kinds.ts';

/** Smaller files are loaded: that takes no longer than a few tenths of a second. */
const LARGE_BYTES: number = 2 ** 24;
/** Loading a filter takes about as long per byte as looking keys up in its file takes per byte of keys and read. */
const FILTER_BYTES = 1000;

/** What decides whether a filter is loaded. */
interface Wish {
  readonly load: boolean;
  readonly 'no-load': boolean;
  /** The name of another system's format, if one was given. */
  readonly format: string | undefined;
}

/** A filter whose keys are looked up in its file. */
export type OpenedFile = Pick<OpenedFilter, 'parameters' | 'hasMany' | 'getMany' | 'pick' | 'omit' | 'close'>;

/** Lets the errors of an opened filter say which file is damaged. */
function named(filter: OpenedFilter, name: string, hasSecret: boolean): OpenedFile {
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof SavedFilterError ? refusal(name, error, hasSecret) : error;
    }
  };
  return {
    parameters: filter.parameters,
    hasMany: (keys) => told(filter.hasMany(keys)),
    getMany: (keys) => told(filter.getMany(keys)),
    pick: (keys) => told(filter.pick(keys)),
    omit: (keys) => told(filter.omit(keys)),
    close: () => filter.close(),
  };
}

/**
 * Opens a filter without loading it, if that is wanted, or if the file is large and the keys are few.
 *
 * @param keyBytes how many bytes the keys have; undefined if that is not known
 * @returns undefined if it must be loaded
 * @throws CommandError if it cannot be opened, and must not be loaded
 */
export async function openIfLarge(
  name: string,
  classes: readonly ReadableClass[],
  { load, 'no-load': mustOpen, format }: Wish,
  keyBytes: number | undefined,
): Promise<OpenedFile | undefined> {
  if (load && mustOpen) throw new CommandError('--load and --no-load exclude each other');
  const refuse = (reason: string, cause?: unknown): undefined => {
    if (mustOpen) throw new CommandError(`--no-load cannot be used: ${nameOf(name)} ${reason}`, { cause });
  };
  if (load) return undefined;
  const hasSecret = classes !== readableClasses;
  if (format !== undefined) return refuse('is in the format of another system');
  if (name === '-') return refuse('can be read only once');
  const found = await stat(name).catch(() => undefined);
  if (!found?.isFile()) return refuse('is not a file');
  if (!mustOpen && (found.size < LARGE_BYTES || keyBytes === undefined)) return undefined;
  try {
    const filter = await openFilter(classes, fileSource(name));
    const isWorth = mustOpen || FILTER_BYTES * (keyBytes ?? 0) * filter.parameters.reads < found.size;
    if (isWorth) return named(filter, name, hasSecret);
    await filter.close();
    return undefined;
  } catch (error) {
    if (!(error instanceof SavedFilterError)) throw cannot('read', name, error);
    // It may be compressed, or of another system.
    if (error.code === 'FOREIGN') return refuse('does not begin as a filter does, or is compressed', error);
    if (error.code === 'KIND') return refuse(`is a ${error.kind} filter, which must be loaded`, error);
    throw refusal(name, error, hasSecret);
  }
}

/** The error rate of an opened filter: that which it was made for; undefined if its file does not tell. */
export function rateOf({ parameters }: OpenedFile): number | undefined {
  return parameters.errorRate || undefined;
}

// Where something is wrong: a file and a line.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** A place in a file, as Vite and Rollup show it. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

/** An error of a build, with the properties from which Vite and Rollup show the place. */
class PlacedError extends Error {
  readonly id: string;
  readonly loc: Place;

  constructor(message: string, place: Place, cause?: unknown) {
    super(`${relative('.', place.file)}:${place.line}: ${message}`, { cause });
    this.id = place.file;
    this.loc = place;
  }
}

/** Makes the error for what is wrong at a place. Of a place that is unknown, it says nothing. */
export function errorAt(place: Place | undefined, message: string, cause?: unknown): Error {
  return place ? new PlacedError(message, place, cause) : new Error(message, { cause });
}

/** Finds an import in the file that has it. Modules that a plugin has made up have no file. */
export function placeOf(importer: string, source: string): Place | undefined {
  const [file = ''] = importer.split('?');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const before = text.slice(0, Math.max(0, text.indexOf(source))).split('\n');
  return { file, line: before.length, column: before.at(-1)?.length ?? 0 };
}

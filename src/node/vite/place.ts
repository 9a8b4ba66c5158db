// Where something is wrong: a file and a line.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** A place in the text of a file. */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

/** A file, and where in its text, if that is known. */
export interface Place {
  readonly file: string;
  readonly position: Position | undefined;
}

/** An error of a build, with the properties from which Vite and Rollup show the place. */
class PlacedError extends Error {
  readonly id: string;
  readonly loc: (Position & { readonly file: string }) | undefined;

  constructor(message: string, { file, position }: Place, cause?: unknown) {
    const shown = [relative('.', file), ...(position ? [position.line] : [])].join(':');
    super(`${shown}: ${message}`, { cause });
    this.id = file;
    this.loc = position && { file, ...position };
  }
}

/** Makes the error for what is wrong at a place. Of a place that is unknown, it says nothing. */
export function errorAt(place: Place | undefined, message: string, cause?: unknown): Error {
  return place ? new PlacedError(message, place, cause) : new Error(message, { cause });
}

/** Finds a string in the text of a module, with its quotes, so that it is not found in a longer one. */
function positionOf(string: string, text: string): Position | undefined {
  for (const quote of ['"', "'", '`']) {
    const at = text.indexOf(quote + string + quote);
    if (at < 0) continue;
    const before = text.slice(0, at + 1).split('\n');
    return { line: before.length, column: before.at(-1)?.length ?? 0 };
  }
  // A plugin has written the import, such as Vite for `import.meta.glob`.
  return undefined;
}

/** Finds an import in the file that has it. Modules that a plugin has made up have no file. */
export function placeOf(importer: string, source: string): Place | undefined {
  const [file = ''] = importer.split('?');
  try {
    return { file, position: positionOf(source, readFileSync(file, 'utf8')) };
  } catch {
    return undefined;
  }
}

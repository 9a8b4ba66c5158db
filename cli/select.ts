// Shared by pick, omit and dedupe: lines come in, and some of them go out.

import { Gatherer } from './gather.ts';
import type { Inputs } from './input.ts';
import { withProgress } from './progress.ts';
import { type Select, selectIn, type TextFormat, warnIfLacking } from './records.ts';
import { type Piece, readPieces, slicesOf } from './text.ts';

/** The exit code of grep if no line was selected. */
const NOTHING_SELECTED = 1;

/**
 * The lines of the inputs whose keys are selected. A piece is valid until the next one is asked for.
 *
 * @param most how many keys to select together: see `selectIn`
 */
export async function* selectLines(
  inputs: Inputs,
  format: TextFormat,
  select: Select,
  writesToTerminal: boolean,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Piece> {
  const pieces = withProgress(readPieces(inputs, format.separator), inputs, format, writesToTerminal);
  const gatherer = new Gatherer();
  function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
    for (const slice of slicesOf(bytes, format.separator)) yield* selectIn(slice, format, select, most);
  }
  let isEmpty = true;
  for await (const { mark, bytes } of pieces) {
    for (const selected of gatherer.gather(partsOf(bytes), bytes.length)) {
      if (selected.length === 0) continue;
      isEmpty = false;
      yield { mark, bytes: selected };
    }
  }
  warnIfLacking(format);
  if (isEmpty) process.exitCode ??= NOTHING_SELECTED;
}

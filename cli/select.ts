// Shared by pick, omit and dedupe: lines come in, and some of them go out.

import type { Inputs } from './input.ts';
import { withProgress } from './progress.ts';
import { type Select, selectIn, type TextFormat, warnIfLacking } from './records.ts';
import { type Piece, readPieces } from './text.ts';

/** The exit code of grep if no line was selected. */
const NOTHING_SELECTED = 1;

/** The lines of the inputs whose keys are selected. */
export async function* selectLines(
  inputs: Inputs,
  format: TextFormat,
  select: Select,
  writesToTerminal: boolean,
): AsyncGenerator<Piece> {
  const pieces = withProgress(readPieces(inputs, format.separator), inputs, format, writesToTerminal);
  let isEmpty = true;
  for await (const { mark, bytes } of pieces) {
    for (const selected of selectIn(bytes, format, select)) {
      if (selected.length === 0) continue;
      isEmpty = false;
      yield { mark, bytes: selected };
    }
  }
  warnIfLacking(format);
  if (isEmpty) process.exitCode ??= NOTHING_SELECTED;
}

// Shared by pick, omit and dedupe: lines come in, and some of them go out.

import type { LineOptions } from 'bloomery';
import { type Inputs, readInputs } from './input.ts';
import { write } from './output.ts';
import { showProgress } from './progress.ts';

/** The exit code of grep if no line was selected. */
const NOTHING_SELECTED = 1;

export type LineSelector = TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>;

/** Writes all chunks to the stream. Errors surface on its readable side. */
async function feed(writable: WritableStream<Uint8Array>, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
  }
}

/** Writes the selected lines to stdout, and sets the exit code. */
export async function selectLines(
  inputs: Inputs,
  crlf: boolean,
  selectorOf: (options: LineOptions) => LineSelector,
): Promise<void> {
  const progress = await showProgress(inputs, true);
  let isEmpty = true;
  try {
    const { writable, readable } = selectorOf(progress ? { crlf, onProgress: progress.onProgress } : { crlf });
    const fed = feed(writable, readInputs(inputs));
    const reader = readable.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      isEmpty = false;
      await write(next.value);
    }
    await fed;
  } finally {
    progress?.stop();
  }
  if (isEmpty) process.exitCode = NOTHING_SELECTED;
}

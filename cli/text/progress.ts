import { CLEAR_LINE, isWatched } from '../errors.ts';
import { byteSize, duration, integer } from '../numbers.ts';
import type { TextFormat } from './format.ts';
import type { Inputs } from './input.ts';
import type { Part } from './parts.ts';
import { countRecords } from './records.ts';

const BAR_WIDTH = 24;
const STEP_MS = 100;

function draw({ size, bytesRead, linesRead }: Inputs, seconds: number): string {
  const speed = `${integer(seconds > 0 ? linesRead / seconds : 0)} lines/s`;
  if (size === undefined) return `${byteSize(bytesRead)}  ${speed}`;
  // A file may have grown since.
  const share = size > 0 ? Math.min(1, bytesRead / size) : 1;
  const done = Math.round(BAR_WIDTH * share);
  const bar = '█'.repeat(done) + '░'.repeat(BAR_WIDTH - done);
  const left = share > 0 ? `  ${duration((seconds * (1 - share)) / share)} left` : '';
  return `${bar} ${Math.floor(100 * share)} %  ${byteSize(bytesRead)} of ${byteSize(size)}  ${speed}${left}`;
}

/** Shows a line of progress to a person, in place of the one before. An empty one removes it. */
export function showStep(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE + text);
}

/**
 * Shows progress while the text is read, unless stderr is not a terminal, or lines are printed to one. The lines are
 * counted if stderr is one.
 */
export async function* withProgress<P extends Part>(
  parts: AsyncIterable<P>,
  inputs: Inputs,
  format: TextFormat,
  writesLines: boolean,
): AsyncGenerator<P> {
  // A terminal without a size has 0 columns.
  const columns = process.stderr.columns || 80;
  if (!isWatched()) {
    yield* parts;
    return;
  }
  const draws = !(writesLines && process.stdout.isTTY);
  const start = Date.now();
  let next = start + STEP_MS;
  try {
    for await (const part of parts) {
      // The threads that read ranges count their lines.
      if ('bytes' in part) inputs.linesRead += countRecords(part.bytes, format);
      yield part;
      const now = Date.now();
      if (now < next || !draws) continue;
      next = now + STEP_MS;
      process.stderr.write(CLEAR_LINE + draw(inputs, (now - start) / 1000).substring(0, columns - 1));
    }
  } finally {
    if (draws) process.stderr.write(CLEAR_LINE);
  }
}

import { type ByteSource, isSource, openSource, SOURCES } from '../byte-source.ts';
import { FilterFullError } from '../checks/errors.ts';
import { mustBe } from '../checks/validate.ts';
import type { GrowingFilter } from '../filters/filter.ts';
import { type LineOptions, type LineProgress, LineRun, readLineOptions, requireFilter } from './line-run.ts';

/** The error for a line of a part of the text, with its position in the whole text. */
function inText(error: FilterFullError, before: number): FilterFullError {
  const { code, reason, message, position: inPart } = error;
  const position = before + inPart;
  const moved = message.replace(`keys[${inPart}]`, `keys[${position}]`);
  return new FilterFullError(moved, { code, reason, position }, { cause: error });
}

/**
 * Adds each line of a text as a key. The text comes in chunks, which may be cut anywhere and are read no faster than
 * their lines are added.
 *
 * @param filter a filter of any kind, on either engine
 * @param source a web stream, anything that `for await` can read, such as a Node stream, a Blob or File, or a Response
 * @param options `crlf`, `onProgress` and `signal`
 * @returns the numbers of bytes read and of lines added
 * @throws TypeError if an argument is wrong, a chunk is not a Uint8Array, or the filter was disposed of; the reason of
 *   the signal if it is aborted; the error of `source`. Lines processed before the error have been added.
 * @throws FilterFullError if the filter is of a kind that can be full, and has no room for a line. `position` is the
 *   number of lines before it in the whole text, which have been added.
 * @throws RangeError, before adding anything, for a response that is not OK, such as a 404, or has no unused body
 */
export async function addLines(
  filter: GrowingFilter,
  source: ByteSource,
  options: LineOptions = {},
): Promise<LineProgress> {
  requireFilter(filter, 'addMany');
  const settings = readLineOptions(options);
  if (!isSource(source)) throw new TypeError(mustBe('source', `an ${SOURCES}`, source));
  const run: LineRun = new LineRun(settings, true, (text) => {
    try {
      filter.addMany(text);
    } catch (error) {
      throw error instanceof FilterFullError ? inText(error, run.progress.lines) : error;
    }
    return text;
  });
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => run.push(chunk), close: () => run.end() });
  const { signal } = settings;
  await openSource(source).pipeTo(sink, signal && { signal });
  return run.progress;
}

import { type ByteSource, isSource, openSource, SOURCES } from '../chunks.ts';
import type { GrowingFilter } from '../filters/filter.ts';
import { mustBe } from '../validate.ts';
import { type LineOptions, type LineProgress, readLineOptions, requireFilter } from './options.ts';
import { LineRun } from './run.ts';

/**
 * Adds each line of a text as a key. The text comes in chunks, which may be cut anywhere and are read no faster than
 * their lines are added.
 *
 * @param filter a filter of any kind, on either engine
 * @param source a web stream, anything that `for await` can read, such as a Node stream, a Blob or File, or a Response
 * @param options `crlf`, `onProgress` and `signal`
 * @returns the bytes that were read and the lines that were added
 * @throws TypeError if an argument is wrong, a chunk is not a Uint8Array, or the filter was disposed of; the reason of
 *   the signal if it is aborted; the error of `source`. Lines processed before the error have been added.
 * @throws RangeError if there is no room for a line, as in a full `CuckooFilter`. The lines before it have been added.
 *   The position that the error states counts from the start of the part of the text that was processed last.
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
  const run = new LineRun(settings, true, (text) => {
    filter.addMany(text);
    return text;
  });
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => run.push(chunk), close: () => run.end() });
  const { signal } = settings;
  await openSource(source).pipeTo(sink, signal && { signal });
  return run.progress;
}

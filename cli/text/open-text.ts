// What is done with an input before it is cut into lines: it is unzipped, and made UTF-8 if it is UTF-16.

import { CommandError, nameOf } from '../errors.ts';
import { type Chunks, MARK, NOTHING, toUtf8 } from './bytes.ts';
import type { OpenText } from './cut.ts';
import { NEWLINE, RETURN, type TextFormat } from './format.ts';
import { peek, startsWith } from './input.ts';
import { isArray } from './json.ts';
import { formatNameOf, refusalOf, SIGNATURES, unzip, zippedFormatOf } from './unzip.ts';

/** A text without a newline in so many bytes is hardly one of lines. */
const LONGEST_START = 2 ** 20;

/** A saved filter begins so, with its version. No text does: that is not a printed character. */
const SAVED: Buffer = Buffer.from('BLMY\x01');

async function* withoutMark(chunks: Chunks): Chunks {
  let left = MARK.length;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

/** @throws CommandError if only carriage returns divide the beginning of a text, as on old Macs, so that it is one line */
async function* withNewlines(name: string, chunks: Chunks): Chunks {
  let [read, hasNewline, hasReturn] = [0, false, false];
  const check = (): void => {
    if (hasNewline || !hasReturn) return;
    throw new CommandError(
      `${nameOf(name)} has carriage returns and no newline, so it is a single line: make newlines of them with ` +
        "tr '\\r' '\\n', and read that through a pipe, or pass --no-crlf",
    );
  };
  for await (const chunk of chunks) {
    if (!hasNewline && read < LONGEST_START) {
      hasNewline = chunk.includes(NEWLINE);
      hasReturn ||= chunk.includes(RETURN);
      read += chunk.length;
      if (read >= LONGEST_START) check();
    }
    yield chunk;
  }
  if (read < LONGEST_START) check();
}

/** Whether a carriage return is part of a line end, so that a text that has only these is a mistake. */
const mayHaveReturns = ({ separator, crlf }: TextFormat): boolean => separator === NEWLINE && crlf;

/** Whether a file can be read as it is, from any place on, given its first bytes. */
export function isPlain(name: string, head: Buffer, format: TextFormat): boolean {
  if (format.members.length > 0 && isArray(head)) return false;
  if (zippedFormatOf(name, head) !== undefined || formatNameOf(head) !== undefined) return false;
  return !startsWith(head, SAVED) && (!mayHaveReturns(format) || head.includes(NEWLINE));
}

/** Why what begins so is no text; undefined if it may be one. */
function objectionTo(name: string, head: Buffer, isZipped: boolean, { members }: TextFormat): CommandError | undefined {
  const found = formatNameOf(head);
  if (found !== undefined && found !== 'UTF-16') return refusalOf(name, found, isZipped);
  if (startsWith(head, SAVED)) {
    return new CommandError(
      `${nameOf(name)} is a saved filter, not a text: has, pick and omit take it as <filter>, without --list`,
    );
  }
  if (members.length === 0 || !isArray(head)) return undefined;
  return new CommandError(
    `${nameOf(name)} begins with a JSON array: have its objects printed in a line each with jq -c '.[]', and read that ` +
      'through a pipe',
  );
}

/**
 * Opens an input as a text.
 *
 * @throws CommandError if it is compressed in a format that cannot be read here, an archive, UTF-32, or a saved filter
 */
export async function openText(name: string, raw: Chunks, format: TextFormat): Promise<OpenText> {
  const contents = await unzip(name, raw);
  const { head, chunks } = await peek(contents.chunks, [MARK, SAVED, ...SIGNATURES]);
  const objection = objectionTo(name, head, contents.isZipped, format);
  if (objection !== undefined) {
    // Not `chunks`: that has not begun, so its end would close nothing.
    await contents.chunks.return();
    throw objection;
  }
  const checked = (text: Chunks): Chunks => (mayHaveReturns(format) ? withNewlines(name, text) : text);
  if (formatNameOf(head) === 'UTF-16') {
    const encoding = head[0] === 0xff ? 'utf-16le' : 'utf-16be';
    const refusal = (cause: unknown): CommandError =>
      new CommandError(`${nameOf(name)} begins as UTF-16 does, and is not valid UTF-16`, { cause });
    return { mark: NOTHING, chunks: checked(toUtf8(chunks, encoding, refusal)) };
  }
  return startsWith(head, MARK)
    ? { mark: MARK, chunks: checked(withoutMark(chunks)) }
    : { mark: NOTHING, chunks: checked(chunks) };
}

// A list of keys, one a line, perhaps with values, and the filters that were made of it.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { formatNameOf } from '../../streams/first-bytes.ts';
import { assetKinds } from './kinds.ts';
import { errorAt } from './place.ts';
import type { Wanted } from './query.ts';

const [NEWLINE, RETURN] = [10, 13];
/** The UTF-8 byte order mark. It is not part of the first key. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Why a file has no lines in UTF-8; undefined if it may have some. */
function objectionTo(text: Uint8Array): string | undefined {
  const format = formatNameOf(text);
  if (format !== undefined) return `the list is ${format}, not a text in UTF-8`;
  if (text.includes(NEWLINE) || !text.includes(RETURN)) return undefined;
  return 'the list has carriage returns and no newline, so it is a single line';
}

/**
 * Reads a list. Pages look up strings, which are hashed as UTF-8, so no key of a text in another encoding would be found.
 *
 * @throws the error that names the first line that is not UTF-8, or what the file is instead, or that of the file system
 */
async function readList(path: string): Promise<Uint8Array> {
  const text = await readFile(path);
  const objection = objectionTo(text);
  if (objection !== undefined) throw errorAt({ file: path, position: undefined }, objection);
  if (!isUtf8(text)) {
    for (let start = 0, line = 1; ; line++) {
      const newline = text.indexOf(NEWLINE, start);
      const end = newline < 0 ? text.length : newline;
      if (!isUtf8(text.subarray(start, end)))
        throw errorAt({ file: path, position: { line, column: 0 } }, 'the line is not UTF-8');
      start = end + 1;
    }
  }
  return text.subarray(MARK.equals(text.subarray(0, MARK.length)) ? MARK.length : 0);
}

interface Made {
  readonly digest: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The newest filter of each list, kind and rate. A build for a server makes none again that one for pages has made. */
const made = new Map<string, Made>();

/**
 * The file of a filter of a list, which is made only if the list has changed since.
 *
 * @throws TypeError | RangeError if the kind cannot have the error rate; an error with a place if the list is wrong
 */
export async function filterOf(path: string, { kind, errorRate }: Wanted): Promise<Uint8Array<ArrayBuffer>> {
  const list = await readList(path);
  const digest = createHash('sha256').update(list).digest('base64');
  const key = [kind, errorRate, path].join(' ');
  const known = made.get(key);
  if (known?.digest === digest) return known.bytes;
  const filter = assetKinds[kind].make(list, path, errorRate === undefined ? {} : { errorRate });
  const bytes = filter.toBytes();
  filter.dispose();
  made.set(key, { digest, bytes });
  return bytes;
}

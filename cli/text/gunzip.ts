// Gzip, member by member. Node's own stream fails at bytes after the last member that are none, and loses lines that it
// has unzipped; gzip prints all of them, and warns.

import * as zlib from 'node:zlib';
import { nameOf, say } from '../errors.ts';
import type { Chunks } from './bytes.ts';
import { Ahead, type Unzip } from './frames.ts';

/** From Node 20.15 on. */
const { crc32 } = zlib as { crc32?: (bytes: Uint8Array, before: number) => number };
export const canGunzipMembers: boolean = crc32 !== undefined;

/** The exit code of gzip after a warning. */
const WARNED = 2;
const [HEADER_BYTES, TRAILER_BYTES] = [10, 8];
/** A name and a comment have no limit of their own, and are kept in memory until they end. */
const MOST_HEADER_BYTES = 2 ** 17;
const DEFLATE = 8;
/** Flags of a member: what its header has, and those that no version knows. */
const [HAS_CHECK, HAS_EXTRA, HAS_NAME, HAS_COMMENT, UNKNOWN] = [2, 4, 8, 16, 0xe0];

/** The most bytes of the data of a member that are unzipped in one call, and of its text. */
const [SHORT_BYTES, SHORT_TEXT_BYTES] = [2 ** 16, 2 ** 20];

const CUT = 'unexpected end of file';
const isMember = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** The next bytes, `count` of them at least. */
async function require(ahead: Ahead, count: number): Promise<Buffer> {
  const bytes = await ahead.peek(count);
  if (bytes.length < count) throw new Error(CUT);
  return bytes;
}

/** Reads the header of a member up to its data. */
async function skipHeader(ahead: Ahead): Promise<void> {
  const [, , method, flags = 0] = await require(ahead, HEADER_BYTES);
  if (method !== DEFLATE) throw new Error('unknown compression method');
  if (flags & UNKNOWN) throw new Error('unknown header flags set');
  let length = HEADER_BYTES;
  if (flags & HAS_EXTRA) length += 2 + (await require(ahead, length + 2)).readUInt16LE(length);
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & flag)) continue;
    // A text that ends with NUL.
    while ((await require(ahead, length + 1))[length++] !== 0) {
      if (length > MOST_HEADER_BYTES) throw new Error('the header is too long');
    }
  }
  if (flags & HAS_CHECK) length += 2;
  await require(ahead, length);
  ahead.skip(length);
}

interface Short {
  readonly text: Uint8Array;
  /** The number of bytes that were unzipped. */
  readonly length: number;
}

/** Unzips short data in one call. Returns undefined if they are longer, damaged, or not yet read to their end. */
function unzipShort(bytes: Uint8Array): Short | undefined {
  try {
    const options = { info: true, maxOutputLength: SHORT_TEXT_BYTES };
    const { buffer, engine } = zlib.inflateRawSync(bytes.subarray(0, SHORT_BYTES), options) as unknown as {
      readonly buffer: Uint8Array;
      readonly engine: zlib.InflateRaw;
    };
    return { text: buffer, length: engine.bytesWritten };
  } catch {
    return undefined;
  }
}

/**
 * Unzips the data of a member. Opening a stream takes most of the time for a member of one record, and such members
 * come in a row: `members` tells whether the last one was short.
 */
async function* unzipData(ahead: Ahead, open: () => Unzip, members: { areShort: boolean }): Chunks {
  const short = members.areShort ? unzipShort(await ahead.peek(0)) : undefined;
  if (short) {
    ahead.skip(short.length);
    yield short.text;
    return;
  }
  const unzip = open();
  let size = 0;
  for await (const chunk of ahead.unzip(unzip)) {
    size += chunk.length;
    yield chunk;
  }
  members.areShort = unzip.bytesWritten <= SHORT_BYTES && size <= SHORT_TEXT_BYTES;
}

/**
 * Unzips all members of a file. Zero bytes after the last one are padding. Other bytes there are left out with a warning,
 * which sets the exit code of gzip.
 *
 * @param open makes a decompressor of the data of members
 * @throws if a member is damaged or cut, after what comes before
 */
export async function* gunzipMembers(name: string, chunks: Chunks, open: () => Unzip): Chunks {
  const ahead = new Ahead(chunks);
  const members = { areShort: false };
  try {
    for (let isFirst = true; ; isFirst = false) {
      const head = await ahead.peek(2);
      if (!isMember(head)) {
        if (isFirst) throw new Error(head.length < 2 ? CUT : 'incorrect header check');
        if (head.length > 0 && !(await ahead.isZero())) {
          say(`warning: ${nameOf(name)} has bytes after its end that are not gzip: they are left out`);
          process.exitCode = WARNED;
        }
        return;
      }
      await skipHeader(ahead);
      let [check, size] = [0, 0];
      for await (const chunk of unzipData(ahead, open, members)) {
        check = crc32?.(chunk, check) ?? 0;
        size += chunk.length;
        yield chunk;
      }
      const trailer = await require(ahead, TRAILER_BYTES);
      if (trailer.readUInt32LE(0) !== check) throw new Error('incorrect data check');
      if (trailer.readUInt32LE(4) !== size % 2 ** 32) throw new Error('incorrect length check');
      ahead.skip(TRAILER_BYTES);
    }
  } finally {
    // Not awaited, because that would wait for a chunk that is being read, which may never come.
    chunks.return().catch(() => {});
  }
}

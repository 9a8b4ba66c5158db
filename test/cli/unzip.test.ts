// Compressed texts of several parts, such as `cat a.zst b.zst` or parallel compressors make.

import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CommandError } from '../../cli/errors.ts';
import { collect } from '../../cli/text/pieces.ts';
import { unzip } from '../../cli/text/unzip.ts';
import { asynchronous, splitAt } from '../format/saved.ts';

/** From Node 22.15 on. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };

const compressors = [
  ['gzip', zlib.gzipSync] as const,
  ...(zstdCompressSync ? [['zstd', zstdCompressSync] as const] : []),
];

/** The text of a file that arrives in chunks which end at these places. */
async function unzipped(file: Uint8Array, ends: readonly number[]): Promise<string> {
  const { chunks } = await unzip('a', asynchronous(splitAt(file, ends)));
  return Buffer.from(await collect(chunks, 10)).toString();
}

describe.each(compressors)('%s', (_, zip) => {
  const long = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`).join(''));
  const parts = [Buffer.from('hello '), Buffer.alloc(0), Buffer.from('world\n'), long].map((part) => zip(part));
  const [first = Buffer.alloc(0)] = parts;
  const file = new Uint8Array(Buffer.concat(parts));
  const text = `hello world\n${long}`;

  it('is read to its end, wherever its chunks and its parts end', async () => {
    for (const end of [0, 1, 5, first.length - 1, first.length, first.length + 1, file.length >> 1, file.length]) {
      expect(await unzipped(file, [end])).toBe(text);
    }
    const bytes = Array.from({ length: 200 }, (_, i) => i);
    expect(await unzipped(file, bytes)).toBe(text);
  });

  it('is refused if a part after the first is damaged or cut', async () => {
    const garbage = new Uint8Array(Buffer.concat([first, Buffer.from('something else')]));
    const cut = file.subarray(0, file.length - 3);
    for (const damaged of [garbage, cut]) {
      for (const ends of [[], [first.length], [first.length + 2]]) {
        await expect(unzipped(damaged, ends)).rejects.toThrow(CommandError);
      }
    }
  });
});

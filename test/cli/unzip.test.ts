// Compressed texts of several parts, such as `cat a.zst b.zst` or parallel compressors make.

import * as zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

  it('is refused if a part after the first is damaged or cut, after what comes before', async () => {
    const last = parts.at(-1) ?? first;
    const changed = Uint8Array.from(file);
    changed.set([1, 2, 3], file.length - last.length + 40);
    for (const damaged of [changed, file.subarray(0, file.length - 3)]) {
      for (const ends of [[], [first.length], [first.length + 2]]) {
        await expect(unzipped(damaged, ends)).rejects.toThrow(CommandError);
      }
    }
  });
});

describe('what comes after gzip', () => {
  const file = new Uint8Array(zlib.gzipSync('hello\n'));
  const followedBy = (...bytes: number[]): Uint8Array => Uint8Array.from([...file, ...bytes]);
  let said = '';
  beforeEach(() => {
    said = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += text;
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  it.each([
    ['a line', [...Buffer.from('garbage\n')]],
    ['half a signature', [0x1f]],
    ['a byte after zeros', [0, 0, 0, 1]],
  ])('is left out with a warning and the exit code of gzip: %s', async (_, bytes) => {
    for (const ends of [[], [file.length], [file.length + 1], [file.length - 1]]) {
      [said, process.exitCode] = ['', undefined];
      expect(await unzipped(followedBy(...bytes), ends)).toBe('hello\n');
      expect([said, process.exitCode]).toEqual([
        "bloomery: warning: 'a' has bytes after its end that are not gzip: they are left out\n",
        2,
      ]);
    }
  });

  it('is left out silently if it is zeros', async () => {
    expect(await unzipped(followedBy(...Array<number>(600).fill(0)), [file.length + 5])).toBe('hello\n');
    expect([said, process.exitCode]).toEqual(['', undefined]);
  });

  it('may be in a header with all its fields', async () => {
    const name = Buffer.from('n'.repeat(300));
    const header = [0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 2, 0, 7, 7, ...name, 0, ...name, 0, 9, 9];
    const member = Uint8Array.from([...header, ...file.subarray(10)]);
    expect(await unzipped(member, [5, 13, 200, 400, header.length])).toBe('hello\n');
    for (let end = 2; end < member.length; end++) {
      await expect(unzipped(member.subarray(0, end), [])).rejects.toThrow('unexpected end of file');
    }
    await expect(unzipped(member.with(3, 0x20), [])).rejects.toThrow('unknown header flags set');
    await expect(unzipped(member.with(2, 7), [])).rejects.toThrow('unknown compression method');
    await expect(unzipped(member.with(-8, 7), [])).rejects.toThrow('incorrect data check');
    await expect(unzipped(member.with(-4, 7), [])).rejects.toThrow('incorrect length check');
  });
});

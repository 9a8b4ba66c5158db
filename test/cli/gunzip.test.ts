// Gzip as the command line reads it: files of several members, and what comes after them.

import * as zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gunzipMembers } from '../../cli/text/gunzip.ts';
import { collect } from '../../cli/text/sections.ts';
import { asynchronous, splitAt } from '../format/saved.ts';
import { randomFrom } from '../shared/random.ts';

async function opened(bytes: Uint8Array, ends: readonly number[]): Promise<Buffer> {
  const chunks = asynchronous(splitAt(new Uint8Array(bytes), ends));
  return Buffer.from(
    await collect(
      gunzipMembers('a', chunks, () => zlib.createInflateRaw()),
      9,
    ),
  );
}

function randomText(length: number): string {
  const random = randomFrom(7);
  return Buffer.from(Array.from({ length }, () => random(256))).toString('base64');
}

describe('gzip, member by member', () => {
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
    process.exitCode = undefined;
  });

  const rests = { 'a line': Buffer.from('garbage\n'), 'half a signature': [0x1f], 'a byte after zeros': [0, 0, 0, 1] };
  it.each(Object.entries(rests))(
    'leaves out what comes after it, with a warning and the exit code of gzip: %s',
    async (_, bytes) => {
      const warning = "bloomery: warning: 'a' has bytes after its end that are not gzip: they are left out\n";
      for (const ends of [[], [file.length], [file.length + 1], [file.length - 1]]) {
        [said, process.exitCode] = ['', undefined];
        expect(String(await opened(followedBy(...bytes), ends))).toBe('hello\n');
        expect([said, process.exitCode]).toEqual([warning, 2]);
      }
    },
  );

  it('leaves out zeros after it silently', async () => {
    expect(String(await opened(followedBy(...Array<number>(600).fill(0)), [file.length + 5]))).toBe('hello\n');
    expect([said, process.exitCode]).toEqual(['', undefined]);
  });

  it('reads a header with all its fields, and checks the data', async () => {
    const name = Buffer.from('n'.repeat(300));
    const header = [0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 2, 0, 7, 7, ...name, 0, ...name, 0, 9, 9];
    const member = Uint8Array.from([...header, ...file.subarray(10)]);
    expect(String(await opened(member, [5, 13, 200, 400, header.length]))).toBe('hello\n');
    for (let end = 2; end < member.length; end++) {
      await expect(opened(member.subarray(0, end), [])).rejects.toThrow('unexpected end of file');
    }
    const endless = Uint8Array.from([...header.slice(0, 3), 8, ...header.slice(4, 10), ...Array(2 ** 17).fill(7)]);
    await expect(opened(endless, [])).rejects.toThrow('the header is too long');
    await expect(opened(member.with(3, 0x20), [])).rejects.toThrow('unknown header flags set');
    await expect(opened(member.with(2, 7), [])).rejects.toThrow('unknown compression method');
    for (const first of [[], file]) {
      const read = (bytes: Uint8Array): Promise<Uint8Array> => opened(Uint8Array.from([...first, ...bytes]), []);
      expect(String(await read(followedBy(...member)))).toBe('hello\n'.repeat(first.length > 0 ? 3 : 2));
      await expect(read(member.with(-8, 7))).rejects.toThrow('incorrect data check');
      await expect(read(member.with(header.length, 7))).rejects.toThrow('invalid block type');
      for (const length of [5, 7])
        await expect(read(member.with(-4, length))).rejects.toThrow('incorrect length check');
    }
  });

  it('unzips short members in a row in one call each, and others in chunks', async () => {
    const texts = ['a', '', 'b'.repeat(2 ** 20), randomText(2 ** 17), 'c', 'd'.repeat(3 * 2 ** 20), 'e', 'f'];
    const open = vi.fn(() => zlib.createInflateRaw());
    const whole = new Uint8Array(Buffer.concat(texts.map((text) => zlib.gzipSync(text))));
    const parts: Uint8Array[] = [];
    for await (const part of gunzipMembers('a', asynchronous([whole]), open)) parts.push(part);
    expect(Buffer.concat(parts).equals(Buffer.from(texts.join('')))).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBe(2 ** 20);
    // A stream for the first member, for each of the two with much data or much text, and for each that follows those.
    expect(open).toHaveBeenCalledTimes(5);
  });
});

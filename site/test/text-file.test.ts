import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { objectionTo, openText, type TextFile } from '../src/filter-list/text-file.ts';

/** All of it. */
const contents = async ({ open }: TextFile): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of open()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

describe('opening a text', () => {
  it.each([
    ['', /empty/],
    ['BLMY and more', /saved filter/],
    ['\u001f\u008b', /gzip/],
    ['PK\u0003\u0004', /^It is a zip archive. Unpack it first.$/],
    ['\u0004"M\u0018', /^It is compressed with lz4. Unpack it first.$/],
    ['\u00ff\u00fe\u0000\u0000', /UTF-32/],
    ['ada\rgrace\r', /^It is a single line, because carriage returns end its lines/],
    ['a\nb\u0000\n', /binary/],
  ])('refuses what is none: %j', (text, reason) => {
    expect(objectionTo(Uint8Array.from(text, (character) => character.charCodeAt(0)))).toMatch(reason);
  });

  it('counts the lines of a small text', async () => {
    for (const [text, lines] of Object.entries({ 'a\nb\n': 2, 'a\nb': 2, '\n': 1, a: 1 })) {
      expect((await openText(new Blob([text]), 'text')).room).toBe(lines);
    }
  });

  it.each(['le', 'be'])('reads UTF-16, packed or not: %s', async (order) => {
    const text = `\u00e4da\r\n\u{1f600}\n${'line\n'.repeat(200_000)}`;
    const utf16 = (written: string): Uint8Array<ArrayBuffer> => {
      const buffer = Buffer.from(`\ufeff${written}`, 'utf16le');
      return new Uint8Array(order === 'be' ? buffer.swap16() : buffer);
    };
    for (const file of [new Blob([utf16(text)]), new Blob([gzipSync(utf16(text))])]) {
      const opened = await openText(file, 'text');
      expect((await contents(opened)) === text).toBe(true);
      expect(opened.room).toBeGreaterThanOrEqual(200_002);
      expect(new TextDecoder().decode(opened.start.subarray(0, 6))).toBe('\u00e4da\r\n');
    }
    const damaged = await openText(new Blob([utf16('a\n'), 'x']), 'text');
    await expect(contents(damaged)).rejects.toThrow('It begins as UTF-16 does, and is not valid UTF-16.');
    await expect(openText(new Blob([utf16('')]), 'text')).rejects.toThrow('It is empty.');
    await expect(openText(new Blob([utf16('a\u0000\n')]), 'text')).rejects.toThrow('It is binary');
  });

  it('leaves the mark at the beginning out', async () => {
    const opened = await openText(new Blob([Uint8Array.of(0xef, 0xbb, 0xbf), 'ada\n']), 'text');
    expect(await contents(opened)).toBe('ada\n');
    await expect(openText(new Blob([Uint8Array.of(0xef, 0xbb, 0xbf)]), 'text')).rejects.toThrow('empty');
  });
});

describe('opening a text that is packed with gzip', () => {
  const packed = (...parts: readonly (string | Uint8Array)[]): Blob =>
    new Blob([gzipSync(Buffer.concat(parts.map((part) => Buffer.from(part))))]);
  const mark = Uint8Array.of(0xef, 0xbb, 0xbf);

  it('leaves the mark out, which is no text', async () => {
    const opened = await openText(packed(mark, 'ada\n'), 'text');
    expect(opened.size).toBe(4);
    expect(await contents(opened)).toBe('ada\n');
    await expect(openText(packed(mark), 'text')).rejects.toThrow('It is empty.');
    await expect(openText(packed(''), 'text')).rejects.toThrow('It is empty.');
  });

  it('estimates a large one, with some room more, and gives all of it, twice', async () => {
    // Digits that do not repeat, so that the packed text is larger than the part that is looked at.
    const line = (i: number): string => `${Math.imul(i + 1, 0x9e3779b1) >>> 0}\n`.padStart(11, '0');
    const text = Array.from({ length: 200_000 }, (_, i) => line(i)).join('');
    const opened = await openText(packed(text), 'text');
    expect(opened.size / text.length).toBeCloseTo(1, 1);
    expect(opened.room).toBeGreaterThan(200_000);
    expect(opened.room).toBeLessThan(220_000);
    expect((await contents(opened)) === text).toBe(true);
    expect((await contents(opened)) === text).toBe(true);
  });

  it('refuses what is in it and is no text, and what is damaged', async () => {
    await expect(openText(packed(Uint8Array.of(1, 0, 2)), 'list')).rejects.toThrow('binary');
    await expect(openText(packed(gzipSync('a\n')), 'list')).rejects.toThrow('gzip');
    const cut = packed('ada\n'.repeat(100)).slice(0, 20);
    const message = expect.stringMatching(/^It is damaged gzip/);
    await expect(openText(cut, 'list')).rejects.toMatchObject({ source: 'list', message });
    const followed = new Blob([packed('ada\n'), 'more']);
    await expect(openText(followed, 'list')).rejects.toThrow('something after its end');
  });
});

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { lines } from '../../../src/index.ts';
import { PART_BYTES, type Part, type Text, textOfFiles, textOfLines } from '../../../src/node/parallel/parts.ts';
import { texts } from './texts.ts';

const folder = mkdtempSync(join(tmpdir(), 'bloomery-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): string {
  const path = join(folder, 'text.txt');
  writeFileSync(path, text);
  return path;
}

async function partsOf(text: Text): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of text.parts(undefined)) parts.push(part);
  return parts;
}

function bytesOf(part: Part): Buffer {
  return Buffer.from('text' in part ? part.text : readFileSync(part.path).subarray(part.from, part.to));
}

describe('parts of a text', () => {
  it.each(Object.entries(texts))('are whole lines, and no shorter than need be: %s', async (_, text) => {
    const whole = Buffer.from(text);
    for (const found of [await textOfFiles([write(text)]), textOfLines(lines(whole))]) {
      const parts = (await partsOf(found)).map(bytesOf);
      expect(found.bytes).toBe(whole.length);
      expect(Buffer.concat(parts).equals(whole)).toBe(true);
      for (const [i, part] of parts.entries()) {
        // The first end of a line that is not before the size of a part.
        const end = part.indexOf('\n', PART_BYTES - 1);
        expect(end).toBe(end < 0 && i === parts.length - 1 ? -1 : part.length - 1);
      }
    }
  });

  it('end where a file ended that has grown since it was found', async () => {
    const whole = `first\n${'y'.repeat(PART_BYTES)}`;
    const path = write(whole);
    const text = await textOfFiles([path]);
    appendFileSync(path, ' and more\nlines\n');
    expect(await partsOf(text)).toMatchObject([{ from: 0, to: whole.length }]);
  });

  it('are copies of their own bytes, unless threads share these', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(5_000_000));
    expect((await partsOf(textOfLines(lines(shared)))).map((part) => 'text' in part && part.text.buffer)).toEqual([
      shared.buffer,
    ]);
    // Of another realm.
    const bytes: Uint8Array = runInNewContext('new Uint8Array(5_000_000).fill(10)');
    const parts = await partsOf(textOfLines(lines(bytes)));
    expect(parts).toHaveLength(5);
    for (const part of parts) expect('text' in part && part.text.buffer.byteLength === part.text.length).toBe(true);
  });
});

// What threads do with their parts of a text.

import { closeSync, openSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { TextFormat } from '../../cli/text/format.ts';
import { linesIn } from '../../cli/threads/work.ts';
import { formatWith } from './format.ts';
import { temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const formats = [false, true].map((z) => formatWith({ null: z }));
/** Short lines, and some that are longer than any span. */
const texts = fc
  .array(fc.oneof(fc.constantFrom('', 'a', 'bc', '\r', 'défg'), fc.constant('long '.repeat(9))), { maxLength: 30 })
  .chain((lines) => fc.constantFrom('\n', '\0').map((separator) => lines.join(separator)));

/** The lines of a text, each with its separator. */
function linesOf(text: Uint8Array, separator: number): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < text.length; at += lines.at(-1)?.length ?? 0) {
    const end = text.indexOf(separator, at) + 1 || text.length;
    lines.push(Buffer.from(text.subarray(at, end)));
  }
  return lines;
}

describe('the spans of a file', () => {
  const file = path('spans');

  function read(from: number, to: number, isFirst: boolean, memory: number, format: TextFormat): Buffer {
    const descriptor = openSync(file, 'r');
    try {
      const span = { file: descriptor, from, to, isFirst };
      const { text, read } = linesIn({ memory: new ArrayBuffer(memory), length: 0, span, fields: [] }, format);
      expect(read).toEqual({ bytes: text.length, lines: expect.any(Number) });
      return Buffer.from(text);
    } finally {
      closeSync(descriptor);
    }
  }

  it.each(formats)('have each line once, where it begins: separator $separator', (format) => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        (text, size, more, hasMark) => {
          const mark = hasMark ? 3 : 0;
          const bytes = Buffer.from(text);
          writeFileSync(file, Buffer.concat([Buffer.alloc(mark, 'x'), bytes]));
          const end = mark + bytes.length;
          const spans: Buffer[] = [];
          for (let from = mark; from < end; from += size) {
            const to = from + size < end ? from + size : Number.POSITIVE_INFINITY;
            spans.push(read(from, to, from === mark, size + more, format));
          }
          const wanted = spans.map((): Buffer[] => []);
          let at = 0;
          for (const line of linesOf(bytes, format.separator)) {
            wanted[Math.floor(at / size)]?.push(line);
            at += line.length;
          }
          expect(spans.map(String)).toEqual(wanted.map((lines) => Buffer.concat(lines).toString()));
        },
      ),
    );
  });

  it('are empty in a file that has become shorter', () => {
    writeFileSync(file, 'a\nb');
    const [format] = formats as [TextFormat];
    expect(read(100, 200, false, 101, format).length).toBe(0);
    expect(read(2, 200, false, 200, format).toString()).toBe('b');
  });

  it('tell an error of the system, and throw any other', () => {
    const span = { file: 1e6, from: 0, to: 8, isFirst: true };
    const work = { memory: new ArrayBuffer(9), length: 0, span, fields: [] };
    const [format] = formats as [TextFormat];
    const error = expect.objectContaining({ code: 'EBADF' });
    expect(linesIn(work, format).read).toEqual({ bytes: 0, lines: 0, error });
    expect(() => linesIn({ ...work, span: { ...work.span, file: -1 } }, format)).toThrow(RangeError);
  });
});

// What threads do with their parts of a text.

import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MARK, NOTHING } from '../../cli/text/bytes.ts';
import type { TextFormat } from '../../cli/text/format.ts';
import { findInputs } from '../../cli/text/input.ts';
import { type FileRange, RANGE_BYTES, readParts } from '../../cli/text/parts.ts';
import { type Batch, inBatches } from '../../cli/threads/batches.ts';
import { threadsToBuild } from '../../cli/threads/count.ts';
import { linesIn } from '../../cli/threads/work.ts';
import { formatWith } from './format.ts';
import { temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const format = formatWith({});
const formats = [format, formatWith({ null: true })];
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
    const property = fc.property(
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
    );
    fc.assert(property);
  });

  it('are empty in a file that has become shorter', () => {
    writeFileSync(file, 'a\nb');
    expect(read(100, 200, false, 101, format).length).toBe(0);
    expect(read(2, 200, false, 200, format).toString()).toBe('b');
  });

  it('tell an error of the system, and throw any other', () => {
    const span = { file: 1e6, from: 0, to: 8, isFirst: true };
    const work = { memory: new ArrayBuffer(9), length: 0, span, fields: [] };
    const error = expect.objectContaining({ code: 'EBADF' });
    expect(linesIn(work, format).read).toEqual({ bytes: 0, lines: 0, error });
    expect(() => linesIn({ ...work, span: { ...work.span, file: -1 } }, format)).toThrow(RangeError);
  });
});

it('a file is closed once all of its ranges have been read', async () => {
  const file = path('ranges');
  writeFileSync(file, Buffer.alloc(2 * RANGE_BYTES, 'line\n'));
  const ranges: FileRange[] = [];
  for await (const part of readParts(await findInputs([file]), format, 0)) ranges.push(part as FileRange);
  const [{ file: descriptor }] = ranges as [FileRange];
  for (const range of ranges) {
    expect(fstatSync(descriptor).size).toBe(2 * RANGE_BYTES);
    range.settle({ bytes: RANGE_BYTES, lines: 0 });
  }
  expect(() => fstatSync(descriptor)).toThrow('EBADF');
});

it('no more threads build shards than hash lines, and two at most unless the user says how many', () => {
  const building = [1, 2, 8].map((count) =>
    [undefined, 1, 4].map((given) => threadsToBuild(given, { count, after: 0 })),
  );
  expect(building.map(String)).toEqual(['1,1,1', '2,1,2', '2,1,4']);
});

it('a text with a byte order mark is a batch of its own, because the mark is printed only with its lines', async () => {
  let open = (): void => {};
  const busy = new Promise<void>((resolve) => {
    open = resolve;
  });
  async function* parts() {
    for (const mark of [NOTHING, MARK, NOTHING]) yield { mark, format, bytes: Buffer.from('a\n') };
    open();
  }
  const batches: string[] = [];
  const work = async ({ mark, length, memory }: Batch): Promise<{ memory: ArrayBuffer }> => {
    batches.push(`${mark.length} of mark, ${length} of text`);
    await busy;
    return { memory };
  };
  for await (const _ of inBatches(parts(), format.separator, 1, work));
  expect(batches).toEqual(['0 of mark, 2 of text', '3 of mark, 2 of text', '0 of mark, 2 of text']);
});

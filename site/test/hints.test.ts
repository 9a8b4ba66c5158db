import { describe, expect, it } from 'vitest';
import { hintFor } from '../src/filter-list/hints.ts';
import type { Input, Job, Mode } from '../src/filter-list/job.ts';
import { asLines, type Reading } from '../src/filter-list/reading.ts';
import type { TextFile } from '../src/filter-list/text-file.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe('a hint at why nothing matches', () => {
  type Text = string | Uint8Array;
  const hint = (mode: Mode, kept: number, text: Text, list?: Text, given: Partial<Reading & Job> = {}, read = 3) => {
    const [ofText, ofList] = [text, list].map((each = '') => {
      const start = typeof each === 'string' ? bytes(each) : each;
      return { start, isUtf8: !new TextDecoder().decode(start, { stream: true }).includes('\ufffd') };
    }) as [Pick<TextFile, 'start' | 'isUtf8'>, Pick<TextFile, 'start' | 'isUtf8'>];
    const input = { reading: { ...asLines, ...given } } as Input;
    const job = { mode, text: input, list: { reading: asLines }, trim: false, ignoreCase: false, ...given } as Job;
    return hintFor(job, { read, kept }, ofText, list === undefined ? undefined : ofList);
  };

  it.each([
    ['a,1\nb,2\n', 'c\nd\n', { form: 'comma' }, /: tick the column to compare/],
    ['a,1\nb,2\n', 'c\nd\n', { form: 'comma', fields: [1] }, /^$/],
    ['a,1', undefined, { form: 'comma' }, /: tick the column to compare/],
    ['"a"\n"b"\n', 'a\nb\n', {}, /in quotes/],
    ['ADA\nBob\n', 'ada\nbob\n', {}, /upper and lower case/],
    ['ada \nbob\n', 'ada\neve\n', { ignoreCase: true }, /blanks at their ends/],
    ['ada \nbob\n', 'ada\neve\n', { ignoreCase: true, trim: true }, /^$/],
    [Uint8Array.of(0xe9, 10, 0x61, 10), 'é\na\n', {}, /One of the two is not in UTF-8/],
    ['a\nb\n', 'c\nd\n', {}, /^$/],
    ['', '', {}, /^$/],
  ] as const)('is made of the first lines: %j in %j, %o', (text, list, given, expected) => {
    for (const [mode, kept] of [
      ['keep', 0],
      ['drop', 3],
    ] as const) {
      expect(hint(mode, kept, text, list, given)).toMatch(expected);
    }
  });

  it('is not given where lines match, or where there is no list', () => {
    const [text, list, given] = ['a,1\n', 'b,2\n', { form: 'comma' }] as const;
    expect([hint('keep', 1, text, list, given), hint('drop', 2, text, list, given)]).toEqual(['', '']);
    expect([hint('keep', 0, text, list, given, 0), hint('once', 0, text, list, given)]).toEqual(['', '']);
  });

  it('says why characters are not shown, of a text that is not UTF-8', () => {
    for (const mode of ['keep', 'drop', 'once'] as const) {
      const said = hint(mode, 1, Uint8Array.of(0xe9, 10, 0x61, 10), 'a\n', {}, 2);
      expect(said).toMatch(/^The lines are not in UTF-8, so � is shown/);
    }
  });

  it('takes a beginning that is cut within a character', () => {
    expect(hint('keep', 0, bytes('é\né').subarray(0, 4), 'a\nb\n')).toBe('');
  });
});

// Which fields are the key: numbers, ranges and names, and what makes no difference in them.

import { existsSync } from 'node:fs';
import type { KeyColumn } from 'bloomery';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readFields } from '../../cli/args/fields.ts';
import { trimEnd, trimStart } from '../../cli/text/blanks.ts';
import type { TextValues } from '../../cli/text/format.ts';
import { withColumns } from '../../cli/text/header.ts';
import { normalKey } from '../../cli/text/key-writer.ts';
import { keysOf } from '../../cli/text/records.ts';
import { formatWith, keyTexts } from './format.ts';
import { told, workInFolder, write } from './run.ts';

workInFolder();

describe('--field', () => {
  it.each([
    ['2', [2]],
    ['2-4', [2, 3, 4]],
    ['7,2-2,9-', [7, 2, { from: 9 }]],
    ['first-name,1', [{ name: 'first-name' }, 1]],
    ['1e3', [{ name: '1e3' }]],
    [' a', [{ name: ' a' }]],
    ['"2024","last, first","a ""b""",""', [{ name: '2024' }, { name: 'last, first' }, { name: 'a "b"' }, { name: '' }]],
    ['a"b', [{ name: 'a"b' }]],
    ['"3",3', [{ name: '3' }, 3]],
  ])('%s is %j', (text, fields) => expect(readFields(text, '-f')).toEqual(fields));

  const wanted = '-f must have numbers, ranges or names, such as 2,4-6,email, got';
  it.each([
    ['2,', `${wanted} ''`],
    ['-3', `${wanted} '-3'`],
    ['0', "-f must be a whole number from 1 to 9007199254740991, got '0'"],
    ['9007199254740992', "-f must be a whole number from 1 to 9007199254740991, got '9007199254740992'"],
    ['4-2', '-f has the range 4-2, which must not fall'],
    ['1-10001', '-f must have at most 10,000 fields'],
    ['2,1,2', '-f has 2 twice'],
    ['2-4,3', '-f has 3 twice'],
    ['3-,5', '-f has 5 twice'],
    ['3-,5-', '-f has 5- twice'],
    ['a,b,a', '-f has a twice'],
    ['"3","3"', '-f has "3" twice'],
  ])('%s is refused: %s', (text, message) => expect(() => readFields(text, '-f')).toThrow(message));

  /** The key of each record below a header, of fields as the option takes them. */
  function keys(text: string, field: string, values: Partial<TextValues> = {}): string[] {
    const format = formatWith({ header: true, field: readFields(field, '-f'), ...values });
    const end = text.indexOf('\n') + 1;
    return keyTexts(text.substring(end), withColumns(format, Buffer.from(text.substring(0, end)), 'a.csv'));
  }

  const csv = 'id,"last, first",e-mail\r\n1,"Ada, C",a@x\r\n2,Bob\r\n3,"""E""",e@x\r\n';
  it.each([
    ['"last, first"', ['Ada, C', 'Bob', '"E"']],
    ['e-mail,1', ['a@x,1', ',2', 'e@x,3']],
    ['2-', ['"Ada, C",a@x', 'Bob', '"""E""",e@x']],
    ['3-,id', ['a@x,1', ',2', 'e@x,3']],
    ['1-3', ['1,"Ada, C",a@x', '2,Bob,', '3,"""E""",e@x']],
  ])('%s of CSV gives %j', (field, expected) => expect(keys(csv, field, { csv: true })).toEqual(expected));

  it('are not found in CSV that is not said to be CSV', () => {
    const message = "has no field 'id'; its first line is one field, 'id,n': pass --csv, or --delimiter";
    expect(() => keys('id,n\n1,x\n', 'id')).toThrow(message);
  });

  it('takes names of texts without quotes as they are', () => {
    expect(keys('id\t"n"\n1\t"x"\n', '"""n"""')).toEqual(['"x"']);
    expect(keys('id::n\n1::x\n', 'n', { delimiter: '::' })).toEqual(['x']);
  });

  it.each([
    ['E-MAIL', 'id,e-mail\n', "'a.csv' has no field 'E-MAIL'; did you mean 'e-mail'?"],
    ['x', 'id,"a, b"\n', "'a.csv' has no field 'x'; its fields are 'id', 'a, b'"],
    ['x', `${'c,'.repeat(19)}c\n`, `'a.csv' has no field 'x'; its fields are ${"'c', ".repeat(19)}'c'`],
    ['x', `${'c,'.repeat(20)}c\n`, `'a.csv' has no field 'x'; its fields begin with ${"'c', ".repeat(19)}'c'`],
    ['id', 'id;n\n', "'a.csv' has no field 'id'; its first line is one field, 'id;n': pass --delimiter"],
    ['id', 'id,n,id\n', "'a.csv' has 2 fields 'id': give the number of one, 1 or 3"],
    ['id,2', 'n,id\n', "'a.csv': --field has 2 twice, once by its name"],
    ['2-,id', 'n,m,id\n', "'a.csv': --field has 3 twice, once by its name"],
  ])('%s is refused with the header %j', (field, header, message) => {
    expect(() => keys(header, field, { csv: true })).toThrow(message);
  });

  it('needs a header for a name', () => {
    const message = "--field 'id' is a name, which needs --header: it is in the first line";
    expect(() => formatWith({ field: readFields('2,id', '-f') })).toThrow(message);
  });
});

describe('names in several files', () => {
  const one = 'id,email\n1,Ada@x\n2,bob@x\n';
  const other = 'email,id\n\u00a0ada@x ,3\neve@x,4\n';
  const EMAIL = '--csv --header -f email';
  const SAME = '--ignore-case --trim';
  const differs = "bloomery: warning: 'other' has another header than the one that is printed\n";

  beforeAll(() => write({ one, other }));

  it.each(['classic', 'fuse', 'sharded-fuse'])('are other fields in each: %s', async (kind) => {
    const threads = kind === 'fuse' ? '1' : '2';
    const build = `build -o made -k ${kind} -p 1e-9 --threads ${threads} ${SAME} ${EMAIL} one other`;
    expect(await told(build)).toEqual([0, '', '']);
    const keys = ' ADA@x\nbob@x\neve@x\n';
    expect(await told(`has made -i --trim -`, `${keys}email\nid\n3\n`)).toEqual([1, keys, '']);
    const pick = `pick made ${EMAIL} ${SAME} --threads 2 one other`;
    expect(await told(pick)).toEqual([0, one + other.substring(9), differs]);
  });

  it.each(['1', '3'])('have one key whatever its case and its blanks: dedupe in %s threads', async (threads) => {
    const dedupe = `dedupe ${EMAIL} ${SAME} --threads ${threads}`;
    const seen = `seen${threads}`;
    expect((await told(`${dedupe} --seen ${seen} -n 100 one other`))[1]).toBe(`${one}eve@x,4\n`);
    expect((await told(`omit ${seen} ${EMAIL} ${SAME} one other`)).slice(0, 2)).toEqual([1, 'id,email\n']);
    const repeated = 'id,email\n      2 \u00a0ada@x ,3\n';
    expect((await told(`${dedupe} --repeated -c one other`))[1]).toBe(repeated);
  });

  it('that a file lacks are an error of that file, and build saves nothing', async () => {
    write({ wrong: 'id,mail\n9,zoe@x\n', empty: '' });
    const error = "bloomery: 'wrong' has no field 'email'; did you mean 'mail'?\n";
    const warning = "bloomery: warning: 'empty' has no record below its header\n";
    const dedupe = `dedupe ${EMAIL} wrong empty one other`;
    expect(await told(dedupe)).toEqual([2, one + other.substring(9), error + warning + differs]);
    expect(await told(`build -o never ${EMAIL} wrong empty one other`)).toEqual([2, '', error]);
    expect(existsSync('never')).toBe(false);
  });

  it('are in the warning about records that lack them', async () => {
    const warning = 'bloomery: warning: 1 record without a field email, whose key is empty\n';
    expect(await told(`dedupe ${EMAIL}`, 'id,email\n1\n')).toEqual([0, 'id,email\n1\n', warning]);
  });
});

describe('keys', () => {
  const character = fc.oneof(
    fc.constantFrom(...' \t\v\r\u00a0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\u0085\u180e'),
    fc.constantFrom(...'aAäÄßẞΣσςİıK\u212a'),
    fc.string({ unit: 'grapheme', maxLength: 2 }),
  );
  const text = fc.array(character, { maxLength: 8 }).map((parts) => parts.join('').replaceAll('\n', ' '));

  it('keep bytes that only begin as white space does', () => {
    for (const bytes of ['e28042', 'e28141', 'c241', 'e19a41', 'e38041', 'efbb41', 'e2808b']) {
      const text = Buffer.from(bytes, 'hex');
      const start = trimStart(text, 0, text.length);
      expect([start, trimEnd(text, 0, text.length)], bytes).toEqual([0, text.length]);
    }
  });

  it('are trimmed as strings are, and in lower case', () => {
    const property = fc.property(text, fc.boolean(), fc.boolean(), (line, trim, ignoreCase) => {
      const format = formatWith({ trim, 'ignore-case': ignoreCase, 'no-crlf': true, null: true });
      const expected = normalKey(line, { trim, ignoreCase });
      expect(expected).toBe((ignoreCase ? (s: string) => s.toLowerCase() : String)(trim ? line.trim() : line));
      if (line.includes('\0') || line === '') return;
      expect(keyTexts(`${line}\0${line}`, format)).toEqual([expected, expected]);
      // Bytes before and after a part are none of it.
      const bytes = Buffer.from(`\u3000${line}\u3000`);
      const start = trimStart(bytes, 3, bytes.length - 3);
      expect(bytes.toString('utf8', start, trimEnd(bytes, start, bytes.length - 3))).toBe(line.trim());
    });
    fc.assert(property, { numRuns: 2000, seed: 7 });
  });

  it.each([
    ['x,"  Ada, C "\n', '2', 'ada, c'],
    ['X , \n', '1,2', 'x,'],
    ['x,"Ada\n"\n', '1,2', 'x,ada'],
    ['x,"\u00a0Ada, C "\n', '1,2', 'x,"ada, c"'],
    ['x," ""A"" "\n', '1-', 'x,"""a"""'],
  ])('of CSV are trimmed in their quotes: %j', (line, field, key) => {
    const format = formatWith({ csv: true, field: readFields(field, '-f'), trim: true, 'ignore-case': true });
    expect(keyTexts(line, format)).toEqual([key]);
  });

  it('that are not UTF-8 keep their bytes, but for letters of ASCII', () => {
    const format = formatWith({ 'ignore-case': true, field: [1] });
    const { data } = keysOf(Buffer.from('\xc4A\n', 'latin1'), format) as KeyColumn;
    expect(Buffer.from(data)).toEqual(Buffer.from('\xc4a', 'latin1'));
    const { data: replaced } = keysOf(Buffer.from('\ufffd\xc4\u0130\n'), format) as KeyColumn;
    expect(Buffer.from(replaced).toString()).toBe('\ufffd\xe4i\u0307');
    expect(keyTexts(Buffer.from('ÄA\n'), format)).toEqual(['äa']);
  });
});

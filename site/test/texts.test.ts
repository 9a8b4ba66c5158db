// The texts of the page that filters lists: how they are opened, read and shown, and hints at why nothing matches.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { textOf, workInFolder, write } from '../../test/cli/run.ts';
import { hintFor } from '../src/filter-list/hints.ts';
import type { Input, Job } from '../src/filter-list/job.ts';
import { formOf, hasHeader, tableOf } from '../src/filter-list/preview.ts';
import { asLines, mismatchOf, type Reading } from '../src/filter-list/reading.ts';
import { objectionTo, openText, type TextFile } from '../src/filter-list/text-file.ts';
import { asText, run } from './job.ts';

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

workInFolder();

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const users =
  '\ufeffid,email,city\r\n1,Ada@x,"New\nYork"\r\n2, ada@x,"a ""b"", c"\r\n3,bob@x,Köln\r\n4,Ada@x,KÖLN\r\n5\r\n6,eve@x,Ulm';
const objects =
  '{"id":1,"user":{"mail":"Ada@x"}}\n{"id":2,"user":{"mail":" ADA@x"}}\n{"id":90071992547409931}\n{"id":3}\n';
const many = `x,y\n${Array.from({ length: 30_000 }, (_, i) => `"${i % 7}\n,""${i % 11}""",${(i * 7919) % 9001}\n`).join('')}`;
const comma = { form: 'comma', header: true } as const;

describe('what the page makes of a text is what the command line makes of it', () => {
  it.each([
    ['--csv --header --field 2', users, { ...comma, fields: [2] }],
    ['--csv --header --field email -i --trim', users, { ...comma, fields: [2] }],
    ['--csv --header --field 2,3 -i', users, { ...comma, fields: [2, 3] }],
    ['--csv --header', users, comma],
    ['--csv --header -d ; --field city -i', users.replaceAll(',', ';'), { ...comma, form: 'semicolon', fields: [3] }],
    ['--csv --header --field x', many, { ...comma, fields: [1] }],
    ['--csv --header --field y', many, { ...comma, fields: [2] }],
    ['--csv -d \\t --field 2', many.replaceAll(',', '\t'), { form: 'tab', fields: [2] }],
    ['--header --field 2', 'a\tb"c\n1\tx\n2\tx\n3\tX', { form: 'tsv', header: true, fields: [2] }],
    ['--json-field user.mail', objects, { form: 'json', members: [['user', 'mail']] }],
    ['--json-field user.mail,id', objects, { form: 'json', members: [['user', 'mail'], ['id']] }],
    ['--json-field user.mail -i --trim', objects, { form: 'json', members: [['user', 'mail']] }],
    ['-i --trim', 'a\n b\nA\nb \n', {}],
    ['--header', 'n\na\na\n', { header: true }],
  ] as const)('%s', async (options, text, reading) => {
    const same = { ignoreCase: options.includes('-i'), trim: options.includes('--trim') };
    const list = text.slice(0, text.length / 2).replace(/[\r\n]+[^\n]*$/, '\n');
    write({ text, list });
    const input = asText(text, reading);
    const commands = { once: 'dedupe -q', keep: 'pick --list list', drop: 'omit --list list' };
    for (const [mode, command] of Object.entries(commands) as [Job['mode'], string][]) {
      const got = await run({ mode, text: input, list: mode === 'once' ? undefined : asText(list, reading), ...same });
      expect([mode, Buffer.from(got.bytes).toString()]).toEqual([mode, await textOf(`${command} ${options} text`)]);
    }
  });

  it('with another layout in each list, and a count of what has no such column', async () => {
    const text = asText(users, { ...comma, fields: [2] });
    const list = asText(objects, { form: 'json', members: [['user', 'mail']] });
    const got = await run({ mode: 'keep', text, list, ignoreCase: true, trim: true });
    expect(new TextDecoder().decode(got.bytes)).toBe(`${users.slice(1).split('3,')[0]}4,Ada@x,KÖLN\r\n`);
    expect(got).toMatchObject({ read: 6, kept: 3, added: 4, hint: '3 records had no such column.' });
  });

  it('keeps the header where nothing else is kept', async () => {
    const got = await run({ mode: 'keep', text: asText('a,b\n1,2', comma), list: asText('x\n', {}) });
    expect([new TextDecoder().decode(got.bytes), got.read]).toEqual(['a,b\n', 1]);
  });
});

it('Latin-1 is read where that is chosen, and written as UTF-8; else its bytes stay', async () => {
  const latin = Uint8Array.of(0xe9, 10, 0xc9, 10);
  const read = (encoding: Reading['encoding']) =>
    run({ mode: 'once', text: asText(latin, { encoding }), ignoreCase: true });
  expect(new TextDecoder().decode((await read('windows-1252')).bytes)).toBe('é\n');
  expect((await read('utf-8')).bytes).toEqual(latin);
});

it.each([
  [users.slice(1), 'comma', true],
  [users.slice(1).replaceAll(',', ';'), 'semicolon', true],
  ['a,b\n1,2\n', 'comma', true],
  ['a,b\n1,2\n3', 'comma', true],
  ['1,2\n3,4\n', 'comma', false],
  ['Ada,Lovelace\nGrace,Hopper\n', 'comma', false],
  ['name\tyears\n"A\tB"\t1\n"C\nD"\t2\n', 'tab', true],
  ['name\tinches\nA"\t1\nB\t2\n', 'tsv', true],
  ['name,name\n1,2\n', 'comma', false],
  [objects, 'json', false],
  ['{ not JSON\n', 'lines', false],
  ['[1,2]\n[3,4]\n', 'comma', false],
  ['a,b\nc\nd,e,f\n', 'lines', false],
  ['5" disk, red\n3" disk, blue\n', 'lines', false],
  ['one line, with a comma', 'lines', false],
  ['https://a/?b=c\nhttps://d\n', 'lines', false],
] as const)('a guess of %j is %s, with a header: %s', (text, form, header) => {
  const start = bytes(text);
  expect([formOf(start), hasHeader(start, form)]).toEqual([form, header]);
});

describe('the first records as a table', () => {
  it('have the cells that are meant', () => {
    const { columns, rows } = tableOf(bytes(users.slice(1)), 'comma', true);
    expect(columns).toEqual(['id', 'email', 'city'].map((name, i) => ({ name, key: i + 1 })));
    expect(rows[0]).toEqual(['1', 'Ada@x', 'New\nYork']);
    expect(rows[1]).toEqual(['2', ' ada@x', 'a "b", c']);
    const { columns: unnamed } = tableOf(bytes('a,\n1,2,3\n'), 'comma', true);
    expect(unnamed.map(({ name }) => name)).toEqual(['a', 'Column 2', 'Column 3']);
    expect(tableOf(bytes(','.repeat(99)), 'comma', true).columns).toHaveLength(60);
    expect(tableOf(bytes('x,y\r\nz\r\n'), 'lines', false)).toEqual({
      columns: [{ name: 'Line', key: undefined }],
      rows: [['x,y'], ['z']],
    });
  });

  it('have a column for each member', () => {
    const { columns, rows } = tableOf(bytes(`${objects}{"a":[1],"user":null,"no`), 'json', false);
    expect(columns).toEqual([
      { name: 'id', key: ['id'] },
      { name: 'user.mail', key: ['user', 'mail'] },
    ]);
    expect(rows[0]).toEqual(['1', 'Ada@x']);
    expect(rows[3]).toEqual(['3', '']);
    // Those of members three levels down are not divided further.
    const { columns: deep } = tableOf(bytes('{"a":{"b":{"c":{"d":1}}}}\n'), 'json', false);
    expect(deep.map(({ key }) => key)).toEqual([['a', 'b', 'c']]);
  });
});

it('keys are compared that have as many parts, divided in the same way', () => {
  const reading = (given: Partial<Reading>): Reading => ({ ...asLines, ...given });
  const [two, others] = [reading({ form: 'comma', fields: [1, 2] }), reading({ form: 'semicolon', fields: [3, 4] })];
  expect(mismatchOf(two, { ...two, fields: [3, 4] })).toBeUndefined();
  expect(mismatchOf({ ...two, fields: [1] }, asLines)).toBeUndefined();
  expect(mismatchOf({ ...two, fields: [1] }, { ...others, fields: [1] })).toBeUndefined();
  expect(mismatchOf(two, others)).toMatch(/the same separator/);
  expect(mismatchOf(two, asLines)).toMatch(/as many columns/);
  expect(mismatchOf(two, reading({ form: 'tsv', fields: [1, 2] }))).toMatch(/the same separator/);
});

const columns = /^No line matches. Whole records are compared: tick the column/;
const alike = /^No line matches. Some differ only in upper and lower case, or in blanks/;

it.each([
  ['a,1\nb,2\n', 'c\nd\n', { form: 'comma' }, columns],
  ['a,1\nb,2\n', 'c\nd\n', { form: 'comma', fields: [1] }, /^$/],
  ['a,1', undefined, { form: 'comma' }, columns],
  ['a', undefined, {}, /^$/],
  ['ADA\nBob\n', 'ada\nbob\n', {}, alike],
  ['ada \nbob\n', 'ada\r\neve\r\n', { ignoreCase: true }, alike],
  ['ada \nbob\n', 'ada\neve\n', { ignoreCase: true, trim: true }, /^$/],
  ['a\n\nb\n', 'c\n\nd\n', {}, /^$/],
] as const)('a hint at why nothing matches: %j in %j, %o', (text, list, given: Partial<Reading & Job>, expected) => {
  const [ofText, ofList] = [text, list].map((each) => (each === undefined ? each : new TextEncoder().encode(each)));
  const input = { reading: { ...asLines, ...given } } as Input;
  const job = { text: input, list: { reading: list === undefined ? undefined : asLines }, ...given } as Job;
  expect(hintFor(job, 0, ofText as Uint8Array, ofList)).toMatch(expected);
  expect(hintFor(job, 1, ofText as Uint8Array, ofList)).toBe('');
  expect(hintFor({ ...job, list: undefined }, 0, ofText as Uint8Array, ofList)).toBe('');
});

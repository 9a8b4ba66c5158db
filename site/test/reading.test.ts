import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textOf, workInFolder } from '../../test/cli/run.ts';
import { formOf, hasHeader, tableOf } from '../src/filter-list/preview.ts';
import { asLines, mismatchOf, type Reading } from '../src/filter-list/reading.ts';
import { asText, run } from './job.ts';

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
    writeFileSync('text', text);
    writeFileSync('list', list);
    const input = asText(text, reading);
    for (const [mode, command] of [
      ['once', 'dedupe -q'],
      ['keep', 'pick --list list'],
      ['drop', 'omit --list list'],
    ] as const) {
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

describe('a guess', () => {
  it.each([
    [users.slice(1), 'comma', true],
    [users.slice(1).replaceAll(',', ';'), 'semicolon', true],
    ['a,b\n1,2\n', 'comma', true],
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
  ] as const)('of %j is %s, with a header: %s', (text, form, header) => {
    const start = bytes(text);
    expect([formOf(start), hasHeader(start, form)]).toEqual([form, header]);
  });
});

describe('the first records as a table', () => {
  it('have the cells that are meant', () => {
    const { columns, rows } = tableOf(bytes(users.slice(1)), 'comma', true);
    expect(columns).toEqual(['id', 'email', 'city'].map((name, i) => ({ name, key: i + 1 })));
    expect(rows.slice(0, 2)).toEqual([
      ['1', 'Ada@x', 'New\nYork'],
      ['2', ' ada@x', 'a "b", c'],
    ]);
    const { columns: unnamed } = tableOf(bytes('a,\n1,2,3\n'), 'comma', true);
    expect(unnamed.map(({ name }) => name)).toEqual(['a', 'Column 2', 'Column 3']);
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

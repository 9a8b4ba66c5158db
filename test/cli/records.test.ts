// Options for records, together with what differs from file to file: names of fields, encodings, numbers of lines.

import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLEAR_LINE } from '../../cli/errors.ts';
import { program, told, workInFolder } from './run.ts';

workInFolder();

describe.each(['1', '2'])('CSV whose fields have names, in %s threads', (threads) => {
  const options = `--csv --header -f email --threads ${threads}`;
  const dedupe = `dedupe ${options} --ignore-case --trim`;
  const differs = (name: string): string =>
    `bloomery: warning: '${name}' has another header than the one that is printed\n`;

  it('loses records that are wrong, and no others, in files with different columns', async () => {
    writeFileSync('one', 'id,email\n1,ada@x\n2,b"ob@x\n3,eve@x\n');
    writeFileSync('two', 'email,id\n ADA@x,4\n"zoe@x"x,5\n"zoe\n@x",6\n');
    const leftOut =
      "bloomery: warning: 2 invalid records left out, the first of them: 'one', line 3 is not CSV: " +
      'a quote within a field that does not begin with one\n';
    const text = 'id,email\n1,ada@x\n3,eve@x\n"zoe\n@x",6\n';
    expect(await told(`${dedupe} --skip-invalid one two`)).toEqual([0, text, leftOut + differs('two')]);
    for (const kind of ['classic', 'fuse', 'sharded-fuse']) {
      const build = `build -k ${kind} -p 1e-9 -o made ${kind === 'fuse' ? options.split(' --thr')[0] : options} -i --trim`;
      expect(await told(`${build} --skip-invalid one two`)).toEqual([0, '', leftOut]);
      const keys = ['ada@x', 'eve@x', 'zoe\n@x', 'id', 'email', '3', '4', 'b"ob@x'];
      expect((await told('pick made -z', keys.join('\0')))[1]).toBe('ada@x\0eve@x\0zoe\n@x\0');
    }
  });

  it('does not take a record for the header that is wrong', async () => {
    writeFileSync('one', 'id,e"mail\nid,email\n1,ada@x\n');
    writeFileSync('two', 'email,id\neve@x,2\n');
    const message = "bloomery: 'one', line 1 is not CSV: a quote within a field that does not begin with one\n";
    expect(await told(`${dedupe} --skip-invalid one two`)).toEqual([2, 'email,id\neve@x,2\n', message]);
  });

  it('may be UTF-16, beside UTF-8', async () => {
    writeFileSync('one', '\ufeffname,email\r\nÄda,ADA@ä\r\nBob,bob@x\r\n', 'utf16le');
    writeFileSync('two', Buffer.from('\ufeffemail,name\nbob@x,Bob\nzoe@ß,Zoe', 'utf16le').swap16());
    writeFileSync('three', '\ufeffid,email\n1,ada@Ä\n2,eve@x\n');
    const text = 'name,email\r\nÄda,ADA@ä\r\nBob,bob@x\r\nzoe@ß,Zoe\n2,eve@x\n';
    expect(await told(`${dedupe} one two three`)).toEqual([0, text, differs('two') + differs('three')]);
  });
});

describe.each(['1', '2'])('members of JSON that are trimmed, without case, in %s threads', (threads) => {
  const options = `--trim --ignore-case --threads ${threads}`;
  const text = '{"a":17,"b":"X"}\n{"a":" 17","b":" x\\u00a0"}\n{"a":1E5,"b":{"C":1}}\n{"a":"1e5 ","b":"{\\"c\\":1}"}\n';

  it.each(['a', 'b', 'a,b'])('have one key as numbers and as strings: %s', async (member) => {
    const warning = 'bloomery: warning: a is a number in some lines and a string in others: 17 and "17" are one key\n';
    const first = '{"a":17,"b":"X"}\n{"a":1E5,"b":{"C":1}}\n';
    const result = [0, first, member === 'b' ? '' : warning];
    expect(await told(`dedupe --json-field ${member} ${options}`, text)).toEqual(result);
  });

  it('are counted in their own file, by lines', async () => {
    writeFileSync('one', text);
    writeFileSync('two', `${text}{"a"\n{"a":" New"}\n`);
    const [code, stdout, stderr] = await told(`dedupe --json-field a --skip-invalid ${options} one two`);
    expect([code, stdout.slice(-13)]).toEqual([0, '{"a":" New"}\n']);
    expect(stderr).toContain("1 invalid record left out: 'two', line 5 is not JSON");
  });
});

const SCRIPT = '/usr/bin/script';
it.skipIf(!existsSync(SCRIPT)).each([
  ['--csv', '"a\n1\n1\n2\n'],
  ['--json-field a', '{"a"\n{"a":1}\n{"a":1}\n{"a":2}\n'],
])('what was left out was not decided: %s', async (options, text) => {
  writeFileSync('text', text);
  await told('build -n 9 -o known.bloom', '1');
  for (const [command, kept] of [
    ['dedupe', 2],
    ['pick known.bloom', 2],
    ['omit known.bloom', 1],
  ] as const) {
    const line = `'${process.execPath}' '${program}' ${command} ${options} --skip-invalid text`;
    const shown = execFileSync(SCRIPT, ['-qec', line, '/dev/null'], { encoding: 'utf8' });
    expect(shown.trimEnd().replaceAll(CLEAR_LINE, '\n')).toMatch(
      new RegExp(`: warning: 1 invalid record left out: [^\n]+\n+3 (record|line)s read, ${kept} kept; `),
    );
  }
});

// Options for records, together with what differs from file to file: names of fields, encodings, numbers of lines.

import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { CLEAR_LINE } from '../../cli/errors.ts';
import { program, run, runOn, temporaryFolder } from './run.ts';

const { folder, path, remove } = temporaryFolder();
afterAll(remove);

describe.each(['1', '2'])('CSV whose fields have names, in %s threads', (threads) => {
  const args = ['--csv', '--header', '-f', 'email', '--threads', threads];
  const dedupe = ['dedupe', ...args, '--ignore-case', '--trim'];
  const [one, other] = [path('one.csv'), path('other.csv')];
  const differs = (name: string): string =>
    `bloomery: warning: '${name}' has another header than the one that is printed\n`;

  it('loses records that are wrong, and no others, in files with different columns', async () => {
    writeFileSync(one, 'id,email\n1,ada@x\n2,b"ob@x\n3,eve@x\n');
    writeFileSync(other, 'email,id\n ADA@x,4\n"zoe@x"x,5\n"zoe\n@x",6\n');
    const { code, stdout, stderr } = await run(...dedupe, '--skip-invalid', one, other);
    expect({ code, text: stdout.toString() }).toEqual({
      code: 0,
      text: 'id,email\n1,ada@x\n3,eve@x\n"zoe\n@x",6\n',
    });
    const leftOut =
      `bloomery: warning: 2 invalid records left out, the first of them: '${one}', line 3 is not CSV: ` +
      'a quote within a field that does not begin with one\n';
    expect(stderr).toBe(leftOut + differs(other));
    for (const kind of ['classic', 'fuse', 'sharded-fuse']) {
      const filter = path(`${kind}-${threads}`);
      const options = kind === 'fuse' ? args.slice(0, -2) : args;
      const build = ['build', '-k', kind, '-p', '1e-9', '-o', filter, ...options, '-i', '--trim'];
      expect(await run(...build, '--skip-invalid', one, other)).toMatchObject({ code: 0, stderr: leftOut });
      const found = await run('has', filter, 'ada@x', 'eve@x', 'zoe\n@x', 'id', 'email', '3', '4', 'b"ob@x');
      expect(found).toMatchObject({ code: 1, stdout: Buffer.from('ada@x\neve@x\nzoe\n@x\n') });
    }
  });

  it('does not take a record for the header that is wrong', async () => {
    writeFileSync(one, 'id,e"mail\nid,email\n1,ada@x\n');
    writeFileSync(other, 'email,id\neve@x,2\n');
    expect(await run(...dedupe, '--skip-invalid', one, other)).toEqual({
      code: 2,
      stdout: Buffer.from('email,id\neve@x,2\n'),
      stderr: `bloomery: '${one}', line 1 is not CSV: a quote within a field that does not begin with one\n`,
    });
  });

  it('may be UTF-16, beside UTF-8', async () => {
    const utf16 = Buffer.from('\ufeffname,email\r\nÄda,ADA@ä\r\nBob,bob@x\r\n', 'utf16le');
    writeFileSync(one, utf16);
    writeFileSync(path('big-endian.csv'), Buffer.from('\ufeffemail,name\nbob@x,Bob\nzoe@ß,Zoe', 'utf16le').swap16());
    writeFileSync(other, '\ufeffid,email\n1,ada@Ä\n2,eve@x\n');
    const { code, stdout, stderr } = await run(...dedupe, one, path('big-endian.csv'), other);
    expect({ code, stderr }).toEqual({ code: 0, stderr: differs(path('big-endian.csv')) + differs(other) });
    expect(stdout.toString()).toBe('name,email\r\nÄda,ADA@ä\r\nBob,bob@x\r\nzoe@ß,Zoe\n2,eve@x\n');
  });
});

describe.each(['1', '2'])('members of JSON that are trimmed, without case, in %s threads', (threads) => {
  const args = ['--trim', '--ignore-case', '--threads', threads];
  const text = '{"a":17,"b":"X"}\n{"a":" 17","b":" x\\u00a0"}\n{"a":1E5,"b":{"C":1}}\n{"a":"1e5 ","b":"{\\"c\\":1}"}\n';

  it.each([
    ['a', '{"a":17,"b":"X"}\n{"a":1E5,"b":{"C":1}}\n', ['a']],
    ['b', '{"a":17,"b":"X"}\n{"a":1E5,"b":{"C":1}}\n', []],
    ['a,b', '{"a":17,"b":"X"}\n{"a":1E5,"b":{"C":1}}\n', ['a']],
  ])('have one key as numbers and as strings: %s', async (member, expected, mixed) => {
    const { code, stdout, stderr } = await runOn(text, 'dedupe', '--json-field', member, ...args);
    expect({ code, text: stdout.toString() }).toEqual({ code: 0, text: expected });
    const warning = 'is a number in some lines and a string in others: 17 and "17" are one key\n';
    expect(stderr).toBe(mixed.map((name) => `bloomery: warning: ${name} ${warning}`).join(''));
  });

  it('are counted in their own file, by lines', async () => {
    const [one, other] = [path('one.json'), path('other.json')];
    writeFileSync(one, text);
    writeFileSync(other, `${text}{"a"\n{"a":" New"}\n`);
    const { code, stdout, stderr } = await run('dedupe', '--json-field', 'a', '--skip-invalid', ...args, one, other);
    expect({ code, last: stdout.toString().slice(-13) }).toEqual({ code: 0, last: '{"a":" New"}\n' });
    expect(stderr).toContain(`1 invalid record left out: '${other}', line 5 is not JSON`);
  });
});

const SCRIPT = '/usr/bin/script';
it.skipIf(!existsSync(SCRIPT)).each([
  ['--csv', '"a\n1\n1\n2\n'],
  ['--json-field a', '{"a"\n{"a":1}\n{"a":1}\n{"a":2}\n'],
])('what was left out was not decided: %s', async (options, text) => {
  writeFileSync(path('text'), text);
  await runOn('1', 'build', '-n', '9', '-o', path('known.bloom'));
  for (const [command, kept] of [
    ['dedupe', 2],
    ['pick known.bloom', 2],
    ['omit known.bloom', 1],
  ] as const) {
    const line = `'${process.execPath}' '${program}' ${command} ${options} --skip-invalid text`;
    const shown = execFileSync(SCRIPT, ['-qec', line, '/dev/null'], { cwd: folder, encoding: 'utf8' });
    expect(shown.trimEnd().replaceAll(CLEAR_LINE, '\n')).toMatch(
      new RegExp(`: warning: 1 invalid record left out: [^\n]+\n+3 (record|line)s read, ${kept} kept; `),
    );
  }
});

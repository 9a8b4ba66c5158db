// Texts that pick and omit look lines up in: --list.

import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { FilterFullError } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { setOf } from '../../cli/commands/lists.ts';
import { findInputs } from '../../cli/text/input.ts';
import { randomFrom } from '../shared/random.ts';
import { formatWith } from './format.ts';
import { numbers, textOf, told, workInFolder } from './run.ts';

workInFolder();

const random = randomFrom(47);
const words = (count: number): string[] => Array.from({ length: count }, () => `word ${random(3000)}`);
const [LIST, MORE, TEXT] = [words(1000), words(500), words(20_000)];

beforeAll(() => {
  const texts = {
    list: LIST.join('\n'),
    more: MORE.join('\r\n'),
    text: TEXT.join('\n'),
    empty: '',
    'old.csv': 'id,email\n1,"a@x"\n2,B@x\n',
    'new.csv': 'email,id,name\nb@x,2,"Bob\nby"\n"c@x",3,Cem\na@x,1,Ada\n',
    'old.json': '{"user":{"id":1}}\n{"user":{"id":2}}\n',
    'new.json': '{"user":{"id":2},"n":1}\n{"user":{"id":3},"n":2}\n',
    'bad.json': '{"user":{"id":1}}\nno\n',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(name, text);
  writeFileSync('more.gz', gzipSync(MORE.join('\n')));
});

describe('--list', () => {
  it.each([
    ['', LIST],
    ['--list more.gz', [...LIST, ...MORE]],
    ['--threads 2 --list more', [...LIST, ...MORE]],
  ])('gives what grep -Fxf and grep -vFxf print: %s', async (options, list) => {
    const known = new Set(list);
    const selected = (isKnown: boolean): string => TEXT.filter((line) => known.has(line) === isKnown).join('\n');
    for (const [verb, isKnown] of [['pick', true] as const, ['omit', false] as const]) {
      const [code, stdout, stderr] = await told(`${verb} --list list ${options} text`);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.trimEnd()).toBe(selected(isKnown));
      const count = TEXT.filter((line) => known.has(line) === isKnown).length;
      expect(await textOf(`${verb} --list list ${options} -c text`)).toBe(`${count}\n`);
    }
  });

  it.each<[line: string, code: number, stdout: string, input?: string]>([
    ['pick --list -', 2, '', 'a\n'],
    ['pick --list - new.csv', 0, 'a@x,1,Ada\n', 'a@x,1,Ada\n'],
    ['pick --list list -q', 0, '', `no\n${LIST[7]}\n`],
    ['pick --list list -q', 1, '', 'no\n'],
    ['pick --list empty', 1, '', 'a\n'],
    ['omit --list list -c', 1, '0\n', `${LIST[7]}\n`],
    ['omit --list empty', 0, '\na', '\na'],
    ['omit --list - text -c', 0, '20000\n', '\n\n'],
    ['pick -i --trim --list list', 0, ` ${LIST[0]?.toUpperCase()}\t\n`, ` ${LIST[0]?.toUpperCase()}\t\n`],
    ['pick -z --list list', 1, '', `${LIST[0]}\0`],
    // Each list has its own header, and the first text gives the one that is printed.
    ['omit --list old.csv --csv --header -f email -i new.csv', 0, 'email,id,name\n"c@x",3,Cem\n'],
    ['pick --list old.csv --csv --header -f email -i new.csv', 0, 'email,id,name\nb@x,2,"Bob\nby"\na@x,1,Ada\n'],
    ['pick --list old.csv --csv -f 2 -', 0, '1,B@x\n', '1,B@x\n2,b@x\n'],
    ['omit --list old.json --json-field user.id new.json', 0, '{"user":{"id":3},"n":2}\n'],
    ['pick --list bad.json --json-field user.id --skip-invalid new.json', 1, ''],
  ])('is read as the texts are: %s gives %i, %j', async (line, code, stdout, input = '') => {
    const [found, printed, stderr] = await told(line, input);
    expect([found, printed]).toEqual([code, stdout]);
    if (line.includes('skip-invalid')) expect(stderr).toMatch("1 invalid record left out: 'bad.json', line 2 is not");
    else if (code === 2) expect(stderr).toBe('bloomery: stdin can be read only once\n');
    else expect(stderr).toBe('');
  });

  it.each([
    ['pick --list missing text', "cannot read 'missing': no such file or directory"],
    ['pick --list old.csv --csv --header -f name new.csv', "'old.csv' has no field 'name'"],
    ['pick --list bad.json --json-field user.id new.json', "'bad.json', line 2 is not JSON"],
    ['omit --list list --no-load text', '--no-load is about a filter, and does not go with --list'],
    ['omit --list list text -o list', "'list' is read and written by this command: choose another file"],
    ['omit list text', "'list' is not a filter: to look lines up in a text, pass --list list\n"],
    ['pick --load - text', 'stdin is not a filter: to look lines up in a text, pass --list -\n'],
  ])('ends before anything is printed: %s', async (line, message) => {
    expect(await told(line)).toEqual([2, '', expect.stringContaining(`bloomery: ${message}`)]);
  });

  it.each(['pick --list no.set text', 'build no.set -o made', 'omit --list list no.set', 'dedupe no.set.gz'])(
    'takes no saved filter for a text: %s',
    async (line) => {
      const own = new FingerprintSet().addMany(['a', 'b']).toBytes();
      writeFileSync('no.set', own);
      writeFileSync('no.set.gz', gzipSync(own));
      const name = line.includes('.gz') ? 'no.set.gz' : 'no.set';
      const message = `'${name}' is a saved filter, not a text: has, pick and omit take it as <filter>, without --list`;
      expect(await told(line)).toEqual([2, '', `bloomery: ${message}\n`]);
      // A key may begin like one.
      expect(await told('pick --list - text', 'BLMY\n')).toEqual([1, '', '']);
    },
  );

  it('takes all operands as texts', async () => {
    writeFileSync('one', 'a\nb');
    writeFileSync('two', 'b\nc\n');
    expect(await told('omit --list one one two')).toEqual([0, 'c\n', '']);
    // Where each thread would need a large copy, all lines are looked up in one.
    writeFileSync('large', numbers(0, 900_000));
    for (const threads of [1, 16]) {
      const [code, stdout] = await told(`pick --list large --threads ${threads} one large two`);
      expect([code, stdout === numbers(0, 900_000)]).toEqual([0, true]);
      expect(await told(`omit --list large --threads ${threads} large one`)).toEqual([0, 'a\nb', '']);
    }
  });

  it('that has no room in memory is an error that says so', async () => {
    const error = new FilterFullError('', { code: 'MEMORY', reason: '', position: 0 });
    vi.spyOn(FingerprintSet.prototype, 'addMany').mockThrow(error);
    const message =
      /^there is no memory for more than 0 distinct keys: make a filter of the lists, with bloomery build/;
    await expect(setOf(await findInputs(['list']), formatWith({}), 1)).rejects.toThrow(message);
    vi.restoreAllMocks();
  });
});

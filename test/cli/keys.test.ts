// Keys from records, in all commands that read texts.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter, load } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { beforeAll, describe, expect, it } from 'vitest';
import { KeyWriter } from '../../cli/text/key-writer.ts';
import { textOf, told, workInFolder, write } from './run.ts';

workInFolder();

/** Names in quotes, with delimiters, newlines and quotes in them, below a header. */
const CSV = 'id,"the\nname"\r\n1,"Ada, Countess"\r\n2,"B\n""ob"""\n3,Eve\n4,"Eve"\n';
const HEADER = CSV.slice(0, 15);
const FIELD = '--csv --header -f 2';

beforeAll(() => {
  const names = ['Ada, Countess', 'B\n"ob"', 'Eve'];
  write({ known: BloomFilter.from(names, { errorRate: 1e-9 }), 'names.csv': CSV, 'more.csv': 'id,name\n5,Eve\n6,Zoe' });
});

const said = async (line: string, input = ''): Promise<string> => (await told(line, input))[2];

/** Which of some keys a saved filter has. */
const keysOf = (name: string, keys: string[]): string[] => {
  const bytes = readFileSync(name);
  const filter = name === 'fuse' ? BinaryFuseFilter.fromBytes(bytes) : load(bytes);
  return keys.filter((key) => filter.has(key));
};

describe('--csv', () => {
  it.each([
    [`pick known ${FIELD}`, CSV, CSV],
    [`omit known --allow-none ${FIELD}`, CSV, HEADER],
    [`dedupe ${FIELD}`, CSV, CSV.slice(0, CSV.lastIndexOf('4,'))],
    ['dedupe --csv', 'a,"1\n2"\na,"1\n2"\na,1\n', 'a,"1\n2"\na,1\n'],
    [`has known - ${FIELD}`, `${CSV}5,Zoe\n`, CSV],
    ['dedupe --csv -d ; -f 2', '1;"x;y"\n2;x;y\n', '1;"x;y"\n2;x;y\n'],
    ['dedupe --csv --repeated -c', 'a,"\n"\na,"\n"\n', '      2 a,"\n"\n'],
  ])('selects whole records, with their newlines and quotes as they are: %s', async (line, text, expected) => {
    expect(await textOf(line, text)).toBe(expected);
  });

  it('adds what fields mean', async () => {
    const names = ['Ada, Countess', 'B\n"ob"', 'Eve', 'Zoe'];
    for (const kind of ['classic', 'fuse']) {
      expect(await told(`build -k ${kind} -p 1e-9 -o ${kind} ${FIELD} names.csv more.csv`)).toEqual([0, '', '']);
      expect(keysOf(kind, [...names, 'the\nname', 'name', '"Eve"'])).toEqual(names);
    }
    // One of six: the records, not the lines and not the header, were counted.
    expect(load(readFileSync('classic')).capacity).toBe(6);
    await told('add classic --csv -f 1 more.csv');
    expect(keysOf('classic', ['id', '5', '7'])).toEqual(['id', '5']);
  });

  it('has records, not lines, where messages count or name them', async () => {
    const lacking = 'bloomery: warning: 1 record without a field 2, whose key is empty\n';
    expect(await said('dedupe --csv -f 2', '1,2\n"3\n"\n')).toBe(lacking);
    const full = await said('build --csv -k cuckoo -n 100 -o full', '"x\n"\n'.repeat(10));
    expect(full).toContain('bloomery: record 9 does not fit: ');
    // The number would not count those that were left out.
    const build = 'build --json-field a --skip-invalid -k cuckoo -n 100 -o full';
    expect(await said(build, `{\n${'{"a":1}\n'.repeat(10)}`)).toContain('bloomery: a line does not fit: ');
  });

  it.each([['--header'], ['']])('counts the header where a line is named by its number: %s', async (header) => {
    // Eight copies of a key have room.
    const text = `id\n${'x\n'.repeat(10)}`;
    const full = await said(`build -k cuckoo -n 100 -o copies ${header}`, text);
    expect(full).toContain('bloomery: line 10 does not fit: ');
  });

  it.each([
    [`pick known ${FIELD} names.csv more.csv`, '', 0, `${CSV}5,Eve\n`],
    [`omit known ${FIELD} names.csv more.csv`, '', 0, `${HEADER}6,Zoe`],
    [`omit -c known ${FIELD} names.csv more.csv`, '', 0, '1\n'],
    ['dedupe --header', 'name', 1, 'name'],
    ['dedupe --header', '', 1, ''],
    ['dedupe --header --repeated -c', 'id\na\nb\na\n', 0, 'id\n      2 a\n'],
    ['dedupe --header', 'id\nid\n', 0, 'id\nid\n'],
    ['dedupe --header bare marked', '', 0, '\ufeffname\nx\r\n'],
    ['dedupe --header -z bare nul', '', 0, '\ufeffname\0x\0'],
    ['dedupe --csv --header -f 1 lone more', '', 0, '"a\nb",c\r\r\nx,1\n'],
  ])('prints the header of the first file first, and once: %s, of %j', async (line, input, code, expected) => {
    write({ lone: '"a\nb",c\r', more: '"a\nb",c\r\r\nx,1\n' });
    write({ bare: '\ufeffname', marked: '\ufeffname\r\nx\r\nx\r\n', nul: 'name\0x\0x\0' });
    const [found, printed, said] = await told(line, input);
    expect([found, printed]).toEqual([code, expected]);
    expect(said).not.toMatch(/'(?:marked|nul)' has another header/);
  });

  it.each(['1', '2'])('names the record whose quotes are wrong, and goes on: %s threads', async (n) => {
    writeFileSync('wrong.csv', `${CSV}5,a"b\n6,c\n7,d"\n`);
    const pick = `pick known ${FIELD} --threads ${n}`;
    const error = "bloomery: 'wrong.csv', line 8 is not CSV: a quote within a field that does not begin with one\n";
    const differs = "bloomery: warning: 'more.csv' has another header than the one that is printed\n";
    expect(await told(`${pick} wrong.csv more.csv`)).toEqual([2, `${CSV}5,Eve\n`, error + differs]);
    expect(await told('build -o never --csv wrong.csv')).toEqual([2, '', error]);
    const warning = error.replace(': ', ': warning: 2 invalid records left out, the first of them: ');
    expect(await told(`${pick} --skip-invalid wrong.csv`)).toEqual([0, CSV, warning]);
    expect(await told('build -o counted --csv --skip-invalid wrong.csv')).toEqual([0, '', warning]);
  });

  it('does not take a record for the header that is wrong', async () => {
    write({ one: 'id,e"mail\nid,email\n1,ada@x\n', two: 'email,id\neve@x,2\n' });
    const message = "bloomery: 'one', line 1 is not CSV: a quote within a field that does not begin with one\n";
    const dedupe = 'dedupe --csv --header -f email --skip-invalid --threads';
    for (const n of ['1', '2'])
      expect(await told(`${dedupe} ${n} one two`)).toEqual([2, 'email,id\neve@x,2\n', message]);
    // The first below the header is left out as any other.
    const warning = message.replace("'one', line 1", 'warning: 1 invalid record left out: stdin, line 2');
    expect(await told(`${dedupe} 1`, 'id,email\n1,a"x\n2,b\n')).toEqual([0, 'id,email\n2,b\n', warning]);
  });

  it('gives the same in several threads, in sections of any size', async () => {
    const records = Array.from({ length: 40_000 }, (_, i) => {
      const note = `"${'line,\n""\n'.repeat((i * 7) % 12)}${i % 5000}"`;
      return `${i},${note}\r\n`;
    });
    const long = `x,"${'\n'.repeat(3_000_000)}"\n`;
    const some = [...records.slice(0, 100), long, ...records];
    writeFileSync('long.csv', [...some, long].join(''));
    const seen = new Set<string>();
    const keyOf = (record: string): string => record.slice(record.indexOf(','));
    const expected = some.filter((record) => !seen.has(keyOf(record)) && seen.add(keyOf(record))).join('');
    for (const threads of [1, 3]) {
      expect((await textOf(`dedupe --csv -f 2 --threads ${threads} long.csv`)) === expected).toBe(true);
    }
  });
});

describe('--json-field', () => {
  const different = '{"a,b":1}\n{"a,b":1,"a":{"b":1}}\n';
  const isNull = 'which is null in the key';
  const isBoth = 'is a number in some lines and a string in others: 17 and "17" are one key';
  it.each([
    [
      'pick known --json-field user.name',
      '{"id":1,"user":{"name":"B\\n\\"ob\\""}}\n{"id":2,"user":{"name":"Zoe"}}\n\n{"id":3}\n',
      '{"id":1,"user":{"name":"B\\n\\"ob\\""}}\n',
      '2 lines without user.name, whose key is null',
    ],
    ['dedupe --json-field a.b,a\\,b', different, different, `1 line without one of a.b, a\\,b, ${isNull}`],
    [
      'dedupe --json-field a,b',
      '{"a":1,"b":2}\n{"b":2,"a":1}\n{"a":1}\n{"a":1,"b":3}\n',
      '{"a":1,"b":2}\n{"a":1}\n{"a":1,"b":3}\n',
      `1 line without one of a, b, ${isNull}`,
    ],
    ['dedupe --json-field id --threads 1', '{"id":17}\n{"id":"17"}\n', '{"id":17}\n', `id ${isBoth}`],
    ['dedupe --json-field id --threads 2', '{"id":17}\n{"id":"17"}\n', '{"id":17}\n', `id ${isBoth}`],
  ])('takes a member, or several together: %s', async (line, text, expected, warning) => {
    expect(await told(line, text)).toEqual([0, expected, `bloomery: warning: ${warning}\n`]);
  });

  it.each(['a', 'b', 'a,b'])('have one key as numbers and as strings, trimmed and without case: %s', async (member) => {
    const text =
      '{"a":17,"b":"X"}\n{"a":" 17","b":" x\\u00a0"}\n{"a":1E5,"b":{"C":1}}\n{"a":"1e5 ","b":"{\\"c\\":1}"}\n';
    const first = '{"a":17,"b":"X"}\n{"a":1E5,"b":{"C":1}}\n';
    const result = [0, first, member === 'b' ? '' : `bloomery: warning: a ${isBoth}\n`];
    expect(await told(`dedupe --json-field ${member} --trim --ignore-case`, text)).toEqual(result);
  });

  describe.each(['1', '3'])('where lines are not JSON: %s threads', (threads) => {
    const options = `--json-field id --threads ${threads} before.json wrong.json`;
    // Long enough for several batches and blocks of lines.
    const before = Array.from({ length: 30_000 }, (_, i) => `{"id":${i},"text":"${'x'.repeat(60 + (i % 60))}"}\n`);
    const after = before.map((line) => line.replace(':', ':-1'));
    const reason = "'wrong.json', line 20,001 is not JSON: a value is missing at byte 7\n";
    const warning = `bloomery: warning: 2 invalid records left out, the first of them: ${reason}`;
    beforeAll(() => {
      writeFileSync('before.json', before.slice(0, 10_000).join(''));
      writeFileSync('wrong.json', [...before.slice(10_000), '{"id":}\n', ...after, '{"id"\n'].join(''));
    });

    it.each(['', '--header '])('names the first of them and its file, after all before: %s', async (header) => {
      for (const command of ['dedupe', 'omit known']) {
        const [code, stdout, stderr] = await told(`${command} ${header}${options}`);
        expect([code, stderr]).toEqual([2, `bloomery: ${reason}`]);
        expect(stdout === before.filter((_, i) => header === '' || i !== 10_000).join('')).toBe(true);
      }
      for (const kind of ['classic', 'sharded-fuse']) {
        const build = `build -k ${kind} -o never ${header}${options}`;
        expect(await told(build)).toEqual([2, '', `bloomery: ${reason}`]);
      }
      expect(existsSync('never')).toBe(false);
    });

    it.each(['dedupe', 'omit known'])('leaves them out with --skip-invalid, and counts them: %s', async (command) => {
      const [code, stdout, stderr] = await told(`${command} --skip-invalid ${options}`);
      expect([code, stderr]).toEqual([0, warning]);
      expect(stdout === [...before, ...after].join('')).toBe(true);
    });

    it('warns of a number here, and a string far from it', async () => {
      const text = `{"id":"17"}\n${before.join('')}{"id":"x"}\n`;
      const stderr = (await told(`pick known --json-field id --threads ${threads}`, text))[2];
      expect(stderr).toBe(`bloomery: warning: id ${isBoth}\n`);
    });

    it.each(['classic', 'fuse', 'sharded-fuse'])('builds a filter without them: %s', async (kind) => {
      expect(await told(`build -k ${kind} -o skipped --skip-invalid ${options}`)).toEqual([0, '', warning]);
      expect(await told(`pick -c skipped --skip-invalid ${options}`)).toEqual([0, '60000\n', warning]);
    });
  });

  it('is read from stdin by has, which leaves invalid lines out of its answer too', async () => {
    const has = (option: string) =>
      told(`has known - --json-field id ${option}`, '{"id":"Eve"}\n{"id"\n{"id":"Eve"}\n');
    const reason = 'stdin, line 2 is not JSON: a colon is missing at its end\n';
    const warning = `bloomery: warning: 1 invalid record left out: ${reason}`;
    expect(await has('')).toEqual([2, '{"id":"Eve"}\n', `bloomery: ${reason}`]);
    expect(await has('--skip-invalid')).toEqual([0, '{"id":"Eve"}\n{"id":"Eve"}\n', warning]);
  });
});

it('keys that are not lines are refused if they are more than the offsets of a column can tell apart', () => {
  const message =
    /^4\.29 GB of keys that are not lines are too many at once: at most 4\.29 GB; only --kind sharded-fuse /;
  expect(() => new KeyWriter(2 ** 32)).toThrow(message);
});

it('several fields are one key, and are empty in it where they lack', async () => {
  const text = 'a\tb\tc\nb\ta\tc\na\tb\td\na\n';
  const warning = 'bloomery: warning: 1 line without one of the fields 1, 2, which is empty in the key\n';
  expect(await told('dedupe -f 1,2', text)).toEqual([0, 'a\tb\tc\nb\ta\tc\na\n', warning]);
});

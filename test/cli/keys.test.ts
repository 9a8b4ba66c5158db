// Keys from records, in all commands that read texts.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { BloomFilter } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyWriter } from '../../cli/text/key-writer.ts';
import { run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const FILTER = path('known.bloom');

/** Names in quotes, with delimiters, newlines and quotes in them, below a header. */
const CSV = 'id,"the\nname"\r\n1,"Ada, Countess"\r\n2,"B\n""ob"""\n3,Eve\n4,"Eve"\n';
const HEADER = CSV.slice(0, 15);
const JSON_LINES = '{"id":1,"user":{"name":"B\\n\\"ob\\""}}\n{"id":2,"user":{"name":"Zoe"}}\n\n{"id":3}\n';

beforeAll(() => {
  writeFileSync(FILTER, BloomFilter.from(['Ada, Countess', 'B\n"ob"', 'Eve'], { errorRate: 1e-9 }).toBytes());
  writeFileSync(path('names.csv'), CSV);
  writeFileSync(path('more.csv'), 'id,name\n5,Eve\n6,Zoe');
});

async function printed(input: string, ...args: string[]): Promise<string> {
  return (await runOn(input, ...args)).stdout.toString();
}

describe('--csv', () => {
  const args = ['--csv', '--header', '-f', '2'];

  it('selects whole records, with their newlines and quotes as they are', async () => {
    expect(await printed(CSV, 'pick', FILTER, ...args)).toBe(CSV);
    expect(await printed(CSV, 'omit', FILTER, ...args, '--allow-none')).toBe(HEADER);
    expect(await printed(CSV, 'dedupe', ...args)).toBe(CSV.slice(0, CSV.lastIndexOf('4,')));
    expect(await printed('a,"1\n2"\na,"1\n2"\na,1\n', 'dedupe', '--csv')).toBe('a,"1\n2"\na,1\n');
    expect(await printed(`${CSV}5,Zoe\n`, 'has', FILTER, '-', ...args)).toBe(CSV);
    expect(await printed('1;"x;y"\n2;x;y\n', 'dedupe', '--csv', '-d', ';', '-f', '2')).toBe('1;"x;y"\n2;x;y\n');
    expect(await printed('a,"\n"\na,"\n"\n', 'dedupe', '--csv', '--repeated', '-c')).toBe('      2 a,"\n"\n');
  });

  it('adds what fields mean', async () => {
    for (const kind of ['classic', 'fuse']) {
      const name = path(`${kind}.bloom`);
      const built = await run(
        'build',
        '-k',
        kind,
        '-p',
        '1e-9',
        '-o',
        name,
        ...args,
        path('names.csv'),
        path('more.csv'),
      );
      expect(built).toMatchObject({ code: 0, stderr: '' });
      const saved = readFileSync(name);
      const filter = kind === 'fuse' ? BinaryFuseFilter.fromBytes(saved) : BloomFilter.fromBytes(saved);
      const names = ['Ada, Countess', 'B\n"ob"', 'Eve', 'Zoe'];
      expect(filter.pick([...names, 'the\nname', 'name', '"Eve"'])).toEqual(names);
    }
    // One of six: the records, not the lines and not the header, were counted.
    expect(BloomFilter.fromBytes(readFileSync(path('classic.bloom'))).capacity).toBe(6);
    await run('add', path('classic.bloom'), '--csv', '-f', '1', path('more.csv'));
    expect(BloomFilter.fromBytes(readFileSync(path('classic.bloom'))).pick(['id', '5', '7'])).toEqual(['id', '5']);
  });

  it('has records, not lines, where messages count or name them', async () => {
    const lacking = await runOn('1,2\n"3\n"\n', 'dedupe', '--csv', '-f', '2');
    expect(lacking.stderr).toBe('bloomery: warning: 1 record without a field 2, whose key is empty\n');
    const full = await runOn('"x\n"\n'.repeat(10), 'build', '--csv', '-k', 'cuckoo', '-n', '100', '-o', path('full'));
    expect(full.stderr).toContain('bloomery: record 9 does not fit: ');
  });

  it('prints the header of the first file first, and once', async () => {
    const files = [path('names.csv'), path('more.csv')];
    expect((await run('pick', FILTER, ...args, ...files)).stdout.toString()).toBe(`${CSV}5,Eve\n`);
    expect((await run('omit', FILTER, ...args, ...files)).stdout.toString()).toBe(`${HEADER}6,Zoe`);
    expect((await run('omit', '-c', FILTER, ...args, ...files)).stdout.toString()).toBe('1\n');
    expect(await runOn('name', 'dedupe', '--header')).toMatchObject({ code: 1, stdout: Buffer.from('name') });
    expect(await runOn('', 'dedupe', '--header')).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
    expect(await printed('id\na\nb\na\n', 'dedupe', '--header', '--repeated', '-c')).toBe('id\n      2 a\n');
    expect(await printed('id\nid\n', 'dedupe', '--header')).toBe('id\nid\n');
    writeFileSync(path('bare'), '\ufeffname');
    writeFileSync(path('marked'), '\ufeffname\r\nx\r\nx\r\n');
    const marked = await run('dedupe', '--header', path('bare'), path('marked'));
    expect(marked.stdout.toString()).toBe('\ufeffname\nx\r\n');
  });

  it('counts the header where a line is named by its number', async () => {
    const text = `id\n${'x\n'.repeat(10)}`;
    const args = ['build', '-k', 'cuckoo', '-n', '100', '-o', path('copies.bloom')];
    // Eight copies of a key have room.
    expect((await runOn(text, ...args, '--header')).stderr).toContain('bloomery: line 10 does not fit: ');
    expect((await runOn(text, ...args)).stderr).toContain('bloomery: line 10 does not fit: ');
  });

  it.each(['1', '2'])(
    'names the record whose quotes are wrong, and goes on with the next file: %s threads',
    async (n) => {
      writeFileSync(path('wrong.csv'), `${CSV}5,a"b\n6,c\n`);
      const result = await run('pick', FILTER, ...args, '--threads', n, path('wrong.csv'), path('more.csv'));
      expect({ code: result.code, text: result.stdout.toString() }).toEqual({ code: 2, text: `${CSV}5,Eve\n` });
      const error = `bloomery: '${path('wrong.csv')}', line 8 is not CSV: a quote within a field that does not begin with one\n`;
      const differs = `bloomery: warning: '${path('more.csv')}' has another header than the one that is printed\n`;
      expect(result.stderr).toBe(error + differs);
      const built = await run('build', '-o', path('wrong.bloom'), '--csv', path('wrong.csv'));
      expect(built).toMatchObject({ code: 2, stderr: error });
      const skipped = await run('pick', FILTER, ...args, '--skip-invalid', '--threads', n, path('wrong.csv'));
      expect({ code: skipped.code, text: skipped.stdout.toString() }).toEqual({ code: 0, text: CSV });
      const warning = error.replace(': ', ': warning: 1 invalid record left out: ');
      expect(skipped.stderr).toBe(warning);
    },
  );

  it('gives the same in several threads, in pieces of any size', async () => {
    const records = Array.from({ length: 40_000 }, (_, i) => {
      const note = `"${'line,\n""\n'.repeat((i * 7) % 12)}${i % 5000}"`;
      return `${i},${note}\r\n`;
    });
    const long = `x,"${'\n'.repeat(3_000_000)}"\n`;
    writeFileSync(path('long.csv'), [...records.slice(0, 100), long, ...records, long].join(''));
    const dedupe = (threads: string) => run('dedupe', '--csv', '-f', '2', '--threads', threads, path('long.csv'));
    const [one, three] = [await dedupe('1'), await dedupe('3')];
    expect(one.stdout.equals(three.stdout)).toBe(true);
    const seen = new Set<string>();
    const keyOf = (record: string): string => record.slice(record.indexOf(','));
    const expected = [...records.slice(0, 100), long, ...records].filter(
      (record) => !seen.has(keyOf(record)) && seen.add(keyOf(record)),
    );
    expect(one.stdout.toString() === expected.join('')).toBe(true);
  });
});

describe('--json-field', () => {
  it('takes a member of an object, or of an object in it', async () => {
    const args = ['--json-field', 'user.name'];
    const { stdout, stderr } = await runOn(JSON_LINES, 'pick', FILTER, ...args);
    expect(stdout.toString()).toBe(JSON_LINES.slice(0, JSON_LINES.indexOf('\n') + 1));
    expect(stderr).toBe('bloomery: warning: 2 lines without user.name, whose key is null\n');
    expect(await printed('{"a.b":1}\n{"a.b":1}\n', 'dedupe', '--json-field', 'a\\.b')).toBe('{"a.b":1}\n');
    expect(await printed('{"a,b":1}\n{"a,b":1}\n', 'dedupe', '--json-field', 'a\\,b')).toBe('{"a,b":1}\n');
    // A member of a member, and a name with a comma, which are not the same.
    const mixed = await runOn('{"a,b":1}\n{"a,b":1,"a":{"b":1}}\n', 'dedupe', '--json-field', 'a.b,a\\,b');
    expect(mixed).toMatchObject({ code: 0, stdout: Buffer.from('{"a,b":1}\n{"a,b":1,"a":{"b":1}}\n') });
    expect(mixed.stderr).toBe('bloomery: warning: 1 line without one of a.b, a\\,b, which is null in the key\n');
  });

  it('takes several members together', async () => {
    const text = '{"a":1,"b":2}\n{"b":2,"a":1}\n{"a":1}\n{"a":1,"b":3}\n';
    const { stdout, stderr } = await runOn(text, 'dedupe', '--json-field', 'a,b');
    expect(stdout.toString()).toBe('{"a":1,"b":2}\n{"a":1}\n{"a":1,"b":3}\n');
    expect(stderr).toBe('bloomery: warning: 1 line without one of a, b, which is null in the key\n');
    await runOn(text, 'build', '-n', '9', '-p', '1e-9', '-o', path('pairs.bloom'), '--json-field', 'a,b');
    const filter = BloomFilter.fromBytes(readFileSync(path('pairs.bloom')));
    const keys = ['["1","2"]', '["1","null"]', '["1","3"]'];
    expect(filter.pick([...keys, '["2","1"]', '[1,2]'])).toEqual(keys);
  });

  describe.each(['1', '2', '3'])('where lines are not JSON: %s threads', (threads) => {
    const args = ['--json-field', 'id', '--threads', threads];
    // Long enough for several batches and slices.
    const before = Array.from({ length: 30_000 }, (_, i) => `{"id":${i},"text":"${'x'.repeat(i % 60)}"}\n`);
    const after = before.map((line) => line.replace(':', ':-1'));
    const file = path(`wrong-${threads}.json`);
    const reason = `'${file}', line 20,001 is not JSON: a value is missing at byte 7\n`;
    beforeAll(() => {
      writeFileSync(path('before.json'), before.slice(0, 10_000).join(''));
      const wrong = [...before.slice(10_000), '{"id":}\n', ...after, '{"id"\n'];
      writeFileSync(file, wrong.join(''));
    });

    it.each([[], ['--header']])(
      'names the first of them and its file, after the lines before it: %s',
      async (...header) => {
        for (const command of [['dedupe'], ['omit', FILTER]]) {
          const result = await run(...command, ...header, ...args, path('before.json'), file);
          expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 2, stderr: `bloomery: ${reason}` });
          const wanted = before.filter((_, i) => header.length === 0 || i !== 10_000);
          expect(result.stdout.toString() === wanted.join('')).toBe(true);
        }
        const built = await run('build', '-o', path('never'), ...header, ...args, path('before.json'), file);
        expect({ ...built, stdout: '' }).toEqual({ code: 2, stderr: `bloomery: ${reason}`, stdout: '' });
        expect(existsSync(path('never'))).toBe(false);
      },
    );

    it('leaves them out with --skip-invalid, and counts them', async () => {
      const warning = `bloomery: warning: 2 invalid records left out, the first of them: ${reason}`;
      const options = ['--skip-invalid', ...args, path('before.json'), file];
      for (const command of [['dedupe'], ['omit', FILTER]]) {
        const { code, stdout, stderr } = await run(...command, ...options);
        expect({ code, stderr }).toEqual({ code: 0, stderr: warning });
        expect(stdout.toString() === [...before, ...after].join('')).toBe(true);
      }
    });

    it.each(['classic', 'fuse', 'sharded-fuse'])('builds a filter without them: %s', async (kind) => {
      const options = ['--skip-invalid', ...args, file];
      const warning = `bloomery: warning: 2 invalid records left out, the first of them: ${reason}`;
      const built = await run('build', '-k', kind, '-o', path(`skipped.${kind}`), ...options);
      expect({ code: built.code, stderr: built.stderr }).toEqual({ code: 0, stderr: warning });
      const found = await run('pick', '--count', path(`skipped.${kind}`), ...options);
      expect({ code: found.code, text: found.stdout.toString() }).toEqual({ code: 0, text: '50000\n' });
    });
  });

  it('is read from stdin by has, which leaves invalid lines out of its answer too', async () => {
    const text = '{"id":"Eve"}\n{"id"\n{"id":"Eve"}\n';
    const has = (...options: string[]) => runOn(text, 'has', FILTER, '-', '--json-field', 'id', ...options);
    const reason = 'stdin, line 2 is not JSON: a colon is missing at its end\n';
    expect(await has()).toEqual({ code: 2, stdout: Buffer.from('{"id":"Eve"}\n'), stderr: `bloomery: ${reason}` });
    expect(await has('--skip-invalid')).toEqual({
      code: 0,
      stdout: Buffer.from('{"id":"Eve"}\n{"id":"Eve"}\n'),
      stderr: `bloomery: warning: 1 invalid record left out: ${reason}`,
    });
  });

  it.each(['1', '2'])('warns where 17 and "17" both come, which are one key: %s threads', async (threads) => {
    const result = await runOn('{"id":17}\n{"id":"17"}\n', 'dedupe', '--json-field', 'id', '--threads', threads);
    expect(result.stdout.toString()).toBe('{"id":17}\n');
    expect(result.stderr).toBe(
      'bloomery: warning: id is a number in some lines and a string in others: 17 and "17" are one key\n',
    );
  });
});

describe('keys that are not lines', () => {
  it('are refused if they are more than the offsets of a column can tell apart', () => {
    const message = /^4\.29 GB of keys that are not lines are too many at once: at most 4\.29 GB, or any with /;
    expect(() => new KeyWriter(2 ** 32)).toThrow(message);
  });

  it('take any number of offsets', () => {
    const keys = new KeyWriter(0);
    const text = Buffer.from('ab');
    for (let i = 0; i < 5000; i++) {
      keys.copy(text, 0, i % 3);
      keys.end();
    }
    const { data, offsets } = keys.toColumn();
    expect([offsets.length, data.length]).toEqual([5001, 4998 + 1]);
    expect(Array.from(offsets.subarray(0, 5), Number)).toEqual([0, 0, 1, 3, 3]);
    expect(Number(offsets[5000]) - Number(offsets[4998])).toBe(1);
  });
});

describe('several fields', () => {
  it('are one key, with the delimiter between them, in the order that is given', async () => {
    const text = 'a\tb\tc\nb\ta\tc\na\tb\td\na\n';
    const { stdout, stderr } = await runOn(text, 'dedupe', '-f', '1,2');
    expect(stdout.toString()).toBe('a\tb\tc\nb\ta\tc\na\n');
    expect(stderr).toBe('bloomery: warning: 1 line without one of the fields 1, 2, which is empty in the key\n');
    await runOn(text, 'build', '-n', '9', '-p', '1e-9', '-o', path('two.bloom'), '-f', '2,1');
    const filter = BloomFilter.fromBytes(readFileSync(path('two.bloom')));
    expect(filter.pick(['b\ta', 'a\tb', '\ta', 'a\t'])).toEqual(['b\ta', 'a\tb', '\ta']);
  });
});

describe('options that do not go together', () => {
  it.each([
    [['dedupe', '--json-field', 'a', '--csv'], '--csv does not go with --json-field'],
    [['dedupe', '--json-field', 'a', '-f', '1'], '--field does not go with --json-field'],
    [['dedupe', '--json-field', 'a', '-d', ';'], '--delimiter does not go with --json-field'],
    [['dedupe', '--json-field', 'a..b'], "--json-field must be one name or several, got 'a..b'"],
    [['dedupe', '--json-field', ''], "--json-field must be one name or several, got ''"],
    [['dedupe', '--json-field', 'a,b,a'], '--json-field has a twice'],
    [['dedupe', '--json-field', 'a\\,b,a\\,b'], '--json-field has a\\,b twice'],
    [['dedupe', '-d', ';'], '--delimiter needs --field or --csv'],
    [['dedupe', '--csv', '-d', '::'], '--delimiter must be a single byte with --csv, and not a quote'],
    [['dedupe', '--csv', '-d', '"'], '--delimiter must be a single byte with --csv, and not a quote'],
    [['has', FILTER, 'Eve', '--csv'], '--csv needs the key -, which stands for the lines of stdin'],
  ])('are refused: %j', async (args, message) => {
    expect(await runOn('', ...args)).toEqual({ code: 2, stdout: Buffer.alloc(0), stderr: `bloomery: ${message}\n` });
  });
});

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'bloomery';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextKeys } from '../../cli/text/records.ts';
import { selectBy, selectIn } from '../../cli/text/select.ts';
import { randomFrom } from '../shared/random.ts';
import { formatWith } from './format.ts';
import { program, run, runOn, start, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
const FILTER = path('ab.bloom');
const MARK = '\ufeff';

beforeAll(() => {
  writeFileSync(FILTER, BloomFilter.from(['a', 'b', 'x\ny'], { errorRate: 1e-9 }).toBytes());
  writeFileSync(path('ab'), 'a\nb\n');
});
afterAll(remove);

const picked = async (text: string | Uint8Array, ...args: string[]): Promise<string> =>
  (await runOn(text, 'pick', FILTER, ...args)).stdout.toString();

// The result of `slice` on a Buffer shares the Buffer's memory, which the next chunk of a file overwrites.
it('the linter refuses slice on the command line and in streams', () => {
  const { folder, path, remove } = temporaryFolder();
  const root = join(import.meta.dirname, '../..');
  for (const name of ['tools', 'cli', 'src/streams', 'test']) mkdirSync(path(name), { recursive: true });
  for (const name of ['biome.json', 'tools/slice.grit']) copyFileSync(join(root, name), path(name));
  const copies = ['bytes.slice()', 'bytes.slice(1, 2)', 'bytes?.slice()', 'new Uint8Array(bytes)'];
  for (const name of ['cli', 'src/streams', 'test']) {
    for (const [i, copy] of copies.entries()) {
      writeFileSync(path(`${name}/${i}.ts`), `export const copy = (bytes: Uint8Array): Uint8Array => ${copy};\n`);
    }
  }
  const args = [
    join(root, 'node_modules/@biomejs/biome/bin/biome'),
    'lint',
    '--vcs-enabled=false',
    '--reporter=github',
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  remove();
  expect(status).toBe(1);
  const refused = [...stdout.matchAll(/title=plugin,file=([^,]+),.*slice does not copy a Buffer/g)].map(
    ([, file]) => file,
  );
  const expected = ['cli', 'src/streams'].flatMap((name) => [0, 1, 2].map((i) => path(`${name}/${i}.ts`)));
  expect(refused.sort()).toEqual(expected);
});

describe('a text', () => {
  it('may begin with a byte order mark, which is no part of the first key', async () => {
    expect(await picked(`${MARK}a\nc\nb\n`)).toBe(`${MARK}a\nb\n`);
    expect(await picked(`${MARK}c\nb\n`)).toBe('b\n');
    expect(await picked(`${MARK}a`)).toBe(`${MARK}a`);
    expect(await picked(`a\n${MARK}b\n`)).toBe('a\n');
    expect(await picked(`${MARK}a\tc\n`, '--field', '1')).toBe(`${MARK}a\tc\n`);
  });

  it('may begin with a byte order mark in each of several files, gzipped too', async () => {
    writeFileSync(path('marked'), `${MARK}a\n`);
    writeFileSync(path('marked.gz'), gzipSync(`${MARK}b\n`));
    expect(await picked('', path('marked'), path('marked.gz'))).toBe(`${MARK}a\nb\n`);
    expect((await run('build', path('marked'), path('marked.gz'), '-o', path('m.bloom'))).code).toBe(0);
    expect(BloomFilter.fromBytes(readFileSync(path('m.bloom'))).pick(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('may end in a bare carriage return, which stays part of the key before another file', async () => {
    writeFileSync(path('return'), 'a\nc\r');
    writeFileSync(path('after'), 'd');
    await run('build', path('return'), path('after'), '-o', path('r.bloom'), '-p', '1e-9');
    expect(BloomFilter.fromBytes(readFileSync(path('r.bloom'))).hasMany(['c\r', 'c', 'd'])).toEqual(
      Uint8Array.of(1, 0, 1),
    );
  });

  it('keeps its keys if it is printed before another file', async () => {
    writeFileSync(path('return'), 'a\nc\r');
    writeFileSync(path('marked'), `${MARK}d\r\n`);
    const all = await run('dedupe', path('return'), path('marked'));
    expect(all.stdout.toString()).toBe('a\nc\r\r\nd\r\n');
    await runOn(all.stdout, 'build', '-n', '9', '-p', '1e-9', '-o', path('again.bloom'));
    expect(BloomFilter.fromBytes(readFileSync(path('again.bloom'))).hasMany(['c\r', 'c', 'd'])).toEqual(
      Uint8Array.of(1, 0, 1),
    );
  });

  it('gets a newline before the next file', async () => {
    writeFileSync(path('a'), 'a');
    writeFileSync(path('b'), 'b');
    expect(await picked('', path('a'), path('b'), path('ab'))).toBe('a\nb\na\nb\n');
  });

  it('may have a line longer than several chunks, cut anywhere', async () => {
    const long = 'a'.repeat(300_000);
    await runOn(long, 'build', '-n', '1', '-o', path('long.bloom'));
    const { stdout } = await runOn(`short\n${long}\nshort\n${long}`, 'pick', path('long.bloom'));
    expect(stdout.toString()).toBe(`${long}\n${long}`);
  });

  describe('of several megabytes', () => {
    // Lines of up to 1.5 MB that do not compress, without a newline at the end.
    const random = randomFrom(7);
    const parts = Array.from({ length: 300 }, (_, i) => {
      const length = i % 100 === 0 ? 1_500_000 : random(30_000);
      return Buffer.from(Uint8Array.from({ length }, () => random(256))).toString('base64');
    });
    const text = Buffer.from(parts.join('\n'));
    const name = path('several');
    beforeAll(() => {
      writeFileSync(name, text);
      writeFileSync(`${name}.gz`, gzipSync(text));
    });
    afterAll(() => rmSync(name));

    it.each([
      ['a file', async () => (await run('omit', FILTER, name)).stdout],
      ['a gzipped file', async () => (await run('omit', FILTER, `${name}.gz`)).stdout],
      ['a file to a file', async () => run('omit', FILTER, name, '-o', path('o')).then(() => readFileSync(path('o')))],
      ['a pipe', async () => (await runOn(text, 'omit', FILTER)).stdout],
      [
        'a file as stdin',
        async () => {
          const input = openSync(name, 'r');
          const args = [program, 'omit', FILTER];
          const { stdout } = spawnSync(process.execPath, args, { stdio: [input, 'pipe', 'pipe'], maxBuffer: 1e8 });
          closeSync(input);
          return stdout;
        },
      ],
      [
        'two files at once',
        async () => {
          const other = path('other');
          writeFileSync(other, text);
          const { stdout } = await run('omit', FILTER, name, other);
          expect(stdout.subarray(text.length + 1).equals(text)).toBe(true);
          return stdout.subarray(0, text.length);
        },
      ],
    ] as [string, () => Promise<Buffer>][])('comes out as it is: %s', async (_, print) => {
      expect((await print()).equals(text)).toBe(true);
    });
  });

  it.each(['xz', 'bzip2'])('compressed with %s is refused, by name and by its first bytes', async (tool) => {
    const bytes = {
      xz: Buffer.from('\xfd7zXZ\0\0\x04', 'latin1'),
      bzip2: Buffer.from('BZh91AY&SY\x12', 'latin1'),
    }[tool] as Buffer;
    const name = path(`text.${tool === 'xz' ? 'xz' : 'bz2'}`);
    writeFileSync(name, 'a\n');
    const named = await run('pick', FILTER, name);
    expect(named).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(named.stderr).toBe(
      `bloomery: '${name}' is compressed with ${tool}: unzip it with '${tool} -dc', and read that through a pipe\n`,
    );
    expect((await runOn(bytes, 'pick', FILTER)).stderr).toMatch(
      `stdin is compressed with ${tool}: unzip it with '${tool} -dc'`,
    );
  });

  it('in Zstandard is read where Node can, and refused elsewhere', async () => {
    const bytes = Buffer.from('28b52ffd0458210000610a620a2550b323', 'hex');
    const { stdout, stderr } = await runOn(bytes, 'pick', FILTER);
    if ('createZstdDecompress' in zlib) expect(stdout.toString()).toBe('a\nb\n');
    else expect(stderr).toMatch("stdin is compressed with zstd: unzip it with 'zstd -dc'");
  });

  it('that begins like a signature or a mark, but is too short for one, is a text', async () => {
    for (const bytes of [[0x1f], [0x28, 0xb5], [0xef, 0xbb], [0x42, 0x5a, 0x68]]) {
      const key = Uint8Array.from(bytes);
      await runOn(key, 'build', '-n', '1', '-o', path('short.bloom'));
      expect((await runOn(key, 'pick', path('short.bloom'))).stdout).toEqual(Buffer.from(key));
    }
  });
});

describe('--field and --null', () => {
  const CSV = 'u1,a,z\nu2,c,a\r\nu3,b\r\nu4\n,a\n';

  it('look up one field of each line, and print whole lines', async () => {
    expect(await picked(CSV, '--field', '2', '--delimiter', ',')).toBe('u1,a,z\nu3,b\r\n,a\n');
    expect(await picked(CSV, '-f', '3', '-d,')).toBe('u2,c,a\r\n');
    expect(await picked('x\ta\ny\tc\n', '-f2')).toBe('x\ta\n');
    expect(await picked('x::a::\ny:a\n', '-f2', '-d', '::')).toBe('x::a::\n');
    expect(await picked('x,a\r\n', '-f2', '-d,', '--no-crlf')).toBe('');
  });

  it('--null: lines end with NUL, and newlines are part of the key', async () => {
    expect(await picked('a\0c\0x\ny\0b', '-z')).toBe('a\0x\ny\0b');
    expect(await picked('a\r\0b\0', '-z')).toBe('b\0');
    expect(await picked('a\0c\0b\0', '-z', '--count')).toBe('2\n');
    await runOn('p\nq\0r\0', 'build', '-z', '-n', '2', '-p', '1e-9', '-o', path('z.bloom'));
    expect(BloomFilter.fromBytes(readFileSync(path('z.bloom'))).hasMany(['p\nq', 'r', 'p'])).toEqual(
      Uint8Array.of(1, 1, 0),
    );
  });

  it('dedupe and add take the same keys', async () => {
    expect((await runOn(CSV, 'dedupe', '-f', '2', '-d', ',')).stdout.toString()).toBe('u1,a,z\nu2,c,a\r\nu3,b\r\nu4\n');
    writeFileSync(path('more.bloom'), BloomFilter.from(['q'], { capacity: 10, errorRate: 1e-9 }).toBytes());
    await runOn(CSV, 'add', path('more.bloom'), '-f', '2', '-d', ',');
    const filter = BloomFilter.fromBytes(readFileSync(path('more.bloom')));
    expect(filter.pick(['a', 'b', 'c', '', 'q', 'u1'])).toEqual(['a', 'b', 'c', '', 'q']);
  });

  it('select the same lines as a plain split', () => {
    const bytes = fc.array(fc.constantFrom('a', 'b', ',', '\n', '\r', '\0'), { maxLength: 60 });
    const filter = BloomFilter.from(['a', 'ab', '', 'b\r', 'a\n'], { errorRate: 1e-12 });
    fc.assert(
      fc.property(
        bytes,
        fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        fc.boolean(),
        (parts, field, z) => {
          const text = parts.join('');
          const separator = z ? '\0' : '\n';
          const format = formatWith({
            field: field === undefined ? undefined : [field],
            delimiter: field === undefined ? undefined : ',',
            null: z,
          });
          const lines = text.split(separator).map((line, i, all) => (i < all.length - 1 ? line + separator : line));
          const keyOf = (line: string): string => {
            const bare = z ? line.replace(/\0$/, '') : line.replace(/\r?\n$/, '');
            return field === undefined ? bare : (bare.split(',')[field - 1] ?? '');
          };
          const expected = lines.filter((line) => line !== '' && filter.has(keyOf(line))).join('');
          // By flags, and where lines are keys by picking them too.
          for (const select of [(keys: TextKeys) => filter.hasMany(keys), selectBy(filter, 'pick')]) {
            expect(Buffer.from(selectIn(Buffer.from(text), format, select)).toString()).toBe(expected);
          }
          const others = lines.filter((line) => line !== '' && !filter.has(keyOf(line))).join('');
          expect(Buffer.from(selectIn(Buffer.from(text), format, selectBy(filter, 'omit'))).toString()).toBe(others);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a line without the field', () => {
  it('has the empty key, and is reported', async () => {
    const { stdout, stderr } = await runOn('a,1\nb\nc\n', 'dedupe', '-f', '2', '-d', ',');
    expect(stdout.toString()).toBe('a,1\nb\n');
    expect(stderr).toBe('bloomery: warning: 2 lines without a field 2, whose key is empty\n');
  });
});

describe('stdin that stays open', () => {
  it.each([
    ['pick --quiet, at the first line', ['pick', '-q', FILTER], 'a\n', 0],
    ['a filter that is none', ['info', '-'], 'hello\n', 2],
    ['a format that cannot be read', ['pick', FILTER], 'BZh91AY&SY\x12', 2],
    ['memory that is full', ['dedupe', '--max-memory', '10'], 'a\nb\nc\nd\n', 2],
  ] as [string, string[], string, number][])(
    'does not keep the program from ending: %s',
    async (_, args, text, code) => {
      const child = start(...args);
      child.stdin?.write(text);
      child.stdout?.resume();
      expect(await once(child, 'close')).toEqual([code, null]);
      child.stdin?.destroy();
    },
  );
});

describe('progress', () => {
  const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

  it.runIf(hasTerminal).each(['1', '2'])('is shown on a terminal, and gone at the end: %s threads', (threads) => {
    const text = Array.from({ length: 3_000_000 }, (_, i) => `${i}\n`).join('');
    writeFileSync(path('large'), text);
    // On a fast machine, all is read before the first progress would be due.
    writeFileSync(path('clock.mjs'), 'let now = 0; Date.now = () => (now += 100);');
    const node = `${process.execPath} --import ${path('clock.mjs')}`;
    const command = `${node} ${program} build ${path('large')} -o ${path('large.bloom')} --threads ${threads}`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' });
    const shown = stdout.split('\r\x1b[K');
    expect(shown.some((line) => /^█+░* \d+ % {2}.* of 22\.9 MB {2}[1-9][\d,]+ lines\/s/.test(line))).toBe(true);
    expect(shown.at(-1)).toMatch(
      /large.bloom: classic filter, 3\.59 MB, error rate 0\.01, about (2,99|3,0).*keys\r?\n$/,
    );
  });
});

describe('pick and omit, with files and options', () => {
  it('--count prints the number of lines, --quiet nothing', async () => {
    expect(await run('pick', '-c', FILTER, path('ab'))).toMatchObject({ code: 0, stdout: Buffer.from('2\n') });
    expect(await run('omit', '-c', FILTER, path('ab'))).toMatchObject({ code: 1, stdout: Buffer.from('0\n') });
    expect(await run('pick', '-q', FILTER, path('ab'))).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
    expect(await run('omit', '-q', FILTER, path('ab'))).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
  });

  it('--output writes a file', async () => {
    expect(await run('pick', FILTER, path('ab'), '-o', path('out'))).toMatchObject({
      code: 0,
      stdout: Buffer.alloc(0),
    });
    expect(readFileSync(path('out'), 'utf8')).toBe('a\nb\n');
  });

  it('go on after a file that cannot be read, and exit with 2, as grep does', async () => {
    const { code, stdout, stderr } = await run('pick', FILTER, path('ab'), path('missing'), path('ab'));
    expect({ code, text: stdout.toString() }).toEqual({ code: 2, text: 'a\nb\na\nb\n' });
    expect(stderr).toBe(`bloomery: cannot read '${path('missing')}': no such file or directory\n`);
    expect((await run('pick', '-q', FILTER, path('missing'), path('ab'))).code).toBe(0);
  });

  it('warn of a filter that is too full, once', async () => {
    const numbers = Array.from({ length: 2000 }, (_, i) => i);
    writeFileSync(path('full.bloom'), BloomFilter.from(numbers, { capacity: 100 }).toBytes());
    for (const command of ['pick', 'omit', 'has']) {
      const { stderr } = await run(command, path('full.bloom'), command === 'has' ? 'a' : path('ab'));
      expect(stderr).toMatch(/^bloomery: warning: [^\n]+ in a filter made for 100 keys: the error rate is [^\n]+\n$/);
    }
  });
});

describe('an input that is also the output is refused, unchanged', () => {
  const refused = (name: string) =>
    new RegExp(`^bloomery: ${name} is also read by this command: choose another output\\n$`);

  it.each<[string, string[]]>([
    ['build', ['build', 'IN', '-o', 'IN']],
    ['build, by a symbolic link', ['build', 'IN', '-o', 'LINK']],
    ['build, by a hard link', ['build', 'HARD', '-o', 'IN']],
    ['add', ['add', 'IN', 'IN']],
    ['pick', ['pick', FILTER, 'IN', '-o', 'IN']],
    ['dedupe', ['dedupe', 'IN', '-o', 'IN']],
    ['dedupe --seen', ['dedupe', 'IN', '--seen', 'IN']],
    ['the filter of pick', ['pick', 'IN', FILTER, '-o', 'LINK']],
    ['the filter of dedupe', ['dedupe', FILTER, '--seen', 'IN', '-o', 'IN']],
  ])('%s', async (name, args) => {
    const slug = name.replace(/\W/g, '');
    const places = { IN: path(`in-${slug}`), LINK: path(`link-${slug}`), HARD: path(`hard-${slug}`) };
    writeFileSync(places.IN, 'a\n');
    symlinkSync(places.IN, places.LINK);
    linkSync(places.IN, places.HARD);
    const { code, stderr } = await run(...args.map((arg) => places[arg as 'IN'] ?? arg));
    expect(code).toBe(2);
    expect(stderr).toMatch(refused(`'${path('')}.*'`));
    expect(readFileSync(places.IN, 'utf8')).toBe('a\n');
  });

  it.each([
    ['by a folder that is a link', 'folder/new', 'linked/new'],
    ['by a link to it', 'folder/other', 'dangling'],
    ['by a link to that link', 'twice', 'linked/other'],
    ['by other words', 'folder/../folder/new', 'folder/./new'],
  ])('a filter that does not exist yet: %s', async (_name, seen, output) => {
    const { folder, path, remove } = temporaryFolder();
    mkdirSync(path('folder'));
    symlinkSync('folder', path('linked'));
    symlinkSync('folder/other', path('dangling'));
    symlinkSync(path('linked/../dangling'), path('twice'));
    const args = ['dedupe', '-n', '9', '--seen', `${folder}/${seen}`, '-o'];
    const { code, stderr } = await runOn('a\n', ...args, `${folder}/${output}`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(refused(`'${folder}.*'`)) });
    expect(readdirSync(path('folder'))).toEqual([]);
    expect((await runOn('a\n', ...args, path('another'))).code).toBe(0);
    remove();
  });

  it('stdout, which would grow for ever', () => {
    writeFileSync(path('grows'), 'a\n');
    const stdout = openSync(path('grows'), 'a');
    const { status, stderr } = spawnSync(process.execPath, [program, 'pick', FILTER, path('grows')], {
      stdio: ['ignore', stdout, 'pipe'],
    });
    closeSync(stdout);
    expect({ status, stderr: String(stderr) }).toEqual({
      status: 2,
      stderr: 'bloomery: stdout is also read by this command: choose another output\n',
    });
    expect(readFileSync(path('grows'), 'utf8')).toBe('a\n');
  });

  it('a filter that does not exist yet', async () => {
    const { code, stderr } = await runOn('a\n', 'dedupe', '--seen', path('new'), '-n', '9', '-o', `${path('')}/./new`);
    expect({ code, is: stderr.includes('is also read by this command') }).toEqual({ code: 2, is: true });
  });

  it('stdin', () => {
    writeFileSync(path('stdin'), 'a\n');
    const input = openSync(path('stdin'), 'r');
    const args = [program, 'build', '-n', '1', '-o', path('stdin')];
    expect(spawnSync(process.execPath, args, { stdio: [input, 'pipe', 'pipe'] }).status).toBe(2);
    closeSync(input);
    expect(readFileSync(path('stdin'), 'utf8')).toBe('a\n');
  });

  it('but a filter may replace one that was read', async () => {
    expect((await run('merge', FILTER, FILTER, '-o', FILTER)).code).toBe(0);
  });
});

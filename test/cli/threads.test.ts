// Commands in several threads: they give what one thread gives, byte for byte, and end as it does.

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BloomFilter, lines } from 'bloomery';
import { keyed } from 'bloomery/keyed';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canGrow, classOf, makeFilter } from '../../cli/filters/kinds.ts';
import { randomFrom } from '../shared/random.ts';
import { SECRET } from '../shared/secret.ts';
import { type Result, run, runIn, runOn, runReading, start, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const CAPACITY = 60_000;

/** Many repeated lines, some with CRLF, empty, without a second field, or longer than a batch. No newline at the end. */
function makeText(): string {
  const random = randomFrom(31);
  const keys = Array.from({ length: 20_000 }, (_, i) => `key ${i}\t${random(5000)}\t${'x'.repeat(random(30))}`);
  const parts = ['', ''];
  for (let i = 0; i < 45_000; i++) {
    const key = keys[random(random(3) === 0 ? 50 : keys.length)] as string;
    parts.push(random(20) === 0 ? `${key}\r` : key);
    if (i % 20_000 === 7) parts.push(`long ${i} ${'y'.repeat(2.3e6)}`, `no field ${i}`);
  }
  return [...parts, 'key 7\t1\r'].join('\n');
}

function keysIn(lines: string): string[] {
  return (lines.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => line.replace(/\r?\n$/, ''));
}

const text = makeText();
const textName = path('text');
const filterName = (kind: string): string => path(`${kind}.bloom`);

beforeAll(() => {
  writeFileSync(textName, text);
  writeFileSync(path('marked'), `\ufeffkey 1\nkey 2\n${text}`);
  writeFileSync(path('nul'), text.replaceAll('\n', '\0'));
  writeFileSync(path('text.gz'), gzipSync(text, { level: 1 }));
  const known = lines(
    Buffer.from(
      text
        .split('\n')
        .filter((_, i) => i % 3 === 0)
        .join('\n'),
    ),
  );
  for (const kind of ['classic', 'blocked', 'wide', 'rotating']) {
    const Class = classOf(kind);
    if (!canGrow(Class)) throw new Error(`${kind} filters take no keys`);
    using filter = makeFilter(Class, { capacity: CAPACITY, errorRate: 1e-4 });
    writeFileSync(filterName(kind), filter.addMany(known).toBytes());
  }
});

/** How a command gets the text. */
const ways = {
  'a file': (...args: string[]) => run(...args, textName),
  '< file': (...args: string[]) => runReading(textName, ...args),
  'a pipe': (...args: string[]) => runOn(readFileSync(textName), ...args),
  'a gzip file': (...args: string[]) => run(...args, path('text.gz')),
} satisfies Record<string, (...args: string[]) => Promise<Result>>;
const wayNames = Object.keys(ways) as (keyof typeof ways)[];

/** Checks that results are the same as the first one, and returns that. */
function expectAlike([one, ...others]: readonly Result[]): Result {
  if (one === undefined || others.length === 0) throw new Error('there is nothing to compare');
  for (const { code, stderr, stdout } of others) {
    expect({ code, stderr }).toEqual({ code: one.code, stderr: one.stderr });
    expect(stdout.equals(one.stdout)).toBe(true);
  }
  return one;
}

/** Runs a command in one thread and in three. Returns the result, which must be the same. */
async function runAlike(command: (threads: string[]) => Promise<Result>): Promise<Result> {
  return expectAlike(await Promise.all(['1', '3'].map((count) => command(['--threads', count]))));
}

/** Runs a command that reads the same text in several ways. Returns the result, which must be the same for all. */
async function runInAllWays(...args: string[]): Promise<Result> {
  const others = wayNames.map((way) => ways[way](...args, '--threads', '2'));
  return expectAlike(await Promise.all([run(...args, '--threads', '1', textName), ...others]));
}

describe('in several threads', () => {
  it.concurrent('build makes the same filter, whatever the text comes from', async () => {
    const { code, stdout } = await runInAllWays('build', '-n', String(CAPACITY), '-o', '-');
    expect(code).toBe(0);
    using filter = BloomFilter.fromBytes(stdout);
    expect(filter.omit(keysIn(text))).toEqual([]);
  });

  it.concurrent.each(['blocked', 'wide', 'counting', 'rotating'])('build makes the same %s filter', async (kind) => {
    const { stdout } = await runAlike((threads) =>
      run('build', '-k', kind, '-n', '200k', '-o', '-', ...threads, textName),
    );
    expect(stdout.length).toBeGreaterThan(30_000);
  });

  it.concurrent('build makes the same sharded-fuse filter, whatever the text comes from', async () => {
    const { code, stdout } = await runInAllWays('build', '-k', 'sharded-fuse', '-o', '-');
    expect(code).toBe(0);
    using filter = ShardedFuseFilter.fromBytes(stdout);
    expect(filter.omit(keysIn(text))).toEqual([]);
    expect(filter.capacity).toBe(new Set(keysIn(text)).size);
  });

  it.concurrent.each([
    { name: 'with a seed', options: ['--seed', '5'] },
    { name: 'of carriage returns', options: ['--no-crlf'] },
    { name: 'of fields', options: ['--field', '2'] },
    { name: 'of lines that end with NUL', options: ['-z'] },
    { name: 'of lines after a header', options: ['--header'] },
  ])('build makes the same sharded-fuse filter $name', async ({ options }) => {
    const files = [path(options.includes('-z') ? 'nul' : 'marked'), textName];
    const build = ['build', '-k', 'sharded-fuse', '-o', '-'];
    const { code, stderr, stdout } = await runAlike((threads) => run(...build, ...options, ...threads, ...files));
    expect(code).toBe(0);
    expect(stderr.includes('without a field')).toBe(options.includes('--field'));
    const usual = await run(...build, '--threads', '2', ...files);
    expect(stdout.equals(usual.stdout)).toBe(false);
  });

  it.concurrent('build names the same line that is not JSON', async () => {
    const json = path('lines.json');
    const lines = Array.from({ length: 300_000 }, (_, i) => (i === 250_000 ? '{"id": }' : `{"id": ${i}}`));
    writeFileSync(json, lines.join('\n'));
    const { code, stderr } = await runAlike((threads) =>
      run('build', '-k', 'sharded-fuse', '-o', path('never'), '--json-field', 'id', ...threads, json),
    );
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(', line 250,001 is not JSON: ') });
    expect(existsSync(path('never'))).toBe(false);
  });

  it.concurrent('build makes the same sharded-fuse filter under a secret', async () => {
    writeFileSync(path('secret'), SECRET);
    const options = ['-k', 'sharded-fuse', '-o', '-', '--secret-file', path('secret'), '--field', '2'];
    const { code, stdout, stderr } = await runAlike((threads) => run('build', ...options, ...threads, textName));
    expect(code).toBe(0);
    expect(stderr).toContain('without a field');
    using filter = keyed(ShardedFuseFilter, SECRET).fromBytes(stdout);
    expect(filter.has('7')).toBe(true);
  });

  it.concurrent('build refuses the same line of a filter that is full', async () => {
    const { code, stderr } = await runAlike((threads) =>
      run('build', '-k', 'cuckoo', '-n', '200k', '-o', '-', ...threads, textName),
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/^bloomery: line [0-9,]+ does not fit: /);
  });

  it.concurrent.each(['classic', 'blocked'])('build fills one %s filter if many would be too large', async (kind) => {
    const build = (threads: string): Promise<Result> =>
      run('build', '-k', kind, '-n', '32M', '-o', '-', '--threads', threads, textName);
    expect(expectAlike(await Promise.all([build('1'), build('16')])).code).toBe(0);
  });

  it.concurrent('pick and omit print the same lines, whatever the text comes from', async () => {
    const picked = await runInAllWays('pick', filterName('classic'));
    const omitted = await runInAllWays('omit', filterName('classic'));
    expect([picked.code, omitted.code]).toEqual([0, 0]);
    expect(picked.stdout.length + omitted.stdout.length).toBe(text.length);
  });

  it.concurrent.each(['blocked', 'wide', 'rotating'])('pick looks up lines in a %s filter', async (kind) => {
    const { stdout } = await runAlike((threads) => run('pick', filterName(kind), ...threads, textName));
    expect(stdout.length).toBeGreaterThan(1e6);
    const counted = await run('pick', '--count', filterName(kind), '--threads', '2', textName);
    expect(Number(counted.stdout)).toBe(keysIn(stdout.toString()).length);
  });

  it.concurrent('dedupe prints the same lines, whatever the text comes from', async () => {
    const { code, stdout } = await runInAllWays('dedupe');
    expect(code).toBe(0);
    expect(keysIn(stdout.toString())).toEqual([...new Set(keysIn(text))]);
  });

  it.concurrent.each([
    { name: 'in several filters', options: ['-n', '100'] },
    { name: 'that came long ago, again', options: ['--last', '500'] },
    { name: 'until the memory is full', options: ['-n', '100', '--max-memory', '20k'] },
    { name: 'of fields', options: ['--field', '2', '-n', '100'] },
    { name: 'of fields, until the memory is full', options: ['--field', '2', '-n', '1', '--max-memory', '1k'] },
    { name: 'with carriage returns', options: ['--no-crlf'] },
    { name: 'that end with NUL', options: ['-z', '-n', '100'] },
  ])('dedupe prints lines $name', async ({ options }) => {
    const isFull = options.includes('--max-memory');
    const files = options.includes('-z') ? [path('nul'), path('nul')] : [path('marked'), textName, path('text.gz')];
    const { code, stdout, stderr } = await runAlike(async (threads) => {
      const result = await run('dedupe', ...options, ...threads, ...files);
      // How far the text was read when the memory was full depends on the sizes of pieces.
      return isFull ? { ...result, stderr: result.stderr.replace(/^bloomery: warning: .*\n/, '') } : result;
    });
    expect(code).toBe(isFull ? 2 : 0);
    expect(stdout.length).toBeGreaterThan(0);
    expect(stderr.includes('is full after')).toBe(isFull);
    expect(stderr.includes('without a field')).toBe(options.includes('--field') && !isFull);
  });

  it.concurrent.each([
    { kind: 'wide', options: ['-n', '60k'] },
    { kind: 'wide that is full', options: ['-n', '10k'] },
    { kind: 'rotating', options: ['--last', '3000'] },
    { kind: 'cuckoo', options: ['-p', '0.01'], made: ['-n', '60k'] },
    { kind: 'cuckoo that is full', options: ['-p', '0.01'], made: ['-n', '8k'] },
    { kind: 'scalable', options: ['-p', '0.01'], made: ['-n', '1k'] },
  ])('dedupe saves the same filter: $kind', async ({ kind, options, made }) => {
    const [name = ''] = kind.split(' ');
    const saved = async ([, count = '']: string[]): Promise<Result> => {
      const seen = path(`${kind} ${count}`);
      if (made) await runOn('old\n', 'build', '-k', name, ...made, '-p', '0.001', '-o', seen);
      const result = await run('dedupe', '--seen', seen, ...options, '--threads', count, textName, path('marked'));
      const stderr = result.stderr.replaceAll(seen, name);
      return { ...result, stderr, stdout: Buffer.concat([result.stdout, readFileSync(seen)]) };
    };
    const { code, stderr } = await runAlike(saved);
    expect({ code, isFull: /no room|full/.test(stderr) }).toEqual(
      kind.endsWith('full') ? { code: 2, isFull: true } : { code: 0, isFull: false },
    );
  });

  it.concurrent('several files are read one after the other', async () => {
    const files = [textName, path('marked'), textName, path('text.gz')];
    const all = await runAlike((threads) => run('omit', filterName('blocked'), ...threads, ...files));
    expect(all.stdout.length).toBeGreaterThan(1e6);
  });

  it.concurrent.each([
    { name: 'fields', format: ['--field', '2'] },
    { name: 'fields and carriage returns', format: ['--field', '3', '--delimiter', ' ', '--no-crlf'] },
    { name: 'lines that end with NUL', format: ['-z'] },
  ])('$name are read the same', async ({ format }) => {
    const files = [path(format.includes('-z') ? 'nul' : 'marked'), textName];
    for (const args of [
      ['build', '-n', '60k', '-o', '-'],
      ['omit', filterName('classic')],
    ]) {
      const { stdout, stderr } = await runAlike((threads) => run(...args, ...format, ...threads, ...files));
      expect(stdout.length).toBeGreaterThan(0);
      expect(stderr.includes('without a field')).toBe(format.includes('--field'));
    }
  });

  it.concurrent('nothing is selected from an empty text', async () => {
    const { code, stdout } = await runAlike((threads) => runOn('', 'pick', filterName('classic'), ...threads));
    expect({ code, length: stdout.length }).toEqual({ code: 1, length: 0 });
  });

  it('a text that turns out to be long gets more threads while it is read', async () => {
    const long = Buffer.from(`${text}\n`.repeat(Math.ceil(75e6 / text.length)));
    for (const args of [['build', '-n', '60k', '-o', '-'], ['omit', filterName('classic')], ['dedupe']]) {
      const [one, other] = await Promise.all([runOn(long, ...args, '--threads', '1'), runOn(long, ...args)]);
      expect(expectAlike([one, other]).code).toBe(0);
    }
  });
});

describe('with an error', () => {
  it.concurrent('a file that is missing is left out', async () => {
    const { code, stdout } = await runAlike((threads) =>
      run('pick', filterName('classic'), ...threads, textName, path('none'), textName),
    );
    expect(code).toBe(2);
    expect(stdout.length).toBeGreaterThan(1e6);
  });

  it.concurrent('a file that can be read only in part is left out from there on', async () => {
    const file = path('faulty.cjs');
    // As a disk fails: other threads read with `readSync`.
    writeFileSync(
      file,
      `const fs = require('node:fs');
      const { readSync } = fs;
      fs.readSync = (file, buffer, offset, length, position) => {
        if (position < 4e6) return readSync(file, buffer, offset, length, position);
        throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
      };
      require('node:module').syncBuiltinESMExports();`,
    );
    const env = { ...process.env, NODE_OPTIONS: `--require ${file}` };
    const message = `bloomery: cannot read '${textName}': i/o error\n`;
    const omit = ['omit', '--threads', '3', filterName('blocked')];
    const [all, part, both, second] = await Promise.all([
      run(...omit, textName),
      runIn({ env }, ...omit, textName),
      runIn({ env }, ...omit, textName, path('text.gz')),
      run(...omit, path('text.gz')),
    ]);
    expect({ code: part.code, stderr: part.stderr }).toEqual({ code: 2, stderr: message });
    expect(part.stdout.length).toBeGreaterThan(100_000);
    expect(all.stdout.subarray(0, part.stdout.length).equals(part.stdout)).toBe(true);
    expect(both.stderr).toBe(message);
    expect(both.stdout.equals(Buffer.concat([part.stdout, second.stdout]))).toBe(true);
    const built = await runIn({ env }, 'build', '-n', '60k', '-o', path('part'), '--threads', '3', textName);
    expect({ code: built.code, stderr: built.stderr }).toEqual({ code: 2, stderr: message });
    expect(existsSync(path('part'))).toBe(false);
  });

  it.concurrent('a damaged text is refused', async () => {
    writeFileSync(path('cut.gz'), readFileSync(path('text.gz')).subarray(0, -1000));
    const output = path('never');
    const { code, stderr } = await runAlike((threads) =>
      run('build', '-n', '60k', '-o', output, ...threads, path('cut.gz')),
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/^bloomery: cannot unzip .*\n$/);
    expect(existsSync(output)).toBe(false);
  });

  const faults = [
    ['fails', `throw new RangeError('no memory for a thread')`, 'no memory for a thread'],
    ['ends', 'process.exit(3)', 'a thread ended before its work was done'],
  ] as const;
  const commands = [
    ['build', '-n', '60k', '-o', path('failed')],
    ['build', '-k', 'sharded-fuse', '-o', path('failed')],
    ['pick', filterName('classic')],
    ['dedupe'],
  ];

  it.concurrent.each(faults)('a thread that %s ends the program', async (name, fault, message) => {
    const file = path(`${name}.cjs`);
    // What a thread does when it reads its first text.
    const when = `require('node:worker_threads').isMainThread || (Uint8Array.prototype.set = () => { ${fault} })`;
    writeFileSync(file, when);
    const env = { ...process.env, NODE_OPTIONS: `--require ${file}` };
    for (const args of commands) {
      const { code, stderr } = await runIn({ env }, ...args, '--threads', '2', textName);
      expect({ code, stderr }).toEqual({ code: 2, stderr: `bloomery: ${message}\n` });
    }
    expect(existsSync(path('failed'))).toBe(false);
  });

  it.concurrent.each(['0', '65', 'x'])('%s is no number of threads', async (count) => {
    const { code, stderr } = await run('build', '-o', '-', '--threads', count);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^bloomery: --threads must be .*\n$/) });
  });
});

describe('a text that does not end', () => {
  it.concurrent('dedupe prints lines as they come, and ends when its memory is full', async () => {
    const child = start('dedupe', '-n', '1', '--max-memory', '500', '--threads', '2');
    let stderr = '';
    child.stderr?.on('data', (part: Buffer) => {
      stderr += part;
    });
    child.stdin?.write('a\na\n');
    const [printed] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    expect(String(printed)).toBe('a\n');
    child.stdin?.write(Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(''));
    child.stdout?.resume();
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(stderr).toMatch(/is full after [0-9,]+ lines/);
  });

  it.concurrent.each(['blocked', 'wide'])('omit prints lines as they come: %s', async (kind) => {
    const child = start('omit', filterName(kind), '--threads', '2');
    for (const line of ['a new line\n', 'another\n']) {
      child.stdin?.write(line);
      const [printed] = await once(child.stdout as NodeJS.ReadableStream, 'data');
      expect(String(printed)).toBe(line);
    }
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
  });

  it.concurrent('ends once the reader of the lines has gone', async () => {
    const child = start('omit', filterName('classic'), '--threads', '2');
    let at = 0;
    const write = (): void => {
      while (child.stdin?.writable && child.stdin.write(`${at++}\n`.repeat(2) + 'z'.repeat(at % 9000))) {}
    };
    child.stdin?.on('drain', write).on('error', () => {});
    child.stdout?.once('data', () => child.stdout?.destroy());
    write();
    expect(await once(child, 'close')).toEqual([141, null]);
  });
});

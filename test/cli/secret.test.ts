// Filters whose keys are hashed under a secret, which the commands read from a file.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { BloomFilter } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { keyed } from 'bloomery/keyed';
import { loadAny } from 'bloomery/load';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { TombstoneFilter } from 'bloomery/tombstone';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindNames, readableClasses } from '../../cli/filters/kinds.ts';
import { type Result, run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const SECRET = Uint8Array.from({ length: 16 }, (_, i) => 0xa0 + i);
const HEX = Buffer.from(SECRET).toString('hex');
const keyedClasses = readableClasses.map((Class) => keyed(Class, SECRET));
const TEXT = Array.from({ length: 500 }, (_, i) => `line ${i}\n`).join('');
const SIZE = ['-n', '1000'];

const withSecret = (name = 'secret'): string[] => ['--secret-file', path(name)];

beforeAll(() => {
  writeFileSync(path('secret'), SECRET);
  writeFileSync(path('other'), Uint8Array.from(SECRET).reverse());
  writeFileSync(path('text'), TEXT);
});

async function succeed(running: Promise<Result>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.toString();
}

/** Expects an error, and that it shows nothing of a secret. */
async function fail(running: Promise<Result>, message: string): Promise<void> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout: stdout.toString(), stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `bloomery: ${message}\n`,
  });
}

/** Builds a filter under the secret. */
async function built(name: string, ...args: string[]): Promise<string> {
  await succeed(run('build', path('text'), '-o', path(name), ...args, ...withSecret()));
  return path(name);
}

describe('the file of a secret', () => {
  it.each([
    ['16 bytes', SECRET],
    ['32 digits', HEX],
    ['capital digits and a newline', `${HEX.toUpperCase()}\n`],
    ['digits and CRLF', `${HEX}\r\n`],
  ])('may have %s', async (_, contents) => {
    const name = await built('forms', ...SIZE);
    writeFileSync(path('form'), contents);
    expect(await succeed(run('has', name, 'line 7', ...withSecret('form')))).toBe('line 7\n');
  });

  it.skipIf(process.platform === 'win32')('may be a pipe', async () => {
    const name = await built('piped', ...SIZE);
    execFileSync('mkfifo', [path('pipe')]);
    const [found] = await Promise.all([
      succeed(run('has', name, 'line 7', ...withSecret('pipe'))),
      writeFile(path('pipe'), `${HEX}\n`),
    ]);
    expect(found).toBe('line 7\n');
  });

  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['15 bytes', SECRET.subarray(1)],
    ['17 bytes', new Uint8Array(17).fill(0xa7)],
    ['31 digits', HEX.slice(1)],
    ['33 digits', `${HEX}0`],
    ['32 letters', `${HEX.slice(1)}g`],
    ['two newlines', `${HEX}\n\n`],
    ['16 zeros', new Uint8Array(16)],
    ['32 zeros', '0'.repeat(32)],
    ['more than it should', `${HEX}\n`.repeat(10_000)],
  ])('must not have %s', async (_, contents) => {
    writeFileSync(path('bad'), contents);
    const message = `'${path('bad')}' holds no secret: that is 16 random bytes, or the 32 digits of openssl rand -hex 16`;
    await fail(run('build', path('text'), '-o', path('unmade'), ...SIZE, ...withSecret('bad')), message);
    expect(existsSync(path('unmade'))).toBe(false);
  });

  it('must be there, and not be stdin or what the command writes', async () => {
    const building = (...args: string[]): Promise<Result> => run('build', path('text'), ...SIZE, ...args);
    await fail(
      building('-o', path('unmade'), ...withSecret('missing')),
      `cannot read '${path('missing')}': no such file or directory`,
    );
    await fail(building('-o', path('unmade'), ...withSecret('.')), `cannot read '${path('.')}': it is a directory`);
    await fail(building('-o', path('unmade'), '--secret-file=-'), '--secret-file must be a file, not stdin');
    const message = `'${path('secret')}' is also read by this command: choose another output`;
    const name = await built('kept', ...SIZE);
    await fail(building('-o', path('secret'), ...withSecret()), message);
    await fail(run('merge', name, name, '-o', path('secret'), ...withSecret()), message);
    await fail(run('pick', name, path('text'), '-o', path('secret'), ...withSecret()), message);
    expect(readFileSync(path('secret'))).toEqual(Buffer.from(SECRET));
  });
});

describe('a filter with a secret', () => {
  it.each(kindNames)('has the bytes that a program makes: %s', async (kind) => {
    const size = kind.endsWith('fuse') ? [] : SIZE;
    const file = readFileSync(await built(`made-${kind}`, '-k', kind, ...size));
    expect(file[6]).toBe(2);
    const filter = loadAny(keyedClasses, file);
    const keys = TEXT.split('\n').slice(0, -1);
    // It may have forgotten some.
    if (kind !== 'stable') expect(filter.omit(keys)).toEqual([]);
    if (kind === 'classic') {
      expect(file).toEqual(Buffer.from(keyed(BloomFilter, SECRET).from(keys, { capacity: 1000 }).toBytes()));
    }
    if (kind === 'fuse') expect(file).toEqual(Buffer.from(keyed(BinaryFuseFilter, SECRET).from(keys).toBytes()));
    if (kind === 'sharded-fuse') {
      expect(file).toEqual(Buffer.from(keyed(ShardedFuseFilter, SECRET).from(keys).toBytes()));
    }
  });

  it('takes keys, finds them and is merged', async () => {
    const one = await built('one', ...SIZE);
    writeFileSync(path('two'), '');
    await succeed(runOn('another\n', 'build', '-o', path('two'), ...SIZE, ...withSecret()));
    await succeed(runOn('more\n', 'add', path('two'), ...withSecret()));
    await succeed(run('merge', one, path('two'), '-o', path('both'), ...withSecret()));
    const probes = 'line 1\nanother\nabsent\nmore\n';
    expect(await succeed(runOn(probes, 'pick', path('both'), ...withSecret()))).toBe('line 1\nanother\nmore\n');
    expect(await succeed(runOn(probes, 'omit', path('both'), ...withSecret()))).toBe('absent\n');
    expect(await succeed(run('has', path('both'), 'more', 'line 499', ...withSecret()))).toBe('more\nline 499\n');
  });

  it('does not depend on how many threads are asked for', async () => {
    const options = [...SIZE, '--threads', '3'];
    const name = await built('threads', ...options);
    expect(readFileSync(name).equals(readFileSync(await built('thread', ...SIZE, '--threads', '1')))).toBe(true);
    expect(await succeed(run('pick', name, path('text'), '--threads', '3', ...withSecret()))).toBe(TEXT);
  });

  it('may be one from which a program has removed keys', async () => {
    const Classic = keyed(BloomFilter, SECRET);
    const filter = new (keyed(TombstoneFilter, SECRET))(Classic.from(['a', 'b'], { capacity: 100 }));
    writeFileSync(path('tombstone'), filter.removeMany(['a']).toBytes());
    expect(await succeed(runOn('a\nb\n', 'pick', path('tombstone'), ...withSecret()))).toBe('b\n');
  });

  it('is shown with a check of the secret', async () => {
    const name = await built('shown', ...SIZE);
    const { seed } = new (keyed(BloomFilter, SECRET))({ capacity: 1 });
    const check = (seed - 2 ** 32).toString(16).padStart(8, '0');
    const shown = await succeed(run('info', name, ...withSecret()));
    expect(shown).toMatch(new RegExp(`\\nsecret {10}check ${check}\\n`));
    expect(shown).not.toMatch(/^seed/m);
    const json = await succeed(run('info', name, '--json', ...withSecret()));
    expect(JSON.parse(json)).toMatchObject({ kind: 'classic', secretCheck: check });
    expect(JSON.parse(json)).not.toHaveProperty('seed');
    for (const text of [shown, json, readFileSync(name, 'latin1')]) {
      expect(text).not.toContain(HEX);
      expect(text).not.toContain(Buffer.from(SECRET).toString('latin1'));
    }
  });

  it('has no seed', async () => {
    const building = run('build', path('text'), '-o', path('unmade'), '--seed', '0', ...SIZE, ...withSecret());
    await fail(building, '--seed does not go with --secret-file, which takes its place');
  });
});

describe('a wrong secret', () => {
  const commands: [string, (name: string) => string[]][] = [
    ['add', (name) => ['add', name]],
    ['has', (name) => ['has', name, 'a']],
    ['pick', (name) => ['pick', name]],
    ['omit', (name) => ['omit', name]],
    ['info', (name) => ['info', name]],
    ['merge', (name) => ['merge', name, name, '-o', path('unmade')]],
  ];

  it.each(commands)('is refused, and so is none, and one where there is none: %s', async (_, args) => {
    const name = await built('refusing', ...SIZE);
    const plain = path('plain');
    await succeed(run('build', path('text'), '-o', plain, ...SIZE));
    const before = [name, plain].map((file) => readFileSync(file));
    await fail(
      run(...args(name)),
      `'${name}' was made under a secret: --secret-file is missing, which build, add, has, pick, omit, info and merge take`,
    );
    await fail(
      run(...args(name), ...withSecret('other')),
      `'${name}' does not fit --secret-file: it was made under another secret`,
    );
    await fail(
      run(...args(plain), ...withSecret()),
      `'${plain}' does not fit --secret-file: it was made without a secret`,
    );
    expect([name, plain].map((file) => readFileSync(file))).toEqual(before);
    expect(existsSync(path('unmade'))).toBe(false);
  });

  it('is refused for one of several filters', async () => {
    const name = await built('first', ...SIZE);
    const plain = path('second');
    await succeed(run('build', path('text'), '-o', plain, ...SIZE));
    const merging = run('merge', name, plain, '-o', path('unmade'), ...withSecret());
    await fail(merging, `'${plain}' does not fit --secret-file: it was made without a secret`);
  });

  it('cannot be given to dedupe, which takes no such filters', async () => {
    const name = await built('deduped', ...SIZE);
    const { code, stderr } = await runOn('a\n', 'dedupe', '--seen', name);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('was made under a secret') });
    expect((await runOn('a\n', 'dedupe', '--seen', name, ...withSecret())).stderr).toContain('unknown option');
  });
});

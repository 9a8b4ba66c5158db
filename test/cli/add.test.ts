import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BloomFilter, CountingBloomFilter, load } from 'bloomery';
import { afterAll, describe, expect, it } from 'vitest';
import { run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

function saved(name: string, keys: string[]): string {
  writeFileSync(path(name), BloomFilter.from(keys, { capacity: 100, errorRate: 1e-9 }).toBytes());
  return path(name);
}

describe('add', () => {
  it('adds lines to a saved filter of any kind', async () => {
    const classic = saved('classic', ['a']);
    writeFileSync(path('counting'), CountingBloomFilter.from(['a'], { capacity: 100, errorRate: 1e-9 }).toBytes());
    for (const name of [classic, path('counting')]) {
      expect(await runOn('b\nc\n', 'add', name)).toEqual({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
      expect(load(readFileSync(name)).pick(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c']);
    }
  });

  it('leaves the filter as it was if an input cannot be read', async () => {
    const name = saved('kept', ['a']);
    const before = readFileSync(name);
    writeFileSync(path('good'), 'b\n');
    writeFileSync(path('bad.gz'), 'b\n');
    for (const bad of ['missing', 'bad.gz']) expect((await run('add', name, path('good'), path(bad))).code).toBe(2);
    expect(readFileSync(name).equals(before)).toBe(true);
  });

  it('warns of more keys than the filter was made for', async () => {
    const name = saved('small', ['a']);
    const text = Array.from({ length: 400 }, (_, i) => `${i}\n`).join('');
    expect((await runOn(text, 'add', name)).stderr).toMatch(/^bloomery: warning: .* in a filter made for 100 keys/);
  });

  it('does not take a filter from stdin', async () => {
    const { code, stderr } = await run('add', '-', path('good'));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'bloomery: the filter must be a file, because it is read and written\n',
    });
  });
});

describe('has', () => {
  it('prints the keys that may be present, and exits with 0 if all are', async () => {
    const name = saved('has', ['a', 'b', '-c']);
    expect(await run('has', name, 'a', 'b')).toMatchObject({ code: 0, stdout: Buffer.from('a\nb\n') });
    expect(await run('has', name, 'a', 'x', 'b')).toMatchObject({ code: 1, stdout: Buffer.from('a\nb\n') });
    expect(await run('has', '--quiet', name, 'x')).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
    expect(await run('has', '-q', name, '--', '-c')).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
    expect((await run('has', path('missing'), 'a')).code).toBe(2);
  });

  it('reads keys from stdin for -, one a line, and prints them after the others', async () => {
    const name = saved('has-lines', ['a', 'b', '-']);
    expect(await runOn('b\r\nb\na', 'has', name, '-')).toMatchObject({ code: 0, stdout: Buffer.from('b\r\nb\na\n') });
    expect(await runOn('x\nb\n', 'has', name, '-', 'a')).toMatchObject({ code: 1, stdout: Buffer.from('a\nb\n') });
    expect(await runOn('b\n', 'has', name, 'x', '-')).toMatchObject({ code: 1, stdout: Buffer.from('b\n') });
    expect(await runOn('a\nx\n', 'has', '-q', name, '-')).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
    expect(await runOn('-\n', 'has', '-q', name, '-')).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
    expect(await runOn('', 'has', name, '-')).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    expect(await runOn(gzipSync('b\n'), 'has', name, '-')).toMatchObject({ code: 0, stdout: Buffer.from('b\n') });
    for (const args of [
      ['-', '-'],
      [name, '-', '-'],
    ]) {
      const { code, stderr } = await runOn('a\n', 'has', ...args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: 'bloomery: stdin can be read only once\n' });
    }
  });
});

describe('a gzipped filter', () => {
  it('is read like any other', async () => {
    const name = saved('plain', ['a']);
    writeFileSync(path('zipped'), gzipSync(readFileSync(name)));
    for (const args of [['has', 'a'], ['info']]) {
      const [command = '', ...rest] = args;
      expect((await run(command, path('zipped'), ...rest)).code).toBe(0);
    }
    expect((await runOn(gzipSync(readFileSync(name)), 'has', '-', 'a')).code).toBe(0);
    expect((await run('info', path('zipped'))).stdout.toString()).toMatch(/\nfile +\d+ bytes, compressed\n$/);
  });

  it('is written if its name ends in .gz, and stays gzipped', async () => {
    await runOn('a\n', 'build', '-n', '9', '-o', path('new.gz'));
    await runOn('b\n', 'add', path('new.gz'));
    expect(BloomFilter.fromBytes(gunzipSync(readFileSync(path('new.gz')))).pick(['a', 'b'])).toEqual(['a', 'b']);
    writeFileSync(path('renamed'), readFileSync(path('new.gz')));
    await runOn('c\n', 'add', path('renamed'));
    expect(BloomFilter.fromBytes(gunzipSync(readFileSync(path('renamed')))).has('c')).toBe(true);
  });
});

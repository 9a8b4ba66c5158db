// Files that a command would read and write at once, by whatever names.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { BloomFilter } from 'bloomery';
import { beforeAll, describe, expect, it } from 'vitest';
import { program, runReading, told, workInFolder } from './run.ts';

workInFolder();

beforeAll(() => {
  writeFileSync('FILTER', BloomFilter.from(['a']).toBytes());
  writeFileSync('IN', 'a\n');
  symlinkSync('IN', 'LINK');
  linkSync('IN', 'HARD');
  mkdirSync('folder');
  symlinkSync('folder', 'linked');
  symlinkSync('folder/other', 'dangling');
  symlinkSync('linked/../dangling', 'twice');
});

const refused = (name: string): string => `bloomery: ${name} is also read by this command: choose another output\n`;

describe('an input that is also the output is refused, unchanged', () => {
  it.each([
    ['build IN -o IN', 'IN'],
    ['build IN -o LINK', 'LINK'],
    ['build HARD -o IN', 'IN'],
    ['add IN IN', 'IN'],
    ['pick FILTER IN -o IN', 'IN'],
    ['dedupe IN -o IN', 'IN'],
    ['dedupe IN --seen IN', 'IN'],
    ['pick IN FILTER -o LINK', 'LINK'],
    ['dedupe FILTER --seen IN -o IN', 'IN'],
  ])('%s', async (line, name) => {
    expect(await told(line)).toEqual([2, '', refused(`'${name}'`)]);
    expect(readFileSync('IN', 'utf8')).toBe('a\n');
  });

  it.each([
    ['by other words', 'new', './new'],
    ['by a folder that is a link', 'folder/new', 'linked/new'],
    ['by a link to it', 'folder/other', 'dangling'],
    ['by a link to that link', 'twice', 'linked/other'],
    ['by a way around', 'folder/../folder/new', 'folder/./new'],
  ])('a filter that does not exist yet: %s', async (_, seen, output) => {
    expect(await told(`dedupe -n 9 --seen ${seen} -o ${output}`, 'a\n')).toEqual([2, '', refused(`'${output}'`)]);
    expect(readdirSync('folder')).toEqual([]);
  });

  it('stdout, which would grow for ever, and stdin', async () => {
    const stdout = openSync('IN', 'a');
    const args = [program, 'pick', 'FILTER', 'IN'];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] });
    closeSync(stdout);
    expect([status, String(stderr)]).toEqual([2, refused('stdout')]);
    expect((await runReading('IN', 'build', '-n', '1', '-o', 'IN')).code).toBe(2);
    expect(readFileSync('IN', 'utf8')).toBe('a\n');
  });

  it('but a filter may replace one that was read, and another file may be written', async () => {
    expect(await told('merge FILTER FILTER -o FILTER')).toEqual([0, '', '']);
    expect(await told('dedupe -n 9 --seen seen -o another', 'a\n')).toEqual([0, '', '']);
    expect(readFileSync('another', 'utf8')).toBe('a\n');
  });
});

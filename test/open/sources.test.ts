import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, openAsBlob, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { fileSource } from '../../src/entries/file.ts';
import { blobSource, openFilter, SourceError } from '../../src/entries/open.ts';
import { BlockedBloomFilter } from '../../src/index.ts';
import { temporaryFolder } from '../cli/run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const file = new BlockedBloomFilter({ bits: 2 ** 20 }).addMany(['ada']).toBytes();
const others = new BlockedBloomFilter({ bits: 2 ** 20 }).addMany(['eve']).toBytes();

describe('a filter in a file', () => {
  it('is found by a path or a URL', async () => {
    const name = path('found.bloom');
    writeFileSync(name, file);
    for (const where of [name, pathToFileURL(name)]) {
      const filter = await openFilter([BlockedBloomFilter], fileSource(where));
      expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
      await filter.close();
      await expect(filter.has('ada')).rejects.toThrow(TypeError);
    }
  });

  it('is free once the source is closed', async () => {
    writeFileSync(path('free.bloom'), file);
    const source = await fileSource(path('free.bloom'));
    expect(source.size).toBe(file.length);
    expect(await source.read(4, 9)).toEqual(file.slice(4, 13));
    await source.close?.();
    await expect(source.read(4, 9)).rejects.toThrow(/closed/);
  });

  it('stays the same if another one takes its name', async () => {
    const name = path('renamed.bloom');
    writeFileSync(name, file);
    const filter = await openFilter([BlockedBloomFilter], fileSource(name));
    writeFileSync(path('new.bloom'), others);
    renameSync(path('new.bloom'), name);
    expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
    await filter.verify();
    await filter.close();
  });

  it.each([
    ['written to', (name: string) => writeFileSync(name, others)],
    ['longer', (name: string) => appendFileSync(name, 'more')],
    ['shorter', (name: string) => truncateSync(name, 100)],
  ])('gives an error, not an answer, once it is %s', async (how, change) => {
    const name = path(`${how}.bloom`);
    writeFileSync(name, file);
    utimesSync(name, 1e9, 1e9);
    const filter = await openFilter([BlockedBloomFilter], fileSource(name));
    change(name);
    await expect(filter.has('ada')).rejects.toThrow(SourceError);
    await expect(filter.verify()).rejects.toMatchObject({ code: 'CHANGED' });
    await filter.close();
  });

  it('is refused if there is none', async () => {
    await expect(fileSource(path('missing'))).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(path('folder'));
    await expect(fileSource(path('folder'))).rejects.toThrow(/must be a file, not a folder/);
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [path('pipe')]);
      await expect(fileSource(path('pipe'))).rejects.toThrow(/must be a file, not a folder, device or pipe$/);
    }
    await expect(fileSource('')).rejects.toThrow(RangeError);
    await expect(fileSource(7 as never)).rejects.toThrow(TypeError);
    writeFileSync(path('empty'), '');
    await expect(openFilter([BlockedBloomFilter], fileSource(path('empty')))).rejects.toMatchObject({
      code: 'FOREIGN',
    });
  });
});

describe('a filter in a Blob', () => {
  it('is read in slices', async () => {
    const filter = await openFilter([BlockedBloomFilter], blobSource(new Blob([file])));
    expect([await filter.has('ada'), await filter.has('eve')]).toEqual([true, false]);
  });

  it('gives an error if it is a file that has changed', async () => {
    const name = path('chosen.bloom');
    writeFileSync(name, file);
    const filter = await openFilter([BlockedBloomFilter], blobSource(await openAsBlob(name)));
    expect(await filter.has('ada')).toBe(true);
    truncateSync(name, 100);
    await expect(filter.has('ada')).rejects.toMatchObject({ name: 'SourceError', code: 'CHANGED' });
  });

  it('is refused if it is none', () => {
    for (const blob of [null, undefined, 'blob', {}, new Uint8Array(9)]) {
      expect(() => blobSource(blob as never)).toThrow(/^blob must be a Blob or File/);
    }
  });
});

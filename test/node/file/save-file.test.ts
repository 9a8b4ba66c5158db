import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Savable, saveFile } from '../../../src/entries/file.ts';
import { BloomFilter } from '../../../src/index.ts';
import { temporaryFolder } from '../../cli/run.ts';
import { MIB } from '../../format/saved.ts';

vi.mock('node:fs/promises', async (load) => {
  const fs = await load<typeof import('node:fs/promises')>();
  return { ...fs, open: vi.fn(fs.open) };
});

const { folder, path, remove } = temporaryFolder();
afterAll(remove);

/** A filter that is saved as these chunks. `calls` has the names of the methods that were called. */
function savable(chunks: () => Iterable<Uint8Array>): { filter: Savable; calls: string[] } {
  const calls: string[] = [];
  const filter = {
    toChunks: () => {
      calls.push('toChunks');
      return chunks();
    },
    dispose: () => calls.push('dispose'),
    clone: () => {
      calls.push('clone');
      return filter;
    },
  };
  return { filter, calls };
}

function temporary(where = folder): string[] {
  return readdirSync(where).filter((name) => name.endsWith('.tmp'));
}

describe('the path', () => {
  it('may be as long as the system allows, in any script', async () => {
    const name = path(`${'語'.repeat(80)}.bloom`);
    await saveFile(BloomFilter.from(['a']), name);
    expect(BloomFilter.fromBytes(readFileSync(name)).has('a')).toBe(true);
    expect(temporary()).toEqual([]);
  });

  it('counts from the working directory at the call', async () => {
    const before = process.cwd();
    mkdirSync(path('other folder'));
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    const saving = saveFile(BloomFilter.from(['a']), 'relative.bloom');
    process.chdir(path('other folder'));
    await saving;
    expect(readdirSync(path('other folder'))).toEqual([]);
    expect(existsSync(path('relative.bloom'))).toBe(true);
  });
});

describe('saves to one path', () => {
  it('are made in the order of the calls, so the newest filter stays', async () => {
    const name = path('in turn');
    for (let i = 0; i < 5; i++) {
      using filter = new BloomFilter({ capacity: 500_000 });
      const earlier = saveFile(filter, name);
      filter.add('late');
      await Promise.all([earlier, saveFile(filter, pathToFileURL(name))]);
      expect(BloomFilter.fromBytes(readFileSync(name)).has('late')).toBe(true);
    }
  });

  it('wait for one that is under way, also after an earlier one has ended', async () => {
    const order: number[] = [];
    const save = (number: number): Promise<void> => {
      const { filter } = savable(function* () {
        order.push(number);
        yield Uint8Array.of(number);
        order.push(number);
      });
      return saveFile(filter, path('in order'));
    };
    const [first, second] = [save(1), save(2)];
    await first;
    await Promise.all([second, save(3)]);
    expect(order).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('do not depend on whether an earlier one fails', async () => {
    const name = path('after a failure');
    const { filter: failing } = savable(vi.fn().mockThrow(new RangeError('no')));
    const failed = saveFile(failing, name);
    const saved = saveFile(BloomFilter.from(['a']), name);
    await expect(failed).rejects.toThrow(new RangeError('no'));
    await saved;
    expect(BloomFilter.fromBytes(readFileSync(name)).has('a')).toBe(true);
  });
});

it('a filter is saved as it was at the call', async () => {
  using filter = BloomFilter.from(['a'], { capacity: 1_000_000 });
  expect(filter.byteLength).toBeGreaterThan(MIB);
  const file = filter.toBytes();
  const saving = saveFile(filter, path('at the call'));
  let count = 0;
  const timer = setInterval(() => filter.add(`meanwhile ${count++}`));
  filter.add('at once');
  await saving;
  clearInterval(timer);
  expect(Buffer.compare(readFileSync(path('at the call')), file)).toBe(0);
});

describe('saveFile', () => {
  const filter = BloomFilter.from(['ada']);
  const isSaved = (name: string): boolean => BloomFilter.fromBytes(readFileSync(path(name))).has('ada');

  it.skipIf(process.platform === 'win32')('keeps the permissions, and follows links', async () => {
    mkdirSync(path('elsewhere/inner'), { recursive: true });
    writeFileSync(path('elsewhere/real'), 'old');
    chmodSync(path('elsewhere/real'), 0o640);
    symlinkSync('elsewhere/real', path('link'));
    symlinkSync('link', path('link to a link'));
    symlinkSync('elsewhere/new', path('dangling'));
    symlinkSync('elsewhere/inner', path('link to a folder'));
    symlinkSync('link to a folder/../above', path('link out of it'));
    for (let i = 0; i < 9; i++) symlinkSync(i ? `chain ${i - 1}` : 'link', path(`chain ${i}`));
    for (const name of ['chain 8', 'link to a link', 'dangling', 'link out of it']) await saveFile(filter, path(name));
    expect(statSync(path('elsewhere/real')).mode & 0o777).toBe(0o640);
    for (const name of ['real', 'new', 'above']) expect(isSaved(`elsewhere/${name}`)).toBe(true);
    expect(readdirSync(path('elsewhere')).sort()).toEqual(['above', 'inner', 'new', 'real']);
  });

  it.skipIf(process.platform === 'win32').each([
    ['all', [true], 0o6751],
    ['all but the owner', [false, true], 0o751],
    ['neither owner nor group', [false, false], 0o711],
  ])('gives nobody more rights than before if it can keep %s', async (_, outcomes, mode) => {
    writeFileSync(path('rights'), 'old');
    chmodSync(path('rights'), 0o6751);
    const handle = await open(path('rights'));
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    const modes: number[] = [];
    const chown = vi.spyOn(prototype, 'chown').mockImplementation(async () => {
      modes.push(statSync(path(temporary()[0] as string)).mode & 0o777 & ~0o751);
      if (!outcomes.shift()) throw new Error('only root may');
    });
    const chmod = vi.spyOn(prototype, 'chmod').mockResolvedValue(undefined);
    await saveFile(filter, path('rights'));
    expect(modes).toEqual(chown.mock.calls.map(() => 0));
    expect([chmod.mock.calls, outcomes]).toEqual([[[mode]], []]);
  });

  // Not to /dev/null: run by root, a fault of saving would put a file in its place, for all programs.
  it.skipIf(process.platform === 'win32')('writes to a pipe, and does not replace it', async () => {
    execFileSync('mkfifo', [path('pipe')]);
    const reader = readFile(path('pipe'));
    await saveFile(filter, path('pipe'));
    expect(statSync(path('pipe')).isFIFO()).toBe(true);
    expect(new Uint8Array(await reader)).toEqual(filter.toBytes());
  });

  it('shows the old file until the new one is whole, and listens to no signal', async () => {
    writeFileSync(path('watched'), 'old');
    const listeners = (): string => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((n) => process.listenerCount(n)).join();
    const before = listeners();
    const seen: unknown[] = [];
    const { filter: watched, calls } = savable(function* () {
      for (const byte of [1, 2, 3]) {
        yield Uint8Array.of(byte);
        seen.push([readFileSync(path('watched'), 'utf8'), temporary().length, listeners()]);
      }
    });
    await saveFile(watched, path('watched'));
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['old', 1, before]));
    expect([...readFileSync(path('watched'))]).toEqual([1, 2, 3]);
    expect(temporary()).toEqual([]);
    expect(calls).toEqual(['clone', 'toChunks', 'dispose']);
  });

  it('is on the disk before it takes the place of the old file, and then so is its name', async () => {
    writeFileSync(path('synced'), 'old');
    const found: string[] = [];
    const synced: FileHandle[] = [];
    const handle = await open(path('synced'));
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push(this);
      found.push(readFileSync(path('synced'), 'utf8'));
      // Some file systems on a network cannot sync folders.
      if (found.length === 2) throw Object.assign(new Error('no folder'), { code: 'EINVAL' });
    });
    await saveFile(savable(() => [Buffer.from('new')]).filter, path('synced'));
    expect(synced.map(({ fd }) => fd)).toEqual([-1, -1]);
    sync.mockRestore();
    await handle.close();
    expect(found).toEqual(['old', 'new']);
  });

  it('leaves the old file and no temporary one if it fails, and frees the copy', async () => {
    writeFileSync(path('kept'), 'old');
    const failure = new Error('no more');
    const { filter: failing, calls } = savable(function* () {
      yield Uint8Array.of(1);
      throw failure;
    });
    await expect(saveFile(failing, path('kept'))).rejects.toBe(failure);
    expect([readFileSync(path('kept'), 'utf8'), ...temporary()]).toEqual(['old']);
    expect(calls).toEqual(['clone', 'toChunks', 'dispose']);
    if (process.platform === 'win32') return;
    const { filter: late } = savable(function* () {
      // When the folder is opened next.
      vi.mocked(open).mockRejectedValueOnce(failure);
      yield Uint8Array.of(1);
    });
    await expect(saveFile(late, path('kept'))).rejects.toBe(failure);
    expect([readFileSync(path('kept'), 'utf8'), ...temporary()]).toEqual(['old']);
  });

  it('gives the errors of the file system as they are', async () => {
    mkdirSync(path('folder'));
    await expect(saveFile(filter, path('missing/file'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(saveFile(filter, path('folder'))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(path('folder'))).toEqual([]);
  });

  it('refuses what is no filter, and what names no file', async () => {
    const name = path('refused');
    for (const wrong of [undefined, null, 7, 'filter', {}, [], filter.toBytes(), BloomFilter, { clone() {} }]) {
      const saving = saveFile(wrong as Savable, name);
      await expect(saving).rejects.toThrow(TypeError);
      await expect(saving).rejects.toThrow(/^filter must be a filter, got /);
    }
    const shared = { toChunks() {}, toFilter() {} } as object as Savable;
    await expect(saveFile(shared, name)).rejects.toThrow('filter must be a copy that toFilter() made, got');
    for (const wrong of [undefined, null, 7, {}, filter]) {
      await expect(saveFile(filter, wrong as string)).rejects.toThrow(/^path must be a string or a URL, got /);
    }
    for (const wrong of ['', `${name}/`, `${name}\\`]) {
      await expect(saveFile(filter, wrong)).rejects.toThrow(RangeError);
      await expect(saveFile(filter, wrong)).rejects.toThrow(/^path must be the name of a file, got /);
    }
    await expect(saveFile(filter, new URL('https://example.org/x'))).rejects.toThrow(TypeError);
    using disposed = filter.clone();
    disposed.dispose();
    await expect(saveFile(disposed, name)).rejects.toThrow('the filter was used after dispose()');
    expect(existsSync(name)).toBe(false);
    expect(temporary()).toEqual([]);
  });
});

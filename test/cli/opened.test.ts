// Filters that the command line looks up without loading them.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { keyed } from 'bloomery/keyed';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { TombstoneFilter } from 'bloomery/tombstone';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, runOn, temporaryFolder } from './run.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const KEYS = Array.from({ length: 3000 }, (_, i) => `key ${2 * i}`);
const ASKED = Array.from({ length: 6000 }, (_, i) => `key ${i}\r\n`).join('');
const secret = Buffer.alloc(16, 7);

beforeAll(() => {
  writeFileSync(path('blocked'), BlockedBloomFilter.from(KEYS).toBytes());
  writeFileSync(path('classic'), BloomFilter.from(KEYS).toBytes());
  writeFileSync(path('fuse'), BinaryFuseFilter.from(KEYS).toBytes());
  writeFileSync(path('sharded'), ShardedFuseFilter.from(KEYS, { shards: 8 }).toBytes());
  writeFileSync(path('secret'), secret);
  writeFileSync(path('keyed'), keyed(BloomFilter, secret).from(KEYS).toBytes());
  // The last block is damaged. No lookup below needs it, so only a load notices.
  const large = new BlockedBloomFilter({ bits: 2 ** 28 }).addMany(KEYS).toBytes();
  writeFileSync(path('large'), large.fill(0xaa, -32));
  writeFileSync(path('asked.txt'), ASKED);
});

describe('has, pick and omit with --no-load', () => {
  it.each([
    ['blocked', []],
    ['classic', []],
    ['fuse', []],
    ['sharded', []],
    ['keyed', ['--secret-file', path('secret')]],
  ])('answer as they do with a loaded filter: %s', async (name, options) => {
    const both = async (...args: string[]) => {
      const [loaded, opened] = await Promise.all([
        runOn(ASKED, ...args, '--load', ...options),
        runOn(ASKED, ...args, '--no-load', ...options),
      ]);
      expect(opened).toEqual(loaded);
      expect(opened?.stderr).toBe('');
      return opened;
    };
    const picked = await both('pick', path(name));
    expect(picked?.stdout.toString()).toContain('key 2\r\nkey 4\r\n');
    const omitted = await both('omit', path(name), path('asked.txt'), '--field', '2', '--delimiter', ' ');
    expect(omitted?.stdout.length).toBeGreaterThan(1000);
    expect(await both('omit', '--count', path(name), '--null')).toMatchObject({ code: 0 });
    expect(await both('pick', '--quiet', path(name))).toMatchObject({ code: 0 });
    expect(await both('has', path(name), 'key 2', 'key 3', '-')).toMatchObject({ code: 1 });
    expect(await both('has', path(name), 'key 2')).toMatchObject({ code: 0, stdout: Buffer.from('key 2\n') });
  });

  it('fail where the filter must be loaded', async () => {
    writeFileSync(path('zipped.gz'), gzipSync(readFileSync(path('blocked'))));
    writeFileSync(path('tombstone'), new TombstoneFilter(BloomFilter.from(['a'])).toBytes());
    writeFileSync(path('cut'), readFileSync(path('blocked')).subarray(0, 1000));
    const failure = async (...args: string[]) => {
      const { code, stderr } = await run('has', '--no-load', ...args);
      expect(code).toBe(2);
      return stderr;
    };
    const cannot = 'bloomery: --no-load cannot be used: ';
    expect(await failure(path('zipped.gz'), 'a')).toBe(
      `${cannot}'${path('zipped.gz')}' does not begin as a filter does, or is compressed\n`,
    );
    expect(await failure(path('tombstone'), 'a')).toBe(
      `${cannot}'${path('tombstone')}' is a tombstone filter, which must be loaded\n`,
    );
    expect(await failure('-', 'a')).toBe(`${cannot}stdin can be read only once\n`);
    expect(await failure(path('missing'), 'a')).toBe(`${cannot}'${path('missing')}' is not a file\n`);
    expect(await failure(path('blocked'), 'a', '--format', 'guava')).toMatch(/is in the format of another system/);
    expect(await failure(path('cut'), 'a')).toMatch(/cut' is damaged: it has 1000 of \d+ bytes\n$/);
    expect(await failure(path('keyed'), 'a')).toMatch(/--secret-file is missing/);
    // Root may read any file.
    if (process.getuid?.() !== 0) {
      writeFileSync(path('private'), '', { mode: 0 });
      expect(await failure(path('private'), 'a')).toBe(
        `bloomery: cannot read '${path('private')}': permission denied\n`,
      );
    }
    expect(await failure('--load', path('blocked'), 'a')).toBe('bloomery: --load and --no-load exclude each other\n');
  });
});

describe('a large filter', () => {
  it('is not loaded for few keys, and is with --load or for many', async () => {
    // The checksum is wrong, which only a load notices.
    expect(await run('has', path('large'), 'key 2', 'nobody')).toMatchObject({
      code: 1,
      stdout: Buffer.from('key 2\n'),
    });
    writeFileSync(path('few.txt'), 'key 2\nnobody\n');
    expect((await run('pick', path('large'), path('few.txt'))).stdout.toString()).toBe('key 2\n');
    expect((await run('omit', path('large'), path('few.txt'))).stdout.toString()).toBe('nobody\n');
    const refused = [
      ['has', '--load', path('large'), 'key 2'],
      ['pick', '--load', path('large'), path('few.txt')],
      // Too many keys, or nobody knows how many.
      ['pick', path('large'), path('asked.txt')],
      ['omit', path('large')],
      ['has', path('large'), '-'],
    ];
    for (const args of refused) {
      const { code, stderr } = await runOn('key 2\n', ...args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/is damaged: its checksum is wrong\n$/)]);
    }
    const asked = await runOn('key 2\nnobody\n', 'has', '--no-load', path('large'), '-');
    expect(asked).toEqual({ code: 1, stdout: Buffer.from('key 2\n'), stderr: '' });
  });
});

// Filters that the command line looks up without loading them.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BlockedBloomFilter, BloomFilter } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { keyed } from 'bloomery/keyed';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { TombstoneFilter } from 'bloomery/tombstone';
import { beforeAll, describe, expect, it } from 'vitest';
import { told, workInFolder } from './run.ts';

workInFolder();

const KEYS = Array.from({ length: 3000 }, (_, i) => `key/${2 * i}`);
const ASKED = Array.from({ length: 6000 }, (_, i) => `key/${i}\r\n`).join('');
const secret = Buffer.alloc(16, 7);

beforeAll(() => {
  const filters = {
    blocked: BlockedBloomFilter.from(KEYS),
    classic: BloomFilter.from(KEYS),
    fuse: BinaryFuseFilter.from(KEYS),
    sharded: ShardedFuseFilter.from(KEYS, { shards: 8 }),
    keyed: keyed(BloomFilter, secret).from(KEYS),
    tombstone: new TombstoneFilter(BloomFilter.from(['a'])),
  };
  for (const [name, filter] of Object.entries(filters)) writeFileSync(name, filter.toBytes());
  const blocked = readFileSync('blocked');
  writeFileSync('zipped.gz', gzipSync(blocked));
  writeFileSync('cut', blocked.subarray(0, 1000));
  writeFileSync('secret', secret);
  writeFileSync('asked', ASKED);
  writeFileSync('few', 'key/2\nnobody\n');
  // The last block is damaged. No lookup below needs it, so only a load notices.
  const large = new BlockedBloomFilter({ bits: 2 ** 28 }).addMany(KEYS).toBytes();
  writeFileSync('large', large.fill(0xaa, -32));
});

describe('has, pick and omit with --no-load', () => {
  const names = ['blocked', 'classic', 'fuse', 'sharded', 'keyed --secret-file secret'];
  it.each(names)('answer as they do with a loaded filter: %s', async (filter) => {
    const both = async (line: string) => {
      const opened = await told(`${line} ${filter} --no-load`, ASKED);
      expect(opened).toEqual(await told(`${line} ${filter} --load`, ASKED));
      expect(opened[2]).toBe('');
      return opened.slice(0, 2);
    };
    expect(await both('pick')).toEqual([0, expect.stringContaining('key/2\r\nkey/4\r\n')]);
    expect(await both('omit --field 2 --delimiter /')).toEqual([0, expect.stringContaining('key/5\r\n')]);
    expect(await both('omit --count --null')).toEqual([0, '1\n']);
    expect(await both('pick --quiet')).toEqual([0, '']);
  });

  it('say which file is damaged, if a lookup sees it', async () => {
    const set = FingerprintSet.from(KEYS).toBytes();
    // Each two neighbors change places.
    for (let at = 64; at < set.length; at += 24)
      set.set([...set.subarray(at + 12, at + 24), ...set.slice(at, at + 12)], at);
    writeFileSync('set', set);
    const message = /^bloomery: 'set' is damaged: its fingerprint \d+/;
    for (const line of ['has --no-load set key/2 key/0 key/4 key/6', 'pick --no-load set asked']) {
      expect(await told(line)).toEqual([2, '', expect.stringMatching(message)]);
    }
  });

  const cannot = 'bloomery: --no-load cannot be used: ';
  it.each([
    ['zipped.gz a', `${cannot}'zipped.gz' does not begin as a filter does, or is compressed\n`],
    ['tombstone a', `${cannot}'tombstone' is a tombstone filter, which must be loaded\n`],
    ['- a', `${cannot}stdin can be read only once\n`],
    ['missing a', `${cannot}'missing' is not a file\n`],
    ['blocked a --format guava', 'is in the format of another system'],
    ['cut a', "bloomery: 'cut' is damaged: it has 1000 of "],
    ['keyed a', '--secret-file is missing'],
    ['--load blocked a', 'bloomery: --load and --no-load exclude each other\n'],
    // Root may read any file.
    ...(process.getuid?.() === 0 ? [] : [['private a', "bloomery: cannot read 'private': permission denied\n"]]),
  ] as [string, string][])('fail where the filter must be loaded: %s', async (args, message) => {
    writeFileSync('private', '', { mode: 0 });
    expect(await told(`has --no-load ${args}`)).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe('a large filter', () => {
  it.each([
    ['has large key/2 nobody', 1, 'key/2\n'],
    ['pick large few', 0, 'key/2\n'],
    ['omit large few', 0, 'nobody\n'],
    ['has --no-load large key/4 -', 1, 'key/4\nkey/2\n'],
  ])('is not loaded for few keys: %s', async (line, code, expected) => {
    expect(await told(line, 'key/2\nnobody\n')).toEqual([code, expected, '']);
  });

  it.each([
    'has --load large key/2',
    'pick --load large few',
    // Too many keys, or nobody knows how many.
    'pick large asked',
    'omit large',
    'has large -',
  ])('is loaded with --load or for many, which its checksum shows: %s', async (line) => {
    const message = "bloomery: 'large' is damaged: its checksum is wrong\n";
    expect(await told(line, 'key/2\n')).toEqual([2, '', message]);
  });
});

// Filters whose keys are hashed under a secret, which the commands read from a file.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { BloomFilter } from 'bloomery';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { keyed } from 'bloomery/keyed';
import { loadAny } from 'bloomery/load';
import { ParquetBloomFilter } from 'bloomery/parquet';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasValues, kindNames, readableClasses } from '../../cli/filters/kinds.ts';
import { told, workInFolder, write } from './run.ts';

workInFolder();

const SECRET = Uint8Array.from({ length: 16 }, (_, i) => 0xa0 + i);
const HEX = Buffer.from(SECRET).toString('hex');
const Classic = keyed(BloomFilter, SECRET);
const KEYS = Array.from({ length: 500 }, (_, i) => `line ${i}`);
const TEXT = `${KEYS.join('\n')}\n`;
const classic = Classic.from(KEYS, { capacity: 1000 });

beforeAll(() => {
  const parquet = new ParquetBloomFilter({ bytes: 32 });
  write({ secret: SECRET, other: Uint8Array.from(SECRET).reverse(), text: TEXT, parquet });
});
beforeEach(() => write({ made: classic, plain: BloomFilter.from(KEYS, { capacity: 1000 }) }));

/** What a command prints under a secret, which must succeed. */
async function printed(line: string, input = '', secret = 'secret'): Promise<string> {
  const [code, stdout, stderr] = await told(`${line} --secret-file ${secret}`, input);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Expects an error, which shows nothing of a secret and changes nothing. */
async function expectRefusal(line: string, message: string, input = ''): Promise<void> {
  const contents = () => ['made', 'plain', 'secret'].map((name) => readFileSync(name));
  const before = contents();
  expect(await told(line, input)).toEqual([2, '', `bloomery: ${message}\n`]);
  expect(contents()).toEqual(before);
  expect(existsSync('unmade')).toBe(false);
}

describe('the file of a secret', () => {
  it.each([
    ['16 bytes', SECRET],
    ['32 digits', HEX],
    ['capital digits and a newline', `${HEX.toUpperCase()}\n`],
    ['digits and CRLF', `${HEX}\r\n`],
  ])('may have %s', async (_, contents) => {
    writeFileSync('form', contents);
    expect(await printed('pick made', 'line 7\nno\n', 'form')).toBe('line 7\n');
  });

  it.skipIf(process.platform === 'win32')('may be a pipe', async () => {
    execFileSync('mkfifo', ['pipe']);
    const [found] = await Promise.all([printed('pick made', 'line 7\n', 'pipe'), writeFile('pipe', `${HEX}\n`)]);
    expect(found).toBe('line 7\n');
  });

  it.each<[string, string | Uint8Array]>([
    ['15 bytes', SECRET.subarray(1)],
    ['17 bytes', new Uint8Array(17).fill(0xa7)],
    ['33 digits', `${HEX}0`],
    ['32 letters', `${HEX.slice(1)}g`],
    ['two newlines', `${HEX}\n\n`],
    ['a letter after CRLF', `${HEX}\r\na`],
    ['16 zeros', new Uint8Array(16)],
    ['more than it should', `${HEX}\n`.repeat(10_000)],
  ])('must not have %s', async (_, contents) => {
    writeFileSync('bad', contents);
    const message = "'bad' holds no secret: that is 16 random bytes, or the 32 digits of openssl rand -hex 16";
    await expectRefusal('build text -o unmade -n 1000 --secret-file bad', message);
  });

  const also = "'secret' is read and written by this command: choose another file";
  it.each([
    ['build text -o unmade --secret-file missing', "cannot read 'missing': no such file or directory"],
    ['build text -o unmade --secret-file=-', '--secret-file must be a file, not stdin'],
    ['build text -o secret --secret-file secret', also],
    ['merge made made -o secret --secret-file secret', also],
    ['pick made text -o secret --secret-file secret', also],
  ])('must be there, and not be stdin or what the command writes: %s', expectRefusal);
});

describe('a filter with a secret', () => {
  it.each(kindNames.filter((kind) => !hasValues({ kind })))('has the bytes that a program makes: %s', async (kind) => {
    await printed(`build text -o new -k ${kind} ${kind.endsWith('fuse') ? '' : '-n 1000'}`);
    const file = readFileSync('new');
    expect(file[6]).toBe(2);
    const classes = readableClasses.map((Class) => keyed(Class, SECRET));
    const filter = loadAny(classes, file);
    // It may have forgotten some.
    if (kind !== 'stable') expect(filter.omit(KEYS)).toEqual([]);
    const made: Readonly<Record<string, { toBytes(): Uint8Array }>> = {
      classic,
      fuse: keyed(BinaryFuseFilter, SECRET).from(KEYS),
      'sharded-fuse': keyed(ShardedFuseFilter, SECRET).from(KEYS),
    };
    if (made[kind]) expect(file.equals(made[kind].toBytes())).toBe(true);
  });

  it('takes keys, finds them and is merged, in any number of threads', async () => {
    await printed('build text -o three -n 1000 --threads 3');
    expect(readFileSync('three').equals(classic.toBytes())).toBe(true);
    expect(await printed('pick three text --threads 3')).toBe(TEXT);
    writeFileSync('two', Classic.from(['another'], { capacity: 1000 }).toBytes());
    await printed('add made', 'more\n');
    await printed('merge made two -o both');
    const probes = 'line 1\nanother\nabsent\nmore\n';
    expect(await printed('pick both', probes)).toBe('line 1\nanother\nmore\n');
    expect(await printed('omit both', probes)).toBe('absent\n');
    expect(await printed('has both more another')).toBe('more\nanother\n');
  });

  it('is shown with a check of the secret', async () => {
    const check = (classic.seed - 2 ** 32).toString(16).padStart(8, '0');
    const shown = await printed('info made');
    expect(shown).toMatch(new RegExp(`\\nsecret {10}check ${check}\\n`));
    expect(shown).not.toMatch(/^seed/m);
    const json = await printed('info made --json');
    expect(JSON.parse(json)).toMatchObject({ kind: 'classic', secretCheck: check });
    expect(JSON.parse(json)).not.toHaveProperty('seed');
    for (const text of [shown, json, readFileSync('made', 'latin1')]) {
      expect(text).not.toContain(HEX);
      expect(text).not.toContain(Buffer.from(SECRET).toString('latin1'));
    }
  });
});

describe('a wrong secret', () => {
  const wrong = 'does not fit --secret-file: it was made';
  const commands = [['add'], ['has', 'a'], ['get', 'a'], ['pick'], ['omit'], ['info'], ['merge', 'made -o unmade']];
  it.each(commands)('is refused, and so is none, and one where there is none: %s', async (command, more = '') => {
    const missing = '--secret-file is missing, which build, add, has, get, pick, omit, info and merge take';
    await expectRefusal(`${command} made ${more}`, `'made' was made under a secret: ${missing}`);
    await expectRefusal(`${command} made ${more} --secret-file other`, `'made' ${wrong} under another secret`);
    await expectRefusal(`${command} plain ${more} --secret-file secret`, `'plain' ${wrong} without a secret`);
  });

  const foreign = 'is in the format of another system, which has no secret: omit --secret-file';
  const seed = '--seed does not go with --secret-file, which takes its place';
  it.each([
    ['merge made plain -o unmade --secret-file secret', `'plain' ${wrong} without a secret`],
    ['build text -o unmade --seed 0 --secret-file secret', seed],
    ['has parquet a --secret-file secret', `'parquet' ${foreign}`],
  ])('is refused for one of several filters, with a seed, and for another system: %s', expectRefusal);

  it('cannot be given to dedupe, which takes no such filters', async () => {
    const message = expect.stringContaining('was made under a secret');
    expect(await told('dedupe --seen made', 'a\n')).toEqual([2, '', message]);
    const unknown = expect.stringContaining('unknown option');
    expect(await told('dedupe --seen made --secret-file secret', 'a\n')).toEqual([2, '', unknown]);
  });
});

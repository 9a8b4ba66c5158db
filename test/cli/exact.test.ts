// What the command line decides exactly: by a set of all keys, in place of filters. Also the texts that pick and omit look
// lines up in: --list.

import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { FilterFullError } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { hashKeys } from 'bloomery/hash';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { setOf } from '../../cli/commands/lists.ts';
import { ExactSeen } from '../../cli/filters/exact.ts';
import { Counted, Repeated } from '../../cli/filters/repeated.ts';
import { findInputs } from '../../cli/text/input.ts';
import { selectIn } from '../../cli/text/select.ts';
import { randomFrom } from '../shared/random.ts';
import { formatWith } from './format.ts';
import { DONE, numbers, textOf, told, workInFolder, write } from './run.ts';

workInFolder();

const UNBOUNDED = { maxMemory: Number.POSITIVE_INFINITY, name: undefined };
const exactSeen = (maxMemory = UNBOUNDED.maxMemory): { set: FingerprintSet; seen: ExactSeen } => {
  const set = new FingerprintSet();
  return { set, seen: new ExactSeen(set, { maxMemory, name: undefined }) };
};

describe('dedupe --seen', () => {
  it('makes a set without a capacity, and goes on with it', async () => {
    expect(await told('dedupe --seen set', 'a\nb\na\n')).toEqual([0, 'a\nb\n', '']);
    expect(await told('dedupe --seen set --error-rate 1e-20', 'b\nc\n')).toEqual([0, 'c\n', '']);
    expect(await told('dedupe --seen set --max-memory 1M', 'b\nc\n')).toEqual([1, '', '']);
    expect(readFileSync('set').equals(FingerprintSet.from(['a', 'b', 'c']).toBytes())).toBe(true);
  });

  it('saves the lines that it has printed when its memory is full, and only these', async () => {
    const [code, stdout, stderr] = await told('dedupe --seen full.gz --max-memory 100k', numbers(0, 20_000));
    const kept = stdout.split('\n').length - 1;
    expect([code, stdout]).toEqual([2, numbers(0, kept)]);
    expect(stderr).toMatch(`--max-memory 100 kB is full after ${kept.toLocaleString('en')} lines, of which each`);
    const advice = /raise it, or go on with bloomery omit full.gz FILES \| bloomery dedupe --seen NEW --error-/;
    expect(stderr).toMatch(advice);
    expect(await told('dedupe --seen full.gz', numbers(0, kept + 1))).toEqual([0, `${kept}\n`, '']);
  });
});

describe('a set whose memory is bounded', () => {
  it('says after which line it is full, and what each line takes there and in filters', async () => {
    const [code, stdout, stderr] = await told('dedupe --max-memory 1M', numbers(0, 10).repeat(9) + numbers(0, 90_000));
    const kept = stdout.split('\n').length - 1;
    expect([code, stdout]).toEqual([2, numbers(0, kept)]);
    const [, read = '', bytes, capacity, others] =
      /^bloomery: --max-memory 1\.00 MB is full after ([\d,]+) lines, of which each distinct one takes (\S+) bytes: to read more, raise it, or pass --error-rate 0\.000001 --capacity (\d+): a line then takes (\S+) bytes, and one in 1,000,000 may be lost\n$/.exec(
        stderr,
      ) ?? [];
    expect([Number(read.replaceAll(',', '')), Number(capacity)]).toEqual([kept + 90, 2 * kept]);
    // The memory is used to eight tenths at least.
    expect(Number(bytes) * kept).toBeGreaterThan(0.8e6 - kept);
    expect(Number(bytes)).toBeLessThan(25);
    const filter = new WideBlockedBloomFilter({ capacity: 2 * kept, errorRate: 5e-7 });
    expect(Number(others)).toBeCloseTo(filter.byteLength / (2 * kept), 0);
    // As many lines as that take the memory that was promised.
    const options = `--error-rate 0.000001 --capacity ${capacity}`;
    const last = expect.stringContaining(numbers(2 * kept - 9, 2 * kept));
    expect(await told(`dedupe --max-memory 1M ${options}`, numbers(0, 2 * kept))).toEqual([0, last, '']);
  });

  it('advises no filters where they would need more memory', async () => {
    const [code, , stderr] = await told('dedupe --max-memory 5k', numbers(0, 2000));
    expect([code, stderr.split(': ').at(-1)]).toEqual([2, 'to read more, raise it\n']);
  });

  it('never takes more, by lines or by hashes', () => {
    const keys = Array.from({ length: 300_000 }, (_, i) => i);
    const sizes = fc.tuple(fc.integer({ min: 300, max: 3_000_000 }), fc.integer({ min: 1, max: 30_000 }));
    const property = fc.property(sizes, ([most, step]) => {
      const { set, seen } = exactSeen(most);
      for (let from = 0; from < keys.length && !seen.full; from += step) {
        const some = keys.slice(from, from + step);
        const text = Buffer.from(some.map((key) => `${key}\n`).join(''));
        if ((from / step) % 2) seen.flag(hashKeys(some.map(String)));
        else selectIn(text, formatWith({}), (read) => seen.select(read));
        expect(set.byteLength).toBeLessThanOrEqual(Math.max(most, 326));
      }
      if (seen.full === undefined) expect(set.count).toBe(keys.length);
      else expect(seen.full.message).toContain(`is full after ${set.count.toLocaleString('en')} line`);
    });
    fc.assert(property, { numRuns: 30 });
  });
});

describe('the lines seen', () => {
  it('have a chance of a mistake that grows with the pairs of keys, beside those of a saved set', () => {
    const set = FingerprintSet.from(['a', 'b', 'c']);
    const seen = new ExactSeen(set, UNBOUNDED);
    expect([seen.count, seen.expectedMistakes()]).toEqual([0, 3 * 2 ** -96]);
    seen.flag(hashKeys(['a', 'd', 'e']));
    expect([seen.count, seen.expectedMistakes()]).toEqual([2, 12 * 2 ** -96]);
    const both = new Repeated(exactSeen().seen, exactSeen().seen);
    both.flag(hashKeys(['a', 'a', 'b']));
    expect([both.isExact, both.count, both.expectedMistakes()]).toEqual([true, 1, 4 * 2 ** -96]);
    expect(new Counted(seen).isExact).toBe(true);
  });

  const omitting = 'go on with bloomery omit seen FILES';
  it.each([
    [undefined, 'pass --error-rate 0.000001 --capacity 1000: ', 'may be lost'],
    ['seen', `${omitting} | bloomery dedupe --seen NEW --error-rate 0.000001`, "'seen' was not saved"],
  ])('end with an error that says what to do if there is no memory for them: %s', (name, choice, end) => {
    const set = FingerprintSet.from(['a', 'b']);
    const error = new FilterFullError('', { code: 'MEMORY', reason: '', position: 0 });
    for (const method of ['addMany', 'dedupe'] as const) vi.spyOn(set, method).mockThrow(error);
    const seen = new ExactSeen(set, { maxMemory: UNBOUNDED.maxMemory, name });
    const more = `to read more, ${choice.replaceAll('|', '\\|')}`;
    const pattern = new RegExp(`^there is no memory for more than 2 distinct keys: ${more}.*${end}`);
    expect(() => seen.flag(hashKeys(['c']))).toThrow(pattern);
    expect(() => selectIn(Buffer.from('c\n'), formatWith({}), (keys) => seen.select(keys))).toThrow(pattern);
  });
});

describe('a saved set', () => {
  it('is built without a capacity or an error rate, and is what a program makes', async () => {
    const made = (keys: string[]): boolean => readFileSync('made').equals(FingerprintSet.from(keys).toBytes());
    for (const options of ['', '-n 100', '--threads 2']) {
      expect(await told(`build -k fingerprint-set -o made ${options}`, 'a\nb\na\n')).toEqual(DONE);
      expect(made(['a', 'b'])).toBe(true);
    }
    expect(await told('add made', 'b\nc\n')).toEqual(DONE);
    expect(made(['a', 'b', 'c'])).toBe(true);
    writeFileSync('other', FingerprintSet.from(['c', 'd']).toBytes());
    expect(await told('merge made other -o made')).toEqual(DONE);
    expect(made(['a', 'b', 'c', 'd'])).toBe(true);
    writeFileSync('seeded', new FingerprintSet({ seed: 7 }).toBytes());
    const message = "bloomery: 'seeded' does not fit 'made': its seed is 7; build it with --seed 0\n";
    expect(await told('merge made seeded -o made')).toEqual([2, '', message]);
  });

  it('is looked up, and described by info and size', async () => {
    writeFileSync('made', FingerprintSet.from(['a', 'b', 'c', 'd']).toBytes());
    expect(await textOf('pick made', 'd\nx\na\n')).toBe('d\na\n');
    expect(await told('has made a x')).toEqual([1, 'a\n', '']);
    expect(await textOf('info made')).toMatch(
      /^kind +fingerprint-set\nfingerprints +4\nhashes +1\nseed +0\nkeys +4\nerror rate now +about 5\.05e-29\nfile +\d+ bytes\n$/,
    );
    const facts = { kind: 'fingerprint-set', fingerprints: 4, estimatedCount: 4 };
    expect(JSON.parse(await textOf('info made --json'))).toMatchObject(facts);
    const { kind } = facts;
    const isIts = (row: { kind: string }): boolean => row.kind === kind;
    const rowOf = async (capacity: string): Promise<unknown> =>
      JSON.parse(await textOf(`size -n ${capacity} --json`)).kinds.find(isIts);
    expect(await rowOf('1e6')).toEqual({ kind, bitsPerKey: 160, hashes: 1, bytes: 2e7, filters: 1 });
    expect(await rowOf('1e9')).toMatchObject({ bytes: 2e10, filters: 8 });
  });

  it('takes about the memory that size tells', () => {
    const { set, seen } = exactSeen();
    for (let from = 0; from < 1e6; from += 1e4) seen.flag(hashKeys(Array.from({ length: 1e4 }, (_, i) => from + i)));
    expect(Math.abs(set.byteLength - 2e7)).toBeLessThan(0.1 * 2e7);
  });

  it('is made by dedupe also where a text cannot be read', async () => {
    writeFileSync('some', 'a\nb\n');
    expect((await told('dedupe --seen others missing some'))[0]).toBe(2);
    expect(FingerprintSet.fromBytes(readFileSync('others')).count).toBe(2);
  });
});

const random = randomFrom(47);
const words = (count: number): string[] => Array.from({ length: count }, () => `word ${random(3000)}`);
const [LIST, MORE, TEXT] = [words(1000), words(500), words(20_000)];

beforeAll(() => {
  write({
    list: LIST.join('\n'),
    more: MORE.join('\r\n'),
    text: TEXT.join('\n'),
    empty: '',
    "it's": 'a\n',
    'old.csv': 'id,email\n1,"a@x"\n2,B@x\n',
    'new.csv': 'email,id,name\nb@x,2,"Bob\nby"\n"c@x",3,Cem\na@x,1,Ada\n',
    'old.json': '{"user":{"id":1}}\n{"user":{"id":2}}\n',
    'new.json': '{"user":{"id":2},"n":1}\n{"user":{"id":3},"n":2}\n',
    'bad.json': '{"user":{"id":1}}\nno\n',
    'more.gz': gzipSync(MORE.join('\n')),
  });
});

describe('--list', () => {
  const lists = { '': LIST, '--list more.gz': [...LIST, ...MORE], '--threads 2 --list more': [...LIST, ...MORE] };
  it.each(Object.entries(lists))('gives what grep -Fxf and grep -vFxf print: %s', async (options, list) => {
    const known = new Set(list);
    const selected = (isKnown: boolean): string => TEXT.filter((line) => known.has(line) === isKnown).join('\n');
    for (const [verb, isKnown] of [['pick', true] as const, ['omit', false] as const]) {
      const [code, stdout, stderr] = await told(`${verb} --list list ${options} text`);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.trimEnd()).toBe(selected(isKnown));
      const count = TEXT.filter((line) => known.has(line) === isKnown).length;
      expect(await textOf(`${verb} --list list ${options} -c text`)).toBe(`${count}\n`);
    }
  });

  it.each<[line: string, code: number, stdout: string, input?: string]>([
    ['pick --list -', 2, '', 'a\n'],
    ['pick --list - new.csv', 0, 'a@x,1,Ada\n', 'a@x,1,Ada\n'],
    ['pick --list list -q', 0, '', `no\n${LIST[7]}\n`],
    ['pick --list list -q', 1, '', 'no\n'],
    ['pick --list empty', 1, '', 'a\n'],
    ['omit --list list -c', 1, '0\n', `${LIST[7]}\n`],
    ['omit --list empty', 0, '\na', '\na'],
    ['omit --list - text -c', 0, '20000\n', '\n\n'],
    ['pick -i --trim --list list', 0, ` ${LIST[0]?.toUpperCase()}\t\n`, ` ${LIST[0]?.toUpperCase()}\t\n`],
    ['pick -z --list list', 1, '', `${LIST[0]}\0`],
    // Each list has its own header, and the first text gives the one that is printed.
    ['omit --list old.csv --csv --header -f email -i new.csv', 0, 'email,id,name\n"c@x",3,Cem\n'],
    ['pick --list old.csv --csv --header -f email -i new.csv', 0, 'email,id,name\nb@x,2,"Bob\nby"\na@x,1,Ada\n'],
    ['pick --list old.csv --csv -f 2 -', 0, '1,B@x\n', '1,B@x\n2,b@x\n'],
    ['omit --list old.json --json-field user.id new.json', 0, '{"user":{"id":3},"n":2}\n'],
    ['pick --list bad.json --json-field user.id --skip-invalid new.json', 1, ''],
  ])('is read as the texts are: %s gives %i, %j', async (line, code, stdout, input = '') => {
    const [found, printed, stderr] = await told(line, input);
    expect([found, printed]).toEqual([code, stdout]);
    if (line.includes('skip-invalid')) expect(stderr).toMatch("1 invalid record left out: 'bad.json', line 2 is not");
    else if (code === 2) expect(stderr).toBe('bloomery: stdin can be read only once\n');
    else expect(stderr).toBe('');
  });

  it.each([
    ['pick --list missing text', "cannot read 'missing': no such file or directory"],
    ['pick --list old.csv --csv --header -f name new.csv', "'old.csv' has no field 'name'"],
    ['pick --list bad.json --json-field user.id new.json', "'bad.json', line 2 is not JSON"],
    ['omit --list list --no-load text', '--no-load is about a filter, and does not go with --list'],
    ['omit --list list --format go text', '--format is about a filter, and does not go with --list'],
    ['omit --list list text -o list', "'list' is read and written by this command: choose another file"],
    ['omit list text', "'list' is not a filter: to look lines up in a text, pass --list list\n"],
    ["pick it's text", `'it's' is not a filter: to look lines up in a text, pass --list 'it'\\''s'\n`],
    ['pick --load - text', 'stdin is not a filter: to look lines up in a text, pass --list -\n'],
  ])('ends before anything is printed: %s', async (line, message) => {
    expect(await told(line)).toEqual([2, '', expect.stringContaining(`bloomery: ${message}`)]);
  });

  it.each(['pick --list no.set text', 'build no.set -o made', 'omit --list list no.set', 'dedupe no.set.gz'])(
    'takes no saved filter for a text: %s',
    async (line) => {
      const own = new FingerprintSet().addMany(['a', 'b']).toBytes();
      write({ 'no.set': own, 'no.set.gz': gzipSync(own) });
      const name = line.includes('.gz') ? 'no.set.gz' : 'no.set';
      const message = `'${name}' is a saved filter, not a text: has, pick and omit take it as <filter>, without --list`;
      expect(await told(line)).toEqual([2, '', `bloomery: ${message}\n`]);
      // A key may begin like one.
      expect(await told('pick --list - text', 'BLMY\n')).toEqual([1, '', '']);
    },
  );

  it('takes all operands as texts', async () => {
    write({ one: 'a\nb', two: 'b\nc\n' });
    expect(await told('omit --list one one two')).toEqual([0, 'c\n', '']);
    // Where each thread would need a large copy, all lines are looked up in one.
    writeFileSync('large', numbers(0, 900_000));
    for (const threads of [1, 16]) {
      const [code, stdout] = await told(`pick --list large --threads ${threads} one large two`);
      expect([code, stdout === numbers(0, 900_000)]).toEqual([0, true]);
      expect(await told(`omit --list large --threads ${threads} large one`)).toEqual([0, 'a\nb', '']);
    }
  });

  it('that has no room in memory is an error that says so', async () => {
    const error = new FilterFullError('', { code: 'MEMORY', reason: '', position: 0 });
    vi.spyOn(FingerprintSet.prototype, 'addMany').mockThrow(error);
    const message =
      /^there is no memory for more than 0 distinct keys: make a filter of the lists, with bloomery build/;
    await expect(setOf(await findInputs(['list']), formatWith({}), 1)).rejects.toThrow(message);
  });
});

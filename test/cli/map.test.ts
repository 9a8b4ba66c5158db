// Maps: build makes them of texts of keys and values, and get prints the values.

import { readFileSync, writeFileSync } from 'node:fs';
import { FuseMap, type FuseMapOptions } from 'bloomery/fuse-map';
import { keyed } from 'bloomery/keyed';
import { beforeAll, describe, expect, it } from 'vitest';
import { Places } from '../../cli/text/values.ts';
import { DONE, runOn, textOf, told, workInFolder, write } from './run.ts';

workInFolder();

const KEYS = Array.from({ length: 3000 }, (_, i) => `key/${2 * i}`);
const VALUES = KEYS.map((_, i) => i % 41);
const LINES = KEYS.map((key, i) => `${key}\t${VALUES[i]}\n`);
const ASKED = Array.from({ length: 6000 }, (_, i) => `key/${i}\r\n`).join('');
const SECRET = Buffer.alloc(16, 7);
const MAP = '-o made -k fuse-map';

beforeAll(() => {
  write({ secret: SECRET, 'some.tsv': LINES.join('') });
  write({
    one: FuseMap.from(KEYS, VALUES),
    several: FuseMap.from(KEYS, VALUES, { shards: 8 }),
    keyed: keyed(FuseMap, SECRET).from(KEYS, VALUES),
    // 2^32 − 1, which getMany also gives for absent keys, is the value of a key; some shards are empty.
    full: FuseMap.from(['a', 'b'], [2 ** 32 - 1, 5], { fingerprintBits: 0, shards: 256 }),
  });
});

/** The values of some keys. */
type Values = Readonly<Record<string, number>>;
const SOME: Values = Object.fromEntries(KEYS.map((key, i) => [key, i % 41]));

/** Checks that the file `made` is the map of these values. */
function expectMap(values: Values, options?: FuseMapOptions): void {
  expect(readFileSync('made').equals(FuseMap.fromEntries(Object.entries(values), options).toBytes())).toBe(true);
}

describe('build --kind fuse-map', () => {
  const csv = 'list,"last,\nfirst"\r\n7,"Ada, C"\r\n 0 ,"Bob\nB"\r\n"4294967",Eve\r\n007,"Ada, C"\n';
  const json = '{"u":{"id":"x"},"n.":3}\n{"n.":"4","u":{"id":5}}\n';
  it.each<[string, string, Values, FuseMapOptions?]>([
    ['-f 2 --value-field 1 --csv --header', csv, { 'Ada, C': 7, 'Bob\nB': 0, Eve: 4294967 }],
    ['-f last,list -d ; --value-field n --header', 'n;list;last\n3;x;y\n', { 'y;x': 3 }],
    ['-f 1 --value-field 2 -p 0.1% --seed 9', 'a\t1\r\nb\t2', { a: 1, b: 2 }, { errorRate: 0.001, seed: 9 }],
    ['-f 1 --value-field 1', '5\n5\n', { 5: 5 }],
    ['-f 1 --value-field 2 -z -i', 'A\n\t1\0', { 'a\n': 1 }],
    ['--json-field u.id --value-field n\\.', json, { x: 3, 5: 4 }],
    ['-f 1 --value-field 2 some.tsv', '', SOME],
  ])('reads %s', async (options, text, values, more) => {
    expect(await told(`build ${MAP} ${options}`, text)).toEqual(DONE);
    expectMap(values, more);
  });

  it('takes a secret', async () => {
    expect(await told(`build ${MAP} -f 1 --value-field 2 --secret-file secret some.tsv`)).toEqual(DONE);
    expect(readFileSync('made').equals(readFileSync('keyed'))).toBe(true);
  });

  const number = 'which is not a whole number from 0 to 4294967295\n';
  const CSV = '-f 1 --value-field 2 --csv';
  const JSONL = '--json-field k --value-field v';
  const quote = 'line 2 is not CSV: a quote within a field that does not begin with one\n';
  it.each<[string, string, string, number, Values]>([
    ['-f 1 --value-field 2 -i', 'A\t1\nb\tX\nc\ty\n', `line 2 has the value 'X', ${number}`, 2, { a: 1 }],
    ['-f 1 --value-field 2', 'a\t1\nb\nc\t-1\n', `line 2 has the value '', ${number}`, 2, { a: 1 }],
    [CSV, '"a\n",1\nb,4294967296\n', `line 3 has the value '4294967296', ${number}`, 1, { 'a\n': 1 }],
    [`${CSV} --header`, '"k\n\n",v\nb,1.0\nc,3\n', `line 4 has the value '1.0', ${number}`, 1, { c: 3 }],
    [CSV, 'a,1\nx"y,2\nb,1e3\nc,2\n', quote, 2, { a: 1, c: 2 }],
    [JSONL, '{"k":1,"v":2}\n{"k":2,"v":null}\n{\n', `line 2 has the value 'null', ${number}`, 2, { 1: 2 }],
    [JSONL, '{"k":1,"v":2}\n[\n{"k":2}\n', 'line 2 is not JSON: a value is missing at its end\n', 2, { 1: 2 }],
  ])('names the line of a wrong value, or leaves it out: %s %j', async (options, text, reason, count, values) => {
    writeFileSync('wrong', text);
    const line = `build ${MAP} ${options} wrong`;
    writeFileSync('made', 'before');
    expect(await told(line)).toEqual([2, '', `bloomery: 'wrong', ${reason}`]);
    expect(readFileSync('made', 'utf8')).toBe('before');
    const left = count > 1 ? `${count} invalid records left out, the first of them` : '1 invalid record left out';
    expect(await told(`${line} --skip-invalid`)).toEqual([0, '', `bloomery: warning: ${left}: 'wrong', ${reason}`]);
    expectMap(values);
  });

  it('names the lines of two values, and of a value too large', async () => {
    write({ 'a.csv': 'k,v\nx,1\n"y\n",2\nz,3\n', 'none.csv': 'k,v\n', 'b.csv': 'v,k\n1,x\n?,w\n4,z\n' });
    const line = `build ${MAP} --csv --header -f k --value-field v --skip-invalid`;
    const two = "bloomery: a key has two values: 3 in 'a.csv', line 5, and 4 in 'b.csv', line 4\n";
    expect(await told(`${line} a.csv none.csv b.csv`)).toEqual([2, '', two]);
    const tsv = `build ${MAP} -f 1 --value-field 2`;
    const line2 = 'bloomery: stdin, line 2 has the value';
    const needs = (value: number, needed: string) => [2, '', `${line2} ${value}, so that the map needs ${needed}\n`];
    write({ 'a.tsv': 'a\t1\nb\tx\n', 'b.tsv': 'c\ty\n' });
    const left = "2 invalid records left out, the first of them: 'a.tsv', line 2 has the value 'x', ";
    expect(await told(`${tsv} --skip-invalid a.tsv b.tsv`)).toEqual([0, '', `bloomery: warning: ${left}${number}`]);
    const large = `a\t1\nb\t${2 ** 30 - 1}\nc\t${2 ** 30 - 1}\n`;
    expect(await told(tsv, large)).toEqual(needs(2 ** 30 - 1, 'an --error-rate of at least 0.25'));
    expect(await told(`${tsv} -p 0.25`, large)).toEqual(DONE);
    const everyKey = '--error-rate 1, with which every key has a value';
    expect(await told(`${tsv} -p 0.9`, 'a\t1\nb\t2147483648\nc\t7\n')).toEqual(needs(2 ** 31, everyKey));
    const least = 'bloomery: a fuse-map needs an --error-rate of at least 4.66e-10\n';
    expect(await told(`${tsv} -p 1e-12`, 'a\t1\n')).toEqual([2, '', least]);
  });

  it.each(['1', '100%'])('gives every key a value with --error-rate %s', async (rate) => {
    const text = 'a\t1\nb\t4294967295\nc\t2147483648\n';
    expect(await told(`build ${MAP} -f 1 --value-field 2 -p ${rate}`, text)).toEqual(DONE);
    expectMap({ a: 1, b: 2 ** 32 - 1, c: 2 ** 31 }, { fingerprintBits: 0 });
    expect(await told('get made -', 'c\nb\n')).toEqual([0, 'c\t2147483648\nb\t4294967295\n', '']);
    expect(await told('get made -z a -', 'b')).toEqual([0, 'a\t1\0b\t4294967295\0', '']);
    const message = '--error-rate must be less than 1: only --kind fuse-map takes 1, for values of 32 bits\n';
    expect(await told(`build -o made -k fuse -p ${rate}`, 'a\n')).toEqual([2, '', `bloomery: ${message}`]);
  });

  it('is built in a temporary file, by several threads too', async () => {
    expect(await told(`build ${MAP} -f 1 --value-field 2 --threads 2 some.tsv some.tsv`)).toEqual(DONE);
    expectMap(SOME);
    const two = "bloomery: a key has two values: 0 in 'some.tsv', line 1, and 1 in 'other.tsv', line 1\n";
    writeFileSync('other.tsv', 'key/0\t1\n');
    expect(await told(`build ${MAP} -f 1 --value-field 2 --threads 2 some.tsv other.tsv`)).toEqual([2, '', two]);
  });

  it('names lines far apart in texts of several sections, with invalid records between them', async () => {
    const records = Array.from({ length: 40_000 }, (_, i) => i);
    // Of two lines each, but for the invalid ones.
    const csv = records.map((i) => (i % 1000 === 7 ? 'x"y,1\n' : `"k${i}","line\n",${i}\n`)).join('');
    writeFileSync('a.csv', `${csv}k40,,41\n`);
    const twoValues = (name: string, one: string, other: string): string =>
      `bloomery: a key has two values: 40 in '${name}', line ${one}, and 41 in '${name}', line ${other}\n`;
    const inCsv = await told(`build ${MAP} --csv -f 1 --value-field 3 --skip-invalid a.csv`);
    expect(inCsv).toEqual([2, '', twoValues('a.csv', '80', '79,961')]);
    const json = records.map((i) => (i % 1000 === 7 ? '{\n' : `{"k":"k${i}","v":${i}}\n`)).join('');
    writeFileSync('a.json', `${json}{"k":"k40","v":"41"}\n`);
    const inJson = await told(`build ${MAP} --json-field k --value-field v --skip-invalid a.json`);
    expect(inJson).toEqual([2, '', twoValues('a.json', '41', '40,001')]);
    writeFileSync('a.json', `${json}{"k":"x","v":4294967295}\n`);
    const large = await told(`build ${MAP} --json-field k --value-field v --skip-invalid a.json`);
    expect(large[2]).toContain("'a.json', line 40,001 has the value 4294967295, so that the map needs --error-rate 1");
    // A section has nothing else, or ends with them.
    writeFileSync('b.json', `{"k":1,"v":40}\n${'{\n'.repeat(300_000)}{"k":1,"v":41}\n`);
    const inBad = await told(`build ${MAP} --json-field k --value-field v --skip-invalid b.json`);
    expect(inBad).toEqual([2, '', twoValues('b.json', '1', '300,002')]);
  });

  it('keeps the places of records that span lines in few bytes each', () => {
    const places = new Places();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 1e6; i++) places.add(i < 5e5 ? 'a' : 'b', 1 + 2 * i);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(32e6);
    const some = [0, 499_999, 500_000, 999_999].map((i) => places.of(i)).join('; ');
    expect(some).toBe("'a', line 1; 'a', line 999,999; 'b', line 1,000,001; 'b', line 1,999,999");
  });

  const noValues = '--value-field does not go with --kind fuse';
  it.each([
    ['-f 1', '--kind fuse-map needs --value-field, which says where the value of each key is'],
    ['-f 1 --value-field 2 -k fuse', `${noValues}, which has no values: --kind fuse-map has`],
    ['--value-field 2', '--value-field needs --field or --json-field, which say where the key is'],
    ['-f 1 --value-field n', "--value-field 'n' is a name, which needs --header: it is in the first line"],
    ['-f 1 --value-field 2-3', "--value-field must be one field, got '2-3'"],
    ['-f 1 --value-field 2-', "--value-field must be one field, got '2-'"],
    ['--json-field a --value-field b,c', "--value-field must be one field, got 'b,c'"],
    ['-f 1 --value-field x --header', "stdin has no field 'x'; its fields are 'k', 'n'"],
  ])('refuses %s', async (options, message) => {
    writeFileSync('made', '');
    const [code, , stderr] = await told(`build ${MAP} ${options}`, 'k\tn\na\t1\n');
    expect([code, stderr]).toEqual([2, `bloomery: ${message}\n`]);
    expect(readFileSync('made').length).toBe(0);
  });
});

describe('get', () => {
  it.each(['one', 'several', 'keyed --secret-file secret'])('prints the same opened and loaded: %s', async (map) => {
    const Class = map.startsWith('keyed') ? keyed(FuseMap, SECRET) : FuseMap;
    const loaded = Class.fromBytes(readFileSync(map.split(' ')[0] as string));
    const asked = ASKED.split('\r\n').slice(0, -1);
    const found = asked.flatMap((key) => (loaded.has(key) ? [`${key}\t${loaded.get(key)}\n`] : []));
    expect(found).toEqual(expect.arrayContaining(LINES));
    expect(found.length).toBeLessThan(3200);
    for (const option of ['--no-load', '--load', '']) {
      expect(await told(`get ${option} ${map}`, ASKED)).toEqual([0, found.join(''), '']);
    }
    for (const option of ['--no-load', '--load']) {
      const line = `get ${option} ${map} key/4 key/5 - key/2`;
      expect(await told(line, 'key/6')).toEqual([0, 'key/4\t2\nkey/2\t1\nkey/6\t3\n', '']);
      expect(await told(`get ${option} ${map} key/5 key/7`)).toEqual([1, '', '']);
    }
  });

  it.each([
    ['-f 2 --csv --header', 'n,k\n1,"key/4"\n2,nobody\n3,key/6\n', 'key/4\t2\nkey/6\t3\n'],
    ['--json-field k', '{"k":"key/4"}\n{}\n', 'key/4\t2\n'],
    ['-i --trim KEY/4 -', ' Key/6 \n', 'key/4\t2\nkey/6\t3\n'],
    ['-z', 'key/4\0x\0key/6', 'key/4\t2\0key/6\t3\0'],
  ])('reads keys with %s', async (options, text, expected) => {
    expect(await textOf(`get one ${options}`, text)).toBe(expected);
  });

  it.each(['--load', '--no-load'])('says how many of the answers for a text may be wrong: %s', async (how) => {
    const said = async (line: string, text: string) => (await runOn(text, 'get', how, ...line.split(' '))).stderr;
    const line = /^6,000 lines read, ([\d,]+) kept; expected to be kept wrongly: (\d+)\n$/;
    const found = line.exec(await said('one', ASKED));
    const absent = 6000 - Number(found?.[1]?.replace(',', ''));
    const rate = FuseMap.fromBytes(readFileSync('one')).errorRate;
    expect(Number(found?.[2])).toBe(Math.round(((absent + 1) * rate) / (1 - rate)));
    const none = KEYS.find((key) => !FuseMap.fromBytes(readFileSync('one')).has(`${key}?`));
    expect(await said('one --csv', `${none}?\n`)).toBe('1 record read, 0 kept; expected to be kept wrongly: 0\n');
    const unknown = '1 line read, 1 kept; expected to be kept wrongly: unknown, because every key seems present\n';
    expect(await said('full', 'a\n')).toBe(unknown);
    for (const quiet of ['-q', '--quiet']) expect(await said(`one ${quiet}`, ASKED)).toBe('');
    expect(await said('one key/4', '')).toBe('');
  });

  it.each(['--load', '--no-load'])('gives 2^32 − 1 as a value, and nothing for an empty shard: %s', async (how) => {
    const map = FuseMap.fromBytes(readFileSync('full'));
    const absent = KEYS.find((key) => !map.has(key)) as string;
    expect(await told(`get ${how} full a ${absent} b`)).toEqual([0, 'a\t4294967295\nb\t5\n', '']);
  });

  it('stops at a record that is wrong, after the values before it', async () => {
    const reason = 'bloomery: stdin, line 2 is not JSON: a value is missing at its end\n';
    expect(await told('get one --json-field k', '{"k":"key/4"}\n[\n')).toEqual([2, 'key/4\t2\n', reason]);
  });

  it.each(['get filter a', 'get --no-load filter a'])('%s is refused', async (line) => {
    const message = "'filter' is a classic filter, which has no values: bloomery has looks up its keys";
    writeFileSync('text', 'a\n');
    await told('build text -o filter');
    expect(await told(line)).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe('other commands', () => {
  it('look up the keys of a map', async () => {
    expect(await textOf('has one key/4')).toBe('key/4\n');
    const picked = LINES.join('');
    for (const how of ['--load', '--no-load', '--threads 2']) {
      expect(await textOf(`pick one -f 1 ${how}`, picked)).toBe(picked);
      expect(await told(`omit one -f 1 ${how}`, picked)).toEqual([1, '', '']);
    }
  });

  it('tell what it is', async () => {
    const { fingerprintBits, valueBits, shards, capacity } = FuseMap.fromBytes(readFileSync('several'));
    const facts = { kind: 'fuse-map', capacity, errorRate: 2 ** -7, fingerprintBits, valueBits, shards };
    expect(JSON.parse(await textOf('info several --json'))).toMatchObject(facts);
    const shown =
      /^kind +fuse-map\n[\s\S]*\nshards +8\nfingerprints +7 bits\nvalues +6 bits\n[\s\S]*\nkeys +about 3,000\n/;
    expect(await textOf('info several')).toMatch(shown);
  });
});

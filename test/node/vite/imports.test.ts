// An import of a filter: its query, the filter of its list, and the modules that it becomes.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { FuseMap } from '../../../src/entries/fuse-map.ts';
import { assetKinds } from '../../../src/node/vite/kinds.ts';
import { filterOf } from '../../../src/node/vite/list.ts';
import { bytesText, loadingText } from '../../../src/node/vite/module-text.ts';
import { placeOf } from '../../../src/node/vite/place.ts';
import { bytesIdOf, readQuery, splitAsset } from '../../../src/node/vite/query.ts';
import { kinds } from '../../../tools/entries.ts';
import { temporaryFolder } from '../../cli/run.ts';

const { path: pathIn, remove } = temporaryFolder();
afterAll(remove);

describe('an import of a filter', () => {
  it.each([
    ['./names.txt?bloom', './names.txt', 'bloom'],
    ['/src/a b.txt?bloom&kind=wide', '/src/a b.txt', 'bloom&kind=wide'],
    ['names.txt?kind=fuse&bloom', 'names.txt', 'kind=fuse&bloom'],
  ])('is recognized: %s', (id, path, query) => expect(splitAsset(id)).toEqual({ path, query }));

  const others = ['./names.txt', './names.txt?url', './bloom?raw', './names.txt?blooms', './names.txt?x=bloom'];
  it.each(others)('is not taken for one: %s', (id) => expect(splitAsset(id)).toBeUndefined());

  it.each([
    ['bloom', { kind: 'fuse', errorRate: undefined, engine: 'wasm', isBytes: false }],
    ['errorRate=1e-3&bloom', { kind: 'fuse', errorRate: 1e-3, engine: 'wasm', isBytes: false }],
    ['bloom&engine=js&errorRate=0.5&kind=wide', { kind: 'wide', errorRate: 0.5, engine: 'js', isBytes: false }],
  ])('has a kind, an error rate and an engine, in any order: %s', (query, expected) => {
    expect(readQuery(query)).toEqual(expected);
  });

  it('tells the module with the bytes from that of the filter', () => {
    const id = './names.txt?bloom&kind=wide';
    const bytes = splitAsset(bytesIdOf(id))?.query ?? '';
    expect(readQuery(bytes)).toEqual({ ...readQuery('bloom&kind=wide'), isBytes: true });
  });

  it.each([
    [
      'kind=fuze',
      RangeError,
      'kind must be one of "fuse", "classic", "blocked", "wide", "counting", "cuckoo", "fuse-map", got "fuze"',
    ],
    ['kind=toString', RangeError, 'got "toString"'],
    ['kinds=fuse', TypeError, 'unknown option kinds; the options are bloom, kind, errorRate, engine'],
    ['errorRate=1%25', TypeError, 'errorRate must be a number such as 1e-3, got "1%"'],
    ['errorRate=', TypeError, 'errorRate must be a number such as 1e-3, got ""'],
    ['errorRate=2', RangeError, 'errorRate must be a number between 0 and 1, both excluded, got 2'],
    ['engine=native', RangeError, 'engine must be one of "wasm", "js", got "native"'],
    ['kind=fuse&kind=wide', TypeError, 'kind is given more than once'],
    ['__proto__=1', TypeError, 'unknown option __proto__'],
  ])('with wrong parameters is refused: %s', (parameters, error, message) => {
    const read = (): unknown => readQuery(`bloom&${parameters}`);
    expect(read).toThrow(error);
    expect(read).toThrow(message);
  });
});

it('the kinds of filters that are made of lists are kinds of the package, from its entries', () => {
  const wanted = Object.keys(assetKinds).map((name) => {
    const row = kinds.find((kind) => kind.name === name);
    return { entry: row?.isMain ? 'bloomery' : `bloomery/${row?.name}`, className: row?.className };
  });
  expect(Object.values(assetKinds).map(({ entry, Class }) => ({ entry, className: Class.name }))).toEqual(wanted);
});

const made = (name: string, query = ''): Promise<Uint8Array> => filterOf(pathIn(name), readQuery(`bloom&${query}`));

it('a filter is made again only if the list has changed, and for each list, kind and rate', async () => {
  const queries = ['', 'kind=classic', 'errorRate=1e-3', 'errorRate=1e-3&kind=classic'];
  writeFileSync(pathIn('one.txt'), 'ada\n');
  writeFileSync(pathIn('other.txt'), 'grace\n');
  const all = [...queries.map((query) => () => made('one.txt', query)), () => made('other.txt')];
  const makeAll = (): Promise<Uint8Array[]> => Promise.all(all.map((make) => make()));
  const first = await makeAll();
  expect(new Set(first.map(String)).size).toBe(all.length);
  expect((await makeAll()).map((bytes, i) => bytes === first[i])).toEqual(all.map(() => true));

  writeFileSync(pathIn('one.txt'), 'bob\n');
  const again = await makeAll();
  expect(again.map((bytes, i) => String(bytes) === String(first[i]))).toEqual([false, false, false, false, true]);
});

it.each([
  ['gzip', gzipSync('ada\n'), 'the list is gzip, not a text in UTF-8'],
  ['tar', Buffer.from(`${'a'.repeat(257)}ustar  \0`), 'the list is tar, not a text in UTF-8'],
  ['UTF-16', Buffer.from('\ufeffada\n', 'utf16le'), 'the list is UTF-16, not a text in UTF-8'],
  ['line ends', Buffer.from('ada\rbob\r'), 'the list has carriage returns and no newline, so it is a single line'],
])('a list that is no text of lines is refused by its name: %s', async (_, text, words) => {
  writeFileSync(pathIn('wrong.txt'), text);
  await expect(made('wrong.txt')).rejects.toThrow(`wrong.txt: ${words}`);
});

it('an import is found in its module, in any quotes', () => {
  writeFileSync(pathIn('app.js'), "'./abc';\nimport(`./a`, './b', \"./c\");");
  const positions = ['./a', './b', './c', './d'].map((each) => placeOf(`${pathIn('app.js')}?x`, each)?.position);
  expect(positions).toEqual([...[8, 15, 22].map((column) => ({ line: 2, column })), undefined]);
});

it('a map is made of keys and their values, one pair a line', async () => {
  writeFileSync(pathIn('values.tsv'), '\ufeffada\t0\r\na\t\u2028b\t65535\n\t7\nada\t0\n');
  const expected = FuseMap.from(['ada', 'a\t\u2028b', ''], [0, 65_535, 7], { errorRate: 0.001 }).toBytes();
  expect(await made('values.tsv', 'kind=fuse-map&errorRate=0.001')).toEqual(expected);
  // The largest value leaves no bits for a fingerprint.
  writeFileSync(pathIn('values.tsv'), 'ada\t4294967295');
  await expect(made('values.tsv', 'kind=fuse-map')).rejects.toThrow('fingerprintBits must be 0 with values of 32 bits');
});

it.each([
  ['no tab', 'ada', 2, 'the line must be a key, a tab and an integer from 0 to 4294967295'],
  ['a value that is no integer', 'ada\t1.5', 2, 'the line must be'],
  ['too large a value', 'ada\t4294967296', 2, 'the line must be'],
  ['another value than 0', 'ada\t0\nada\t1', 3, "the key 'ada' has the value 1, and 0 on a line before"],
  ['two values', 'bob\t2\nada\t1', 2, "the key 'bob' has the value 2, and 1 on a line before"],
])('a text without a value for each key is refused with file and line: %s', async (_, lines, line, words) => {
  writeFileSync(pathIn('wrong.tsv'), `bob\t1\n${lines}\n`);
  await expect(made('wrong.tsv', 'kind=fuse-map')).rejects.toThrow(`wrong.tsv:${line}: ${words}`);
});

let modules = 0;

/** Imports a module of this text. The entries of the package are those in dist/. */
async function imported(text: string): Promise<unknown> {
  const file = pathIn(`${modules++}.mjs`);
  const dist = pathToFileURL(resolve('dist/entries')).href;
  writeFileSync(file, text.replaceAll("'bloomery/", `'${dist}/`).replaceAll(/(?<=entries\/\w+)'/g, ".js'"));
  const module: { default: unknown } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  return module.default;
}

/** What the modules under test read. */
const reads: (() => Promise<Uint8Array>)[] = [];
Object.assign(globalThis, { readFilter: () => (reads.shift() as () => Promise<Uint8Array>)() });

const saved = BinaryFuseFilter.from(['ada']).toBytes();

it('the module of a filter reads the file at the first call, shares it, and tries again after a failure', async () => {
  const text = loadingText(readQuery('bloom'), { file: 'globalThis.readFilter()', method: 'fromBytes' });
  reads.push(
    () => Promise.reject(new Error('offline')),
    async () => saved.subarray(1),
    async () => saved,
  );
  const load = (await imported(text)) as () => Promise<BinaryFuseFilter>;
  expect(reads).toHaveLength(3);
  const [first, second] = await Promise.allSettled([load(), load()]);
  expect([first.status, second.status, reads.length]).toEqual(['rejected', 'rejected', 2]);
  await expect(load()).rejects.toThrow('bytes must be a saved filter');
  const filter = await load();
  expect([filter.has('ada'), filter.has('bob'), reads.length]).toEqual([true, false, 0]);
  expect(await load()).toBe(filter);
});

it('the module of the bytes has all of them', async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
  expect(await imported(bytesText(bytes))).toEqual(bytes);
});

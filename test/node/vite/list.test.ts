// The filters of lists that one process makes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filterOf } from '../../../src/node/vite/list.ts';
import { readQuery } from '../../../src/node/vite/query.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bloomery-lists-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes the filter of a list in the folder. */
const made = (name: string, query = ''): Promise<Uint8Array> =>
  filterOf(join(folder, name), readQuery(`bloom&${query}`));

it('a filter is made again only if the list has changed, and for each list, kind and rate', async () => {
  const queries = ['', 'kind=classic', 'errorRate=1e-3', 'errorRate=1e-3&kind=classic'];
  writeFileSync(join(folder, 'one.txt'), 'ada\n');
  writeFileSync(join(folder, 'other.txt'), 'grace\n');
  const all = [...queries.map((query) => () => made('one.txt', query)), () => made('other.txt')];
  const makeAll = (): Promise<Uint8Array[]> => Promise.all(all.map((make) => make()));
  const first = await makeAll();
  expect(new Set(first.map(String)).size).toBe(all.length);
  expect((await makeAll()).map((bytes, i) => bytes === first[i])).toEqual(all.map(() => true));

  writeFileSync(join(folder, 'one.txt'), 'bob\n');
  const again = await makeAll();
  expect(again.map((bytes, i) => String(bytes) === String(first[i]))).toEqual([false, false, false, false, true]);
});

it.each([
  ['gzip', gzipSync('ada\n'), 'the list is gzip, not a text in UTF-8'],
  ['UTF-16', Buffer.from('\ufeffada\n', 'utf16le'), 'the list is UTF-16, not a text in UTF-8'],
  ['line ends', Buffer.from('ada\rbob\r'), 'the list has carriage returns and no newline, so it is a single line'],
])('a list that is no text of lines is refused by its name: %s', async (_, text, words) => {
  writeFileSync(join(folder, 'wrong.txt'), text);
  await expect(made('wrong.txt')).rejects.toThrow(`wrong.txt: ${words}`);
});

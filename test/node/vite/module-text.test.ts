// What the modules do that imports of filters become.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../../src/entries/fuse.ts';
import { bytesText, loadingText } from '../../../src/node/vite/module-text.ts';
import { readQuery } from '../../../src/node/vite/query.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bloomery-text-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let modules = 0;

/** Imports a module of this text. The entries of the package are those in dist/. */
async function imported(text: string): Promise<unknown> {
  const file = join(folder, `${modules++}.mjs`);
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

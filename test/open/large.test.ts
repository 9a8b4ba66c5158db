// Filters of every kind, looked up in their files: the answers to 10^5 keys are those of the loaded filter.

import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { fileSource } from '../../src/file.ts';
import { lines } from '../../src/index.ts';
import { blobSource, openFilter, urlSource } from '../../src/open.ts';
import { temporaryFolder } from '../cli/run.ts';
import { filterOf, loadable, openedKinds } from './filters.ts';
import { respondWith, serve } from './serve.ts';

const { path, remove } = temporaryFolder();
afterAll(remove);

const COUNT = 100_000;
const keys = lines(Buffer.from(Array.from({ length: COUNT }, (_, i) => `key ${i}\n`).join('')));
const half = Array.from({ length: COUNT / 2 }, (_, i) => `key ${2 * i}`);
const file = { bytes: new Uint8Array(), etag: '"1"' };
const served = await serve(respondWith(file));
afterAll(() => served.close());

const plain = openedKinds.filter(({ engine, isKeyed }) => engine.name === 'wasm' && !isKeyed);

describe.each(plain)('many keys in a filter that is not loaded: $name', (row) => {
  it('answers as in memory, from a file, a Blob and a server', async () => {
    const filter = filterOf(row, half, half.length);
    const bytes = filter.toBytes();
    const name = path(`${row.kind}.bloom`);
    writeFileSync(name, bytes);
    file.bytes = bytes;
    const flags = filter.hasMany(keys);
    for (const source of [fileSource(name), blobSource(new Blob([bytes])), urlSource(served.url)]) {
      const opened = await openFilter([loadable(row.Filter)], source);
      expect(Buffer.from(await opened.hasMany(keys)).equals(flags)).toBe(true);
      await opened.close();
    }
    // The filter is full enough to err, and not so full that all keys look present.
    const found = flags.reduce((sum, flag) => sum + flag, 0);
    expect(found).toBeGreaterThan(half.length / 4);
    expect(found).toBeLessThan(0.7 * COUNT);
  });
});

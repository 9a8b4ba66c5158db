import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { by } from '../../src/entries/items.ts';
import { openFilter } from '../../src/entries/open.ts';
import { RotatingBloomFilter } from '../../src/entries/rotating.ts';
import { SpatialBloomFilter } from '../../src/entries/spatial.ts';
import { WideBlockedBloomFilter } from '../../src/entries/wide.ts';
import { BlockedBloomFilter, column, type Keys, lines } from '../../src/index.ts';
import { integersFrom } from '../shared/integers.ts';
import { everyKind } from '../shared/kinds.ts';
import { classes, countingSource, filterOf, isOpened, loadable, openedKinds } from './filters.ts';

const COUNT = 1500;
const strings = Array.from({ length: COUNT }, (_, i) => `clé ${i}`);
const half = strings.filter((_, i) => i % 2 === 0);

afterEach(() => {
  vi.useRealTimers();
});

describe.each(openedKinds)('a filter that is not loaded: $name', (row) => {
  const filter = filterOf(row, half, half.length);
  const file = filter.toBytes();
  // Each range is read by itself.
  const open = (options = {}) => openFilter(classes, countingSource(file, { gap: 0, inFlight: 100 }), options);

  it('answers as in memory, and picks and omits in the shape of the keys', async () => {
    const opened = await open();
    const encoded = strings.map((text) => Buffer.from(text));
    let end = 0;
    const offsets = Int32Array.of(0, ...encoded.map(({ length }) => (end += length)));
    const [hashed] = row.hashKeys(strings, filter.seed);
    const forms: Keys[] = [
      strings,
      encoded,
      lines(Buffer.from(strings.join('\n'))),
      column(Buffer.concat(encoded), offsets),
      hashed,
      Uint32Array.from({ length: 40 }, (_, i) => i),
    ];
    for (const keys of forms) {
      expect(await opened.hasMany(keys)).toEqual(filter.hasMany(keys));
      expect(await opened.pick(keys)).toEqual(filter.pick(keys));
      expect(await opened.omit(keys)).toEqual(filter.omit(keys));
    }
    expect(await opened.pick(strings.values())).toEqual(filter.pick(strings));
    // Full enough to err, and not so full that all keys look present.
    const found = filter.hasMany(strings).reduce((sum, flag) => sum + flag, 0);
    expect(found).toBeGreaterThan(COUNT / 4);
    expect(found).toBeLessThan(0.8 * COUNT);
    for (const key of ['clé 0', 'clé 1', 7, 7n, '', new Uint8Array(3)]) {
      expect(await opened.has(key)).toBe(filter.has(key));
    }
    expect(await opened.hasMany([])).toEqual(new Uint8Array(0));
    const { parameters } = opened;
    const names = ['kind', 'capacity', 'errorRate', 'hashes', 'seed', 'cellName', 'cellCount', 'cellBits'] as const;
    for (const name of names) expect(parameters[name], name).toBe(filter[name]);
    // The file of an exact set has its fingerprints alone.
    const byteLength = row.isExact ? file.length - 64 : filter.byteLength;
    expect(parameters).toMatchObject({ byteLength, shards: 'shards' in filter ? filter.shards : 1 });
    await opened.verify();
    await opened.close();
  });

  it.each([0, 4096, 2 ** 20])('answers calls that overlap, with a cache of %i bytes', async (cacheBytes) => {
    const opened = await open({ cacheBytes });
    const some = Array.from({ length: 12 }, (_, i) => strings.slice(100 * i, 100 * i + 150));
    const calls = some.flatMap((keys) => [opened.pick(keys), opened.omit(lines(Buffer.from(keys.join('\n'))))]);
    const wanted = some.flatMap((keys) => [filter.pick(keys), filter.omit(lines(Buffer.from(keys.join('\n'))))]);
    expect(await Promise.all(calls)).toEqual(wanted);
  });

  it('answers as in memory, whatever the parameters', async () => {
    const asked = strings.slice(0, 300);
    const property = fc.asyncProperty(row.anyOptions, fc.integer({ min: 0, max: 80 }), async (options, count) => {
      using made = row.Filter.from(strings.slice(0, count), options);
      const opened = await openFilter(classes, countingSource(made.toBytes(), { gap: 0, inFlight: 100 }));
      expect(await opened.hasMany(asked)).toEqual(made.hasMany(asked));
      await opened.close();
    });
    await fc.assert(property, { seed: 5, numRuns: 15 });
  });
});

describe('files of every kind', () => {
  it('are asked for keys in parts, of some ten thousand each', async () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => `key ${i}`);
    const filter = BlockedBloomFilter.from(keys.filter((_, i) => i % 2 === 0));
    const opened = await openFilter([BlockedBloomFilter], countingSource(filter.toBytes()));
    const forms: Keys[] = [keys, lines(Buffer.from(keys.join('\n'))), by(new Set(keys), String)];
    for (const form of forms) {
      expect(Buffer.compare(await opened.hasMany(form), filter.hasMany(form))).toBe(0);
      expect(await opened.pick(form)).toEqual(filter.pick(form));
      expect(await opened.omit(form)).toEqual(filter.omit(form));
    }
  });

  it('with tombstones are refused', async () => {
    const source = countingSource(readFileSync('test/golden/tombstone-static.blmy'));
    const message = /it is a tombstone filter, and openFilter does not take it: load it with fromBytes or fromChunks$/;
    await expect(openFilter(classes, source)).rejects.toThrow(message);
    expect(source.closes).toBe(1);
  });

  it('on the other engine and under a secret are answered as they are in memory', async () => {
    for (const row of everyKind) {
      if (!isOpened(row) || (row.engine.name === 'wasm' && !row.isKeyed)) continue;
      const filter = filterOf(row, half.slice(0, 40), 40);
      const opened = await openFilter([loadable(row.Filter)], countingSource(filter.toBytes()));
      expect([row.name, await opened.hasMany(strings)]).toEqual([row.name, filter.hasMany(strings)]);
      await opened.close();
    }
  });

  it("with 16-bit labels, with the keys' length as the seed, and with a window are answered as in memory", async () => {
    const wide = new WideBlockedBloomFilter({ bits: 8192, seed: 8 }).addMany(integersFrom(0, 100));
    const openedWide = await openFilter([WideBlockedBloomFilter], countingSource(wide.toBytes()));
    expect(await openedWide.hasMany(integersFrom(0, 200))).toEqual(wide.hasMany(integersFrom(0, 200)));
    const spatial = new SpatialBloomFilter({ cells: 401, hashes: 3, labels: 40_000 }).addMany(half.slice(0, 60), 300);
    const opened = await openFilter([SpatialBloomFilter], countingSource(spatial.toBytes()));
    expect(await opened.hasMany(strings)).toEqual(spatial.hasMany(strings));
    vi.useFakeTimers({ now: 1e12, toFake: ['Date'] });
    const recent = new RotatingBloomFilter({ capacity: 300, window: 3000, generations: 4 });
    for (let generation = 0; generation < 4; generation++) {
      recent.addMany(strings.slice(70 * generation, 70 * (generation + 1)));
      // Each look is at exactly the end of a generation's share.
      if (generation < 3) vi.setSystemTime(Date.now() + 1000);
    }
    const file = recent.toBytes();
    const remembered: number[] = [];
    for (let time = 0; time < 6; time++) {
      const loaded = RotatingBloomFilter.fromBytes(file);
      const later = await openFilter([RotatingBloomFilter], countingSource(file));
      const flags = await later.hasMany(strings.slice(0, 280));
      expect(flags).toEqual(loaded.hasMany(strings.slice(0, 280)));
      remembered.push(flags.reduce((sum, flag) => sum + flag, 0));
      vi.setSystemTime(Date.now() + 1000);
    }
    expect(remembered[0]).toBeGreaterThan(200);
    expect(remembered.at(-1)).toBe(0);
    expect(new Set(remembered).size).toBeGreaterThan(3);
  });
});

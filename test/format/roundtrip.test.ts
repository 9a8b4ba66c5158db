// Files of classic filters, which are saved and loaded as those of all kinds are; and the choice of a class for a file.
// test/filters/every-kind.test.ts has small files of every kind.

import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type LoadableClass, loadAny } from '../../src/entries/load.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { BloomFilter as Filter } from '../../src/index.ts';
import { importName } from '../../tools/entries.ts';
import { integersFrom } from '../shared/integers.ts';
import { entries, everyKind } from '../shared/kinds.ts';
import { classOn, watched } from '../shared/open.ts';
import { concat } from '../shared/stream-tools.ts';
import { u8 } from './refusal.ts';
import { asynchronous, forge, HEADER, keysOf, layoutOf, MIB, splitAt } from './saved.ts';

describe('a saved filter of more than a part', () => {
  it.each([
    ['one', new Filter({ bits: 8 * MIB, hashes: 3 })],
    ['a byte more than one', new Filter({ bits: 8 * MIB + 1, hashes: 3 })],
    ['several, the last one short', new Filter({ bits: 18 * MIB + 251, hashes: 3 })],
    ['several in each of several segments', new ScalableBloomFilter({ capacity: 10_000, errorRate: 1e-70 })],
  ])('is saved part by part, and loaded from chunks of any size: %s', async (_, filter) => {
    const keys = integersFrom(0, 25_000);
    filter.addMany(keys);
    const saved = filter.toBytes();
    const chunks = [...filter.toChunks()];
    const [bodyAt, segments] = layoutOf(saved);
    const partsOf = (length: number): number[] => [...Array<number>(Math.floor(length / MIB)).fill(MIB), length % MIB];
    const parts = segments.flatMap(partsOf).filter((length) => length > 0);
    expect(chunks.map(({ length }) => length)).toEqual([bodyAt, ...parts]);
    expect(Buffer.compare(concat(chunks), saved)).toBe(0);
    for (const size of [65_537, MIB + 1, 3 * MIB]) {
      const ends = Array.from({ length: Math.floor(saved.length / size) }, (_end, i) => (i + 1) * size);
      const Class = filter.constructor as typeof Filter;
      using read = Class.fromChunks(splitAt(saved, ends));
      using later = await Class.fromChunks(asynchronous(splitAt(saved, ends)));
      for (const loaded of [read, later]) {
        expect(Buffer.compare(loaded.toBytes(), saved)).toBe(0);
        // The memory has grown since the filter was made. A view taken before it grew would find nothing.
        expect(loaded.omit(keys)).toEqual(new Uint32Array(0));
      }
    }
  });

  it.each(entries)('is copied once it is read only if it shares its memory: $name', ({ engine, api }) => {
    const { most } = engine.sharing;
    for (const [length, copies] of [
      [most, 1],
      [most + 1, 0],
    ] as const) {
      const { engine: own, regions } = watched(engine);
      const saved = new api.BloomFilter({ bits: 8 * length, hashes: 1 }).toBytes();
      classOn(api.BloomFilter, own).fromChunks([saved]).dispose();
      expect(regions.length).toBe(1 + copies);
    }
  });
});

describe('a saved filter', () => {
  const filter = new Filter({ bits: 5000, hashes: 3 }).addMany(keysOf(20));
  const saved = filter.toBytes();

  it('is the only form that can be copied: JSON is refused, and a structured clone is empty', () => {
    const message = 'a filter has no JSON form: use toBytes(), in base64 if it must be text';
    expect(() => JSON.stringify(filter)).toThrow(new TypeError(message));
    expect(() => JSON.stringify({ seen: [filter] })).toThrow(new TypeError(message));
    expect(structuredClone(filter)).toEqual({});
  });

  it('may be an ArrayBuffer, also of another realm', () => {
    const { buffer } = filter.toBytes();
    const foreign: ArrayBuffer = runInNewContext('new ArrayBuffer(length)', { length: saved.length });
    new Uint8Array(foreign).set(saved);
    for (const given of [buffer, foreign]) {
      for (const read of [Filter.fromBytes(given), loadAny([Filter], given), entries[0].api.load(given)]) {
        expect(read.toBytes()).toEqual(saved);
      }
    }
    structuredClone(buffer, { transfer: [buffer] });
    expect(() => Filter.fromBytes(buffer)).toThrow(TypeError);
  });

  it('is loaded byte by byte, with empty chunks in between, from one reused buffer', () => {
    function* bytewise() {
      const chunk = new Uint8Array(1);
      for (const byte of saved) {
        yield chunk.subarray(1);
        chunk[0] = byte;
        yield chunk;
      }
      yield new Uint8Array();
    }
    expect(Filter.fromChunks(bytewise()).toBytes()).toEqual(saved);
  });

  it('is loaded while others are, none of which affects another', async () => {
    const made = (bits: number, i: number) => new Filter({ bits, hashes: 3 }).addMany(keysOf(100 + i));
    const files = [300, 3_000_000, 301, 3_000_001].map((bits, i) => made(bits, i).toBytes());
    const chunksOf = (file: Uint8Array) => splitAt(file, [10, HEADER + 6, 90, file.length >> 1]);
    const read = await Promise.all(files.map((file) => Filter.fromChunks(asynchronous(chunksOf(file)))));
    for (const [i, file] of files.entries()) expect(Buffer.compare(read[i]?.toBytes() ?? Buffer.of(), file)).toBe(0);
  });
});

describe.each(entries)('load and loadAny: $name', ({ name, api, engine }) => {
  const main = [api.BloomFilter, api.BlockedBloomFilter, api.CountingBloomFilter];
  const files = everyKind
    .filter((row) => !row.isKeyed && row.engine.name === engine.name && row.kind !== 'tombstone')
    .map(({ kind, Filter: Class }) => ({ kind, Class, file: Class.from(['a']).toBytes() }));
  const [classic, blocked] = files.map(({ file }) => file) as [Uint8Array, Uint8Array];

  it('choose the class of the kind, and name the entry of one that they lack', async () => {
    for (const { kind, Class, file } of files) {
      const own = main.find((each) => each.kind === kind);
      const classes = [own ?? Class, kind === 'classic' ? api.BlockedBloomFilter : api.BloomFilter] as LoadableClass[];
      const chunks = splitAt(file, [1, 64, 65]);
      const inChunks = [loadAny(classes, chunks), await loadAny(classes, asynchronous(chunks))];
      for (const read of [...(own ? [api.load(file)] : []), loadAny(classes.reverse(), file), ...inChunks]) {
        expect(read).toBeInstanceOf(own ?? Class);
        expect(read.toBytes()).toEqual(file);
      }
      if (own) continue;
      const entry = importName(name === 'js' ? `${kind}/js` : kind);
      expect(() => api.load(file)).toThrow(
        `bytes must be a saved filter: it is a ${kind} filter, and none of BloomFilter, BlockedBloomFilter, ` +
          `CountingBloomFilter: import its class from '${entry}', and give it to loadAny of '${importName('load')}'`,
      );
    }
    // `map` passes more arguments.
    expect([classic, blocked].map(api.load).length).toBe(2);
    const entry = importName(name === 'js' ? 'js' : '');
    for (const { kind, file } of files.slice(1, 3)) {
      expect(() => loadAny([api.BloomFilter], file)).toThrow(
        `it is a ${kind} filter, and none of BloomFilter: import its class from '${entry}', and give it to loadAny`,
      );
    }
    expect(() => api.load(forge(classic, u8(5, 99)))).toThrow(/its kind is 99, and none of BloomFilter, Blocked/);
  });

  it.each<[classes: unknown, message: RegExp]>([
    ...[undefined, null, 0, api.BloomFilter, {}].map((wrong) => [wrong, /, got (?!an empty)/] as [unknown, RegExp]),
    [[], /, got an empty one$/],
    [[Map], /^classes\[0\] must be a class of filters, got a function$/],
    [['classic'], /^classes\[0\] must be a class of filters, got "classic"$/],
    [[api.BloomFilter, null], /^classes\[1\] must be a class of filters, got null$/],
  ])('refuse what is no list of classes: %#', (classes, message) => {
    expect(() => loadAny(classes as never, classic)).toThrow(TypeError);
    expect(() => loadAny(classes as never, classic)).toThrow(/^classes(\[\d\])? must be an? (array of )?class/);
    expect(() => loadAny(classes as never, classic)).toThrow(message);
  });
});

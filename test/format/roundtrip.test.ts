import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadAny } from '../../src/entries/load.ts';
import { importName } from '../../tools/entries.ts';
import { entries, kindOn } from '../shared/kinds.ts';
import { concat } from '../shared/stream-tools.ts';
import { asynchronous, filled, forge, HEADER, keysOf, MIB, readers, splitAt } from './saved.ts';

describe.each(readers)('a saved filter: $kind', (reader) => {
  const { kind, Filter, Twin, blockCells, cellBits, load } = reader;

  it('is loaded byte for byte by the other engine, of any number of cells', () => {
    const cells = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(cells, fc.integer({ min: 0, max: 500 }), (m, count) => {
        using filter = filled(reader, m, count);
        const saved = filter.toBytes();
        using read = Twin.fromBytes(saved);
        expect(concat(filter.toChunks())).toEqual(saved);
        expect(read.toBytes()).toEqual(saved);
        expect(concat(read.toChunks())).toEqual(saved);
        expect([read.fillRatio(), read.estimateCount()]).toEqual([filter.fillRatio(), filter.estimateCount()]);
        expect(read.engine).toBe('js');
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  it('keeps its capacity, error rate and seed', () => {
    for (const options of [
      { capacity: 1 },
      { capacity: 1234, errorRate: 0.0123 },
      { capacity: 77, errorRate: 1e-5, seed: 2 ** 32 - 1 },
      { capacity: 50_000, errorRate: 0.9999, seed: 1 },
    ]) {
      const filter = new Filter(options);
      const { capacity, errorRate, seed, hashes, byteLength } = filter;
      const read = Twin.fromBytes(filter.toBytes());
      expect(read).toMatchObject({ capacity, errorRate, seed, hashes, byteLength });
      expect(read).toMatchObject(options);
    }
  });

  it('is loaded as the right class by load', () => {
    for (const engine of ['wasm', 'js']) {
      const read = load(filled(kindOn(kind, engine), 100, 5).toBytes());
      expect(read).toBeInstanceOf(Filter);
      expect(read.kind).toBe(kind);
    }
  });

  it.each([MIB, MIB + 64, 2.25 * MIB + 32])('may have a body of %d bytes', async (wanted) => {
    const blockBytes = (blockCells * cellBits) / 8;
    const bytes = Math.ceil(wanted / blockBytes) * blockBytes;
    const filter = filled(reader, (8 * bytes) / cellBits, 30_000);
    const added = keysOf(1000);
    expect(filter.byteLength).toBe(bytes);
    const chunks = [...filter.toChunks()];
    const whole = Array.from({ length: Math.floor(bytes / MIB) }, () => MIB);
    const last = bytes % MIB === 0 ? [] : [bytes % MIB];
    expect(chunks.map(({ length }) => length)).toEqual([HEADER, ...whole, ...last]);
    const saved = filter.toBytes();
    expect(Buffer.compare(concat(chunks), saved)).toBe(0);
    for (const size of [65_537, MIB + 1, 3 * MIB]) {
      const ends = Array.from({ length: Math.floor(saved.length / size) }, (_, i) => (i + 1) * size);
      using read = Filter.fromChunks(splitAt(saved, ends));
      using later = await Filter.fromChunks(asynchronous(splitAt(saved, ends)));
      for (const loaded of [read, later]) {
        expect(Buffer.compare(loaded.toBytes(), saved)).toBe(0);
        // The memory has grown since the filter was made. A view taken before it grew would find nothing.
        expect(loaded.hasMany(added)).toEqual(new Uint8Array(added.length).fill(1));
      }
    }
  });
});

describe('a saved filter', () => {
  const { Filter, sized } = kindOn('classic', 'wasm');
  const filter = sized({ cells: 5000, hashes: 3 }).addMany(keysOf(20));
  const saved = filter.toBytes();

  it('goes to another thread with its buffer, which is transferred and has no other content', () => {
    const given = saved.slice();
    const sent = structuredClone(given, { transfer: [given.buffer] });
    expect([given.length, sent.buffer.byteLength]).toEqual([0, saved.length]);
    expect(Filter.fromBytes(sent).toBytes()).toEqual(saved);
    expect(Filter.fromBytes(Buffer.from(Buffer.from(saved).toString('base64'), 'base64')).toBytes()).toEqual(saved);
  });

  it('is the only form that can be copied: JSON is refused, and a structured clone is empty', () => {
    const message = 'a filter has no JSON form: use toBytes(), in base64 if it must be text';
    expect(() => JSON.stringify(filter)).toThrow(new TypeError(message));
    expect(() => JSON.stringify({ seen: [filter] })).toThrow(new TypeError(message));
    expect(structuredClone(filter)).toEqual({});
  });

  it('may be anywhere in a buffer, which is not kept, and can be changed independently', () => {
    const buffer = new Uint8Array(saved.length + 30);
    buffer.set(saved, 13);
    const read = Filter.fromBytes(buffer.subarray(13, 13 + saved.length));
    buffer.fill(255);
    expect(read.toBytes()).toEqual(saved);
    read.addMany(keysOf(40));
    expect(read.omit(keysOf(40))).toEqual([]);
    expect(filter.toBytes()).toEqual(saved);
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
    const files = readers.flatMap((reader) =>
      [300, 3_000_000].map((cells) => ({ reader, file: filled(reader, cells, 100).toBytes() })),
    );
    const read = await Promise.all(
      files.map(({ reader, file }) =>
        reader.Filter.fromChunks(asynchronous(splitAt(file, [10, 70, 90, file.length >> 1]))),
      ),
    );
    for (const [i, { file }] of files.entries())
      expect(Buffer.compare(read[i]?.toBytes() ?? Buffer.of(), file)).toBe(0);
  });
});

describe.each(entries)('load and loadAny: $name', ({ name, api }) => {
  const files = readers
    .map(({ kind }) => kindOn(kind, name))
    .map((reader) => ({ ...reader, file: filled(reader, 3000, 50).toBytes() }));
  const isOfEntry = ({ Filter }: { Filter: unknown }): boolean => (Object.values(api) as unknown[]).includes(Filter);
  const isMain = ({ kind }: { kind: string }): boolean => ['classic', 'blocked', 'counting'].includes(kind);

  it('load knows the kinds of its entry', () => {
    for (const { Filter, file } of files.filter(isOfEntry)) expect(api.load(file)).toBeInstanceOf(Filter);
    // `map` passes more arguments.
    expect(
      files
        .filter(isOfEntry)
        .map(({ file }) => file)
        .map(api.load).length,
    ).toBe(3);
    const others = files.filter((each) => !isMain(each));
    expect(others.length).toBeGreaterThan(0);
    for (const { kind, file } of others) {
      const entry = importName(name === 'js' ? `${kind}/js` : kind);
      expect(() => api.load(file)).toThrow(RangeError);
      expect(() => api.load(file)).toThrow(
        `bytes must be a saved filter: it is a ${kind} filter, and none of BloomFilter, BlockedBloomFilter, ` +
          `CountingBloomFilter: import its class from '${entry}', and give it to loadAny of '${importName('load')}'`,
      );
    }
    const unknown = forge(files[0]?.file ?? new Uint8Array(), (view) => view.setUint8(5, 99));
    expect(() => api.load(unknown)).toThrow(/its kind is 99, and none of BloomFilter, BlockedBloomFilter, Counting/);
  });

  it('an ArrayBuffer is as good as its bytes', () => {
    for (const { Filter, file } of files) {
      const buffer = file.slice().buffer;
      const classes = [Filter as object as typeof api.BloomFilter];
      expect(Filter.fromBytes(buffer).toBytes()).toEqual(file);
      expect(loadAny(classes, buffer).toBytes()).toEqual(file);
      // One of another realm.
      const foreign: ArrayBuffer = runInNewContext('new ArrayBuffer(length)', { length: file.length });
      new Uint8Array(foreign).set(file);
      expect(Filter.fromBytes(foreign).toBytes()).toEqual(file);
      structuredClone(buffer, { transfer: [buffer] });
      expect(() => Filter.fromBytes(buffer)).toThrow(TypeError);
      expect(() => Filter.fromBytes(new DataView(file.buffer) as never)).toThrow(/^bytes must be a Uint8Array, got /);
    }
    const classic = files.find(({ kind }) => kind === 'classic')?.file.slice() ?? new Uint8Array();
    expect(api.load(classic.buffer).toBytes()).toEqual(classic);
  });

  it('loadAny chooses from the classes given', async () => {
    for (const { kind, Filter, file } of files) {
      const other = kind === 'classic' ? api.BlockedBloomFilter : api.BloomFilter;
      const classes = [other as typeof api.BloomFilter, Filter as object as typeof api.BloomFilter];
      const chunks = splitAt(file, [1, 64, 65]);
      for (const read of [
        loadAny(classes, file),
        loadAny(classes, chunks),
        await loadAny(classes, asynchronous(chunks)),
      ]) {
        expect(read).toBeInstanceOf(Filter);
        expect(read.toBytes()).toEqual(file);
      }
    }
    const [, blocked] = files;
    const main = importName(name === 'js' ? 'js' : '');
    expect(() => loadAny([api.BloomFilter], blocked?.file ?? new Uint8Array())).toThrow(
      `it is a blocked filter, and none of BloomFilter: import its class from '${main}', and give it to loadAny`,
    );
  });

  it('loadAny refuses what is no list of classes, and what is no file', () => {
    const file = files[0]?.file ?? new Uint8Array();
    const wrongs: [unknown, RegExp][] = [
      ...[undefined, null, 0, api.BloomFilter, {}].map((wrong): [unknown, RegExp] => [
        wrong,
        /^classes must be an array of classes of filters, got (?!an empty)/,
      ]),
      [[], /^classes must be an array of classes of filters, got an empty one$/],
      [[Map], /^classes\[0\] must be a class of filters, got a function$/],
      [['classic'], /^classes\[0\] must be a class of filters, got "classic"$/],
      [[api.BloomFilter, null], /^classes\[1\] must be a class of filters, got null$/],
    ];
    for (const [classes, message] of wrongs) {
      expect(() => loadAny(classes as never, file)).toThrow(TypeError);
      expect(() => loadAny(classes as never, file)).toThrow(message);
    }
    for (const wrong of [undefined, null, 7, 'BLMY', {}]) {
      expect(() => loadAny([api.BloomFilter], wrong as never)).toThrow(TypeError);
      expect(() => loadAny([api.BloomFilter], wrong as never)).toThrow(/^chunks must be an iterable or async iterable/);
    }
  });
});

import { openAsBlob, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadAny } from '../../src/entries/load.ts';
import { addLines, BloomFilter, type ByteSource, fileStream } from '../../src/index.ts';
import { readSource } from '../../src/util/byte-source.ts';
import { temporaryFolder } from '../cli/run.ts';
import { inChunks, readAll, sourceOf, text } from '../shared/stream-tools.ts';

const MIB = 2 ** 20;
const { path: pathIn, remove } = temporaryFolder();
afterAll(remove);

/** A stream that `for await` cannot read, as in WebKit. */
function withoutIterator(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return { getReader: stream.getReader.bind(stream) } as object as ReadableStream<Uint8Array>;
}

/** What gives these bytes in chunks, of every kind. */
const sources: [string, (bytes: Uint8Array<ArrayBuffer>) => ByteSource | Promise<ByteSource>][] = [
  ['a stream', (bytes) => sourceOf(inChunks(bytes, 7))],
  ['a stream without an iterator', (bytes) => withoutIterator(sourceOf(inChunks(bytes, 7)))],
  ['a stream of Node', (bytes) => Readable.from(inChunks(bytes, 7))],
  [
    'an async iterable',
    async function* (bytes) {
      yield* inChunks(bytes, 7);
    },
  ],
  ['a Blob', (bytes) => new Blob([bytes])],
  ['a File', (bytes) => new File([bytes], 'a.txt')],
  [
    'a file of the disk',
    (bytes) => {
      const path = pathIn(`${bytes.length}`);
      writeFileSync(path, bytes);
      return openAsBlob(path);
    },
  ],
  ['a Response', (bytes) => new Response(bytes)],
  ['the body of a Response', (bytes) => new Response(bytes).body as ReadableStream<Uint8Array>],
  [
    'a response of another library, whose body is a stream of Node',
    (bytes) => ({ ok: true, status: 200, bodyUsed: false, body: Readable.from(inChunks(bytes, 7)) }),
  ],
];

const waysOf = (filter: BloomFilter, source: Blob | Response) => [
  () => addLines(filter, source),
  () => BloomFilter.fromChunks(source),
  () => loadAny([BloomFilter], source),
];

/** A blob, the slices of it that are read, and an error for those beyond its first `readable` bytes. */
function watchedBlob(length: number, readable = length) {
  const blob = new Blob([new Uint8Array(length).fill(10)]);
  const slice = blob.slice.bind(blob);
  const read: [start: number, end: number][] = [];
  const error = new DOMException('the file has changed', 'NotReadableError');
  blob.slice = (start = 0, end = length) => {
    read.push([start, end]);
    const part = slice(start, end);
    if (end > readable) part.arrayBuffer = () => Promise.reject(error);
    return part;
  };
  return { blob, read, error };
}

it.each(sources)('%s gives lines to addLines, and a filter to fromChunks and loadAny', async (_, open) => {
  const filter = new BloomFilter({ capacity: 100, errorRate: 1e-6 });
  expect(await addLines(filter, await open(text('ada\nalan\r\ngrace')))).toEqual({ bytes: 15, lines: 3, kept: 3 });
  expect(filter.omit(['ada', 'alan', 'grace', 'bob'])).toEqual(['bob']);
  expect(await addLines(filter, await open(new Uint8Array(0)))).toEqual({ bytes: 0, lines: 0, kept: 0 });
  const saved = filter.toBytes();
  expect((await BloomFilter.fromChunks(await open(saved))).toBytes()).toEqual(saved);
  expect((await loadAny([BloomFilter], await open(saved))).toBytes()).toEqual(saved);
  const load = async (bytes: Uint8Array<ArrayBuffer>) => BloomFilter.fromChunks(await open(bytes));
  await expect(load(text('no filter'))).rejects.toThrow(/^bytes must be a saved filter/);
  await expect(load(new Uint8Array(0))).rejects.toThrow(RangeError);
});

it.each([
  ...[Number.NaN, -1, 3.5, Infinity, 2 ** 53].map((size) => [size, RangeError] as const),
  ...['4', 4n, undefined].map((size) => [size, TypeError] as const),
])('a blob whose size is no number of bytes is refused: %s', async (size, Expected) => {
  const blob = Object.defineProperty(new Blob(['ada\n']), 'size', { value: size });
  const filter = new BloomFilter({ capacity: 10 });
  expect(() => fileStream(blob)).toThrow(Expected);
  for (const read of waysOf(filter, blob)) {
    await expect(read()).rejects.toThrow(Expected);
    await expect(read()).rejects.toThrow(/^the size of a blob must be an integer from 0 to 9007199254740991, got /);
  }
  expect(filter.fillRatio()).toBe(0);
});

it('an async iterable is read only when a chunk is asked for, so that it can use its memory again', async () => {
  const chunk = new Uint8Array(1);
  const three = async function* () {
    while (chunk[0] !== 3) yield chunk.fill((chunk[0] as number) + 1);
  };
  const taken: number[] = [];
  await readSource(three(), async (each) => {
    await new Promise((resolve) => setImmediate(resolve));
    taken.push(...each);
  });
  expect(taken).toEqual([1, 2, 3]);
});

describe('fileStream', () => {
  it.each([
    [0, []],
    [8 * MIB, [8 * MIB]],
    [17 * MIB, [8 * MIB, 8 * MIB, MIB]],
  ])('cuts a file of %i bytes into slices of 8 MiB', async (length, lengths) => {
    const chunks = await readAll(fileStream(new Blob([new Uint8Array(length)])));
    expect(chunks.map((chunk) => chunk.length)).toEqual(lengths);
  });

  it('reads a slice only when it is asked for', async () => {
    const { blob, read } = watchedBlob(20 * MIB);
    const reader = fileStream(blob).getReader();
    const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await rest();
    expect(read).toEqual([]);
    await reader.read();
    await rest();
    expect(read).toEqual([[0, 8 * MIB]]);
    await reader.read();
    await reader.cancel();
    await rest();
    expect(read.length).toBe(2);
  });

  it('fails if a slice is shorter than it should be, as in Bun after the file has been cut', async () => {
    const blob = new Blob([new Uint8Array(9 * MIB)]);
    const slice = blob.slice.bind(blob);
    blob.slice = (start, end) => (start === 0 ? slice(start, end) : new Blob());
    const reader = fileStream(blob).getReader();
    expect((await reader.read()).value?.length).toBe(8 * MIB);
    await expect(reader.read()).rejects.toMatchObject({ name: 'NotReadableError' });
  });

  it('fails if an empty file cannot be read, as in Bun if it does not exist', async () => {
    const missing = new Blob();
    const error = new Error('ENOENT');
    missing.arrayBuffer = () => Promise.reject(error);
    await expect(fileStream(missing).getReader().read()).rejects.toBe(error);
    await expect(addLines(new BloomFilter({ capacity: 10 }), missing)).rejects.toBe(error);
  });

  const wrongs: unknown[] = [undefined, null, 'a.txt', {}, new ArrayBuffer(8), [[1]], new Response('a')];
  it.each(wrongs)('refuses what is not a file: %s', (wrong) => {
    expect(() => fileStream(wrong as never)).toThrow(/^blob must be a Blob or File, got /);
  });
});

it('a file that cannot be read ends addLines with its error, after the lines before, and fromChunks', async () => {
  const { blob, error } = watchedBlob(20 * MIB, 16 * MIB);
  const filter = new BloomFilter({ capacity: 10 });
  let bytes = 0;
  const onProgress = (progress: { bytes: number }): void => {
    bytes = progress.bytes;
  };
  await expect(addLines(filter, blob, { onProgress })).rejects.toBe(error);
  expect(bytes).toBe(16 * MIB);
  const broken = watchedBlob(100, 0);
  await expect(BloomFilter.fromChunks(broken.blob)).rejects.toBe(broken.error);
});

describe('a response that is not one of a file', () => {
  const used = async (): Promise<Response> => {
    const response = new Response('ada\n');
    await response.text();
    return response;
  };
  const begun = async (): Promise<Response> => {
    const response = new Response('ada\n');
    const reader = response.body?.getReader();
    await reader?.read();
    reader?.releaseLock();
    return response;
  };

  it.each<[string, () => Response | Promise<Response>, string]>([
    ['an error page', () => new Response('ada\n', { status: 404 }), 'status 404'],
    ['no access to the status', () => Response.error(), 'status 0'],
    ['no body', () => new Response(null, { status: 204 }), 'no body'],
    ['a body that was read', used, 'a used body'],
    ['a body of which a part was read', begun, 'a used body'],
  ])('is refused: %s', async (_, make, got) => {
    const message = `a response must be OK and have an unused body, got ${got}`;
    const filter = new BloomFilter({ capacity: 10 });
    for (const i of [0, 1, 2]) {
      const response = await make();
      await expect(waysOf(filter, response)[i]?.()).rejects.toThrow(new RangeError(message));
      // It can still be read, for what the error says.
      if (got === 'status 404') expect(await response.text()).toBe('ada\n');
    }
    expect(filter.fillRatio()).toBe(0);
  });

  it('is refused if it is a request', async () => {
    const request = new Request('https://example.org/', { method: 'POST', body: 'ada\n' });
    const filter = new BloomFilter({ capacity: 10 });
    await expect(addLines(filter, request as never)).rejects.toThrow(/^source must be .*got an object \(Request\)/);
    expect(() => BloomFilter.fromChunks(request as never)).toThrow(/^chunks must be /);
  });
});

it.each([
  ['at once', () => {}],
  ['never', () => new Promise<void>(() => {})],
  ['with another error', () => Promise.reject(new Error('from cancel'))],
])('a stream that holds no filter, or no text, is canceled, which ends %s', async (_, cancel) => {
  const canceled = vi.fn(cancel);
  const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(Uint8Array.of(0x1f, 0x8b, 10));
  const stream = (): ReadableStream<Uint8Array> => new ReadableStream({ pull, cancel: canceled });
  const addTo = new BloomFilter({ capacity: 10 });
  for (const read of [BloomFilter.fromChunks.bind(BloomFilter), addLines.bind(undefined, addTo)]) {
    const given = stream();
    const error = await Promise.resolve(read(given)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(given.locked).toBe(false);
    expect(canceled).toHaveBeenLastCalledWith(error);
  }
  expect(canceled).toHaveBeenCalledTimes(2);
});

it('fromChunks takes a list of chunks for what it is, whatever else it can do', () => {
  class List extends Set<Uint8Array> {
    slice(): this {
      return this;
    }
  }
  const chunks = new List(inChunks(BloomFilter.from(['ada']).toBytes(), 7));
  expect(BloomFilter.fromChunks(chunks).has('ada')).toBe(true);
});

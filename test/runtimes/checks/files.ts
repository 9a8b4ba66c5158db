// Files, responses and streams as sources of lines and of saved filters, and `using`.

import { addLines, BloomFilter, fileStream, lines, pickLines } from 'bloomery';
import { loadAny } from 'bloomery/load';
import { concat, readAll, sourceOf, text } from '../../shared/stream-tools.ts';
import { errorOf, holds, same, sameBytes, sameList } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const SLICE_BYTES = 8 * 2 ** 20;

const list = text(Array.from({ length: 5000 }, (_, i) => `line 漢 ${i}${i % 2 === 0 ? '\n' : '\r\n'}`).join(''));

type Source = ReadableStream<Uint8Array> | Blob | Response;

/** What gives these bytes, of every kind that this runtime has. */
function sourcesOf(bytes: Uint8Array<ArrayBuffer>): [string, Source][] {
  return [
    ['Blob', new Blob([bytes])],
    ...(typeof File === 'undefined' ? [] : [['File', new File([bytes], 'a.txt')] as [string, Source]]),
    ['Blob.stream()', new Blob([bytes]).stream()],
    ['fileStream', fileStream(new Blob([bytes]))],
    ['Response', new Response(bytes)],
    ['Response.body', new Response(bytes).body as ReadableStream<Uint8Array>],
    ['stream', sourceOf([bytes])],
  ];
}

/** A Blob, and where it has been read. A function, because not every runtime has a Blob. */
function watchedBlob(parts: Uint8Array<ArrayBuffer>[]): { readonly blob: Blob; readonly starts: readonly number[] } {
  const starts: number[] = [];
  class WatchedBlob extends Blob {
    override slice(start?: number, end?: number): Blob {
      starts.push(start ?? 0);
      return super.slice(start, end);
    }
  }
  return { blob: new WatchedBlob(parts), starts };
}

async function checkSources({ Filter }: KindOnEngine): Promise<void> {
  const options = { capacity: 10_000 };
  const saved = Filter.from(lines(list), options).toBytes();
  for (const [name, source] of sourcesOf(list)) {
    const filter = new Filter(options);
    same((await addLines(filter, source)).lines, 5000, `lines of ${name}`);
    sameBytes(filter.toBytes(), saved, `made of ${name}`);
  }
  for (const [name, source] of sourcesOf(saved)) {
    sameBytes((await Filter.fromChunks(source as never)).toBytes(), saved, `loaded from ${name}`);
  }
  const loaded = await loadAny([Filter as never], new Response(saved));
  sameBytes((loaded as BloomFilter).toBytes(), saved, 'loadAny');
}

async function checkSlices(): Promise<void> {
  const row = text(`${'x'.repeat(999)}\n`);
  const { blob, starts } = watchedBlob(Array<Uint8Array<ArrayBuffer>>(9000).fill(row));
  const filter = BloomFilter.from([text('x'.repeat(999))]);
  sameBytes(concat(await readAll(fileStream(blob).pipeThrough(pickLines(filter)))), await bytesOf(blob), 'picked');
  sameList(starts, [0, SLICE_BYTES], 'slices');
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer());
}

async function checkPulling(): Promise<void> {
  const { blob, starts } = watchedBlob([new Uint8Array(2 * SLICE_BYTES)]);
  const reader = fileStream(blob).getReader();
  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
  await rest();
  sameList(starts, [], 'slices before the first read');
  await reader.read();
  await rest();
  sameList(starts, [0], 'slices after the first read');
  await reader.cancel();
}

async function checkRefused(): Promise<void> {
  const filter = new BloomFilter({ capacity: 10 });
  const used = new Response('ada\n');
  await used.text();
  for (const [response, got] of [
    [new Response('ada\n', { status: 404 }), 'status 404'],
    [new Response(null), 'no body'],
    [used, 'a used body'],
  ] as const) {
    for (const call of [() => addLines(filter, response), () => BloomFilter.fromChunks(response)]) {
      const error = await errorOf(call, got);
      holds(error instanceof RangeError && error.message.endsWith(got), `wanted ${got}, got ${error}`);
    }
  }
}

/** A stream that `for await` cannot read, as all are in WebKit. */
async function checkWithoutIterator(): Promise<string> {
  const saved = BloomFilter.from(['ada']).toBytes();
  const stream = new Blob([saved]).stream();
  const detail = `streams are ${Symbol.asyncIterator in stream ? '' : 'not '}iterable here`;
  Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
  sameBytes((await BloomFilter.fromChunks(stream)).toBytes(), saved, 'loaded');
  return detail;
}

function isDisposed(filter: { has(key: string): boolean }): boolean {
  try {
    return filter.has('ada') && false;
  } catch (error) {
    return error instanceof TypeError;
  }
}

function checkUsing({ Filter }: KindOnEngine): void {
  let kept: { has(key: string): boolean };
  {
    using filter = Filter.from(['ada']);
    holds(filter.has('ada'), 'it is not in it');
    kept = filter;
  }
  holds(isDisposed(kept), 'it is not disposed of');
}

/** What TypeScript makes of `using` calls the method of this symbol, which a polyfill may define late. */
function checkLatePolyfill({ Filter }: KindOnEngine): string {
  const isMissing = Symbol.dispose === undefined;
  if (isMissing) Object.defineProperty(Symbol, 'dispose', { value: Symbol('Symbol.dispose'), configurable: true });
  try {
    const filter = Filter.from(['ada']);
    filter[Symbol.dispose]();
    holds(isDisposed(filter), 'it is not disposed of');
  } finally {
    if (isMissing) Reflect.deleteProperty(Symbol, 'dispose');
  }
  return `Symbol.dispose ${isMissing ? 'does not exist' : 'exists'} here`;
}

export const files: readonly Check[] = [
  ...ofKind('classic', 'addLines and fromChunks of files, responses and streams', checkSources),
  ['wasm: fileStream and pickLines', checkSlices],
  ['wasm: fileStream reads only when asked', checkPulling],
  ['wasm: responses that are not files are refused', checkRefused],
  ['wasm: fromChunks of a stream that is not iterable', checkWithoutIterator],
  ...ofKind('classic', 'using', checkUsing),
  ...ofKind('classic', 'Symbol.dispose, defined late', checkLatePolyfill),
];

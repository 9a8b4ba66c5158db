// Streams of lines give what one call gives for the whole text, wherever it is cut into chunks, and whatever gives it.

import { addLines, dedupeLines, fileStream, type LineProgress, lines, omitLines, pickLines } from 'bloomery';
import { loadAny } from 'bloomery/load';
import { randomFrom } from '../../shared/random.ts';
import { concat, drain, readAll, sourceOf, text } from '../../shared/stream-tools.ts';
import { digestOf, errorOf, holds, sameBytes } from './assert.ts';
import { type Check, compared } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const options = { capacity: 20_000 };
const known = Array.from({ length: 1500 }, (_, i) => `known 漢 ${i}`);
const words = known.flatMap((word, i) => [word, `other ${i}`, '', word]);
const list = text(words.map((word, i) => word + (i % 2 === 0 ? '\n' : '\r\n')).join(''));

/** Cuts bytes into parts of random lengths, some of one byte, also within characters and between `\r` and `\n`. */
function parts(bytes: Uint8Array): Uint8Array[] {
  const random = randomFrom(11);
  const cut: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random(random(3) === 0 ? 3 : 20_000);
    cut.push(bytes.subarray(at, at + length));
    at += length;
  }
  return cut;
}

async function through(stream: ReadableWritablePair<Uint8Array, Uint8Array>): Promise<Uint8Array> {
  return concat(await readAll(sourceOf(parts(list)).pipeThrough(stream)));
}

async function checkTransforms({ Filter }: KindOnEngine): Promise<string> {
  const filter = Filter.from(known, options);
  let progress: LineProgress | undefined;
  const onProgress = (now: LineProgress): void => {
    progress = now;
  };
  const picked = await through(pickLines(filter, { onProgress }));
  sameBytes(picked, filter.pick(lines(list)).bytes, 'picked');
  sameBytes(await through(omitLines(filter)), filter.omit(lines(list)).bytes, 'omitted');
  const seen = new Filter(options);
  sameBytes(await through(dedupeLines(seen)), new Filter(options).dedupe(lines(list)).bytes, 'deduped');
  return compared(`${JSON.stringify(progress)} ${digestOf(picked)} ${digestOf(seen.toBytes())}`);
}

async function* later(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

type Source = ReadableStream<Uint8Array> | AsyncGenerator<Uint8Array> | Blob | Response;

/** What gives these bytes, of every kind that this runtime has. */
function sourcesOf(bytes: Uint8Array<ArrayBuffer>): [string, Source][] {
  return [
    ['Blob', new Blob([bytes])],
    ...(typeof File === 'undefined' ? [] : [['File', new File([bytes], 'a.txt')] as [string, Blob]]),
    ['Blob.stream()', new Blob([bytes]).stream()],
    ['fileStream', fileStream(new Blob([bytes]))],
    ['Response', new Response(bytes)],
    ['Response.body', new Response(bytes).body as ReadableStream<Uint8Array>],
    ['stream', sourceOf(parts(bytes))],
    ['async iterable', later(parts(bytes))],
  ];
}

async function checkSources({ Filter }: KindOnEngine): Promise<string> {
  const saved = Filter.from(lines(list), options).toBytes();
  const progress = new Set<string>();
  for (const [name, source] of sourcesOf(list)) {
    const filter = new Filter(options);
    progress.add(JSON.stringify(await addLines(filter, source)));
    sameBytes(filter.toBytes(), saved, `made of ${name}`);
  }
  for (const [name, source] of sourcesOf(saved)) {
    sameBytes((await Filter.fromChunks(source as never)).toBytes(), saved, `loaded from ${name}`);
  }
  const loaded = await loadAny([Filter as never], new Response(saved));
  sameBytes((loaded as typeof Filter.prototype).toBytes(), saved, 'loadAny');
  return compared([...progress].join());
}

async function checkAbort({ Filter }: KindOnEngine): Promise<void> {
  const filter = Filter.from(known);
  const reason = new Error('of the test');
  const signal = AbortSignal.abort(reason);
  const refused = await errorOf(() => drain(sourceOf([list]).pipeThrough(pickLines(filter, { signal }))), 'pick');
  holds(refused === reason, `picking fails with the reason, not ${refused}`);

  const controller = new AbortController();
  let chunks = 0;
  function* endless(): Generator<Uint8Array> {
    for (;;) {
      if (++chunks === 10) controller.abort(reason);
      yield list;
    }
  }
  const stopped = await errorOf(() => addLines(filter, sourceOf(endless()), { signal: controller.signal }), 'add');
  holds(stopped === reason, `adding fails with the reason, not ${stopped}`);
  holds(chunks < 20, `${chunks} chunks were read`);
}

export const streams: readonly Check[] = [
  ...ofKind('classic', 'pickLines, omitLines, dedupeLines', checkTransforms),
  ...ofKind('classic', 'addLines and fromChunks of files, responses and streams', checkSources),
  ...ofKind('classic', 'aborted streams', checkAbort),
];

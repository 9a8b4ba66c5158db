// Saved filters: whole and in chunks, between engines, damaged.

import { concat, inChunks } from '../../shared/stream-tools.ts';
import { errorOf, holds, same, sameBytes } from './assert.ts';
import { type Check, only } from './check.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

async function* later(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await undefined;
    yield chunk;
  }
}

const sizesFor = ({ length }: Uint8Array): number[] => [1, 97, 7919, length];

function checkChunks({ Filter, of, optionsFor }: KindOnEngine): void {
  const saved = of(keys, optionsFor(keys.length)).toBytes();
  for (const size of sizesFor(saved)) {
    const cut = inChunks(saved, size);
    sameBytes(Filter.fromChunks(cut).toBytes(), saved, `loaded from chunks of ${size} bytes`);
  }
}

async function checkLaterChunks({ Filter, of, optionsFor }: KindOnEngine): Promise<void> {
  const saved = of(keys, optionsFor(keys.length)).toBytes();
  for (const size of sizesFor(saved)) {
    const cut = inChunks(saved, size);
    sameBytes((await Filter.fromChunks(later(cut))).toBytes(), saved, `loaded from later chunks of ${size} bytes`);
  }
  const stream: ReadableStream<Uint8Array> = new Blob([saved]).stream();
  sameBytes((await Filter.fromChunks(stream)).toBytes(), saved, 'loaded from a stream');
}

function checkTransfer({ Twin, of, optionsFor, grows }: KindOnEngine): void {
  const filter = of(keys, optionsFor(keys.length));
  const saved = filter.toBytes();
  sameBytes(concat([...filter.toChunks()]), saved, 'the chunks');
  const moved = Twin.fromBytes(saved);
  same(moved.engine, Twin.engine.name, 'engine');
  holds(moved.engine !== filter.engine, 'loaded by the other engine');
  sameBytes(moved.toBytes(), saved, 'saved by the other engine');
  if (grows) sameBytes(moved.addMany(keys).toBytes(), filter.addMany(keys).toBytes(), 'both go on in the same way');
}

async function checkDamage({ Filter, of, optionsFor }: KindOnEngine): Promise<void> {
  const saved = of(keys, optionsFor(keys.length)).toBytes();
  for (const at of [0, 5, 20, 66, 140, saved.length - 1]) {
    const damaged = saved.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const error = await errorOf(() => Filter.fromBytes(damaged), `damaged at ${at}`);
    holds(error instanceof RangeError, `damaged at ${at}: ${error}`);
  }
  for (const length of [0, 10, saved.length - 1]) {
    const error = await errorOf(() => Filter.fromBytes(saved.subarray(0, length)), `cut off at ${length}`);
    holds(error instanceof RangeError, `cut off at ${length}: ${error}`);
  }
}

export const saving: readonly Check[] = [
  ...only({ once: true }, ofKind('classic', 'saved and loaded in chunks', checkChunks)),
  ...only({ where: 'web' }, ofKind('classic', 'loaded from chunks that arrive later', checkLaterChunks)),
  ...only(
    { where: 'both engines', once: true },
    ofKind('classic', 'saved here, loaded by the other engine', checkTransfer),
  ),
  ...only({ once: true }, ofKind('classic', 'damaged files are refused', checkDamage)),
];

// Saved filters: whole and in chunks, between engines, damaged.

import { concat, inChunks } from '../../stream-tools.ts';
import { errorOf, holds, same, sameBytes } from './assert.ts';
import type { Check } from './check.ts';
import { type KindOnEngine, kinds, ofEachKind } from './engines.ts';

const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);

async function* later(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await undefined;
    yield chunk;
  }
}

async function checkChunks({ Filter }: KindOnEngine): Promise<void> {
  // A little over 1 MiB, so that it is saved in several chunks.
  const { byteLength } = new Filter({ capacity: 1000 });
  const filter = Filter.from(keys, { capacity: Math.ceil((1100 * 2 ** 20) / byteLength) });
  const saved = filter.toBytes();
  const chunks = [...filter.toChunks()];
  holds(chunks.length > 1, 'there are several chunks');
  sameBytes(concat(chunks), saved, 'the chunks');
  for (const size of [7919, 2 ** 20, saved.length]) {
    const cut = inChunks(saved, size);
    holds(Filter.fromChunks(cut).equals(filter), `loaded from chunks of ${size} bytes`);
    holds((await Filter.fromChunks(later(cut))).equals(filter), `loaded from later chunks of ${size} bytes`);
  }
  const small = Filter.from(keys);
  holds(Filter.fromChunks(inChunks(small.toBytes(), 1)).equals(small), 'loaded byte by byte');
}

function checkTransfer({ Filter, engine, className }: KindOnEngine): void {
  const others = kinds.filter((each) => each.className === className && each.engine !== engine);
  same(others.length, 1, 'other engines');
  const saved = Filter.from(keys).toBytes();
  for (const other of others) {
    const moved = other.Filter.fromBytes(saved);
    same(moved.engine, other.engine, 'engine');
    sameBytes(moved.toBytes(), saved, 'saved by the other engine');
  }
}

async function checkDamage({ Filter }: KindOnEngine): Promise<void> {
  const saved = Filter.from(keys).toBytes();
  for (const at of [0, 5, 20, saved.length - 1]) {
    const damaged = saved.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const error = await errorOf(() => Filter.fromBytes(damaged), `damaged at ${at}`);
    holds(error instanceof TypeError || error instanceof RangeError, `damaged at ${at}: ${error}`);
  }
  for (const length of [0, 10, saved.length - 1]) {
    const error = await errorOf(() => Filter.fromBytes(saved.subarray(0, length)), `cut off at ${length}`);
    holds(error instanceof TypeError || error instanceof RangeError, `cut off at ${length}: ${error}`);
  }
}

export const saving: readonly Check[] = [
  ...ofEachKind('saved and loaded in chunks', checkChunks),
  ...ofEachKind('saved here, loaded by the other engine', checkTransfer),
  ...ofEachKind('damaged files are refused', checkDamage),
];

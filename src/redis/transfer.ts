// Moving the bits of a whole filter between Redis and memory, a piece at a time.

import type { BlockedBloomFilter } from '../filters/blocked.ts';
import { CELLS } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import * as main from '../index.ts';
import type { Connection } from './connection.ts';
import type { Current } from './current.ts';
import type { Layout, Piece } from './layout.ts';
import { parametersOf } from './parameters.ts';
import type { Runner } from './runner.ts';
import { COUNT, EXPORT, MERGE, WRITE } from './scripts.ts';
import { forAll } from './store.ts';

/** Copies a piece of a filter in memory. */
function bytesOf(filter: BlockedBloomFilter, { offset, byteLength }: Piece): Uint8Array {
  return filter[CELLS].region.bytes.slice(offset, offset + byteLength);
}

/** Writes all bits of a filter to pieces that nobody uses yet. */
export function write(runner: Runner, layout: Layout, filter: BlockedBloomFilter): Promise<void> {
  return forAll(layout.pieces(), async (piece) => {
    await runner.run(WRITE, [piece.key], [bytesOf(filter, piece)], { repeatable: true });
  });
}

/** Calls `visit` for each piece. It returns false if the piece is missing: then all are visited again, found anew. */
async function forPieces(
  current: Current,
  visit: (piece: Piece, index: number, layout: Layout) => Promise<boolean>,
): Promise<void> {
  const { layout } = current;
  let isWhole = true;
  await forAll([...layout.pieces()].entries(), async ([index, piece]) => {
    if (isWhole && !(await visit(piece, index, layout))) isWhole = false;
  });
  if (isWhole) return;
  await current.renew(layout);
  await forPieces(current, visit);
}

/** Reads all bits into a filter in memory. */
export async function read({ runner, readOnly }: Connection, current: Current): Promise<main.BlockedBloomFilter> {
  const parameters = parametersOf(current.stored);
  const { BlockedBloomFilter } = main;
  const region = BlockedBloomFilter.engine.reserve(parameters.cellCount / 8);
  const filter = wrap(BlockedBloomFilter, { parameters, cellBits: 1, own: undefined, segments: [region] });
  try {
    await forPieces(current, async ({ key, offset, byteLength }) => {
      const bytes = await runner.run(EXPORT, [key], [], { readOnly, binary: true, repeatable: true });
      if (!(bytes instanceof Uint8Array) || bytes.length !== byteLength) return false;
      region.bytes.set(bytes, offset);
      return true;
    });
  } catch (error) {
    filter.dispose();
    throw error;
  }
  return filter;
}

/** Sets in Redis all bits that are set in a filter in memory. */
export function merge({ runner }: Connection, current: Current, filter: BlockedBloomFilter): Promise<void> {
  return forPieces(current, async (piece, index, layout) => {
    const bytes = bytesOf(filter, piece);
    if (!bytes.some(Boolean)) return true;
    const other = layout.beside(index, `merge:${crypto.randomUUID()}`);
    return Number(await runner.run(MERGE, [piece.key, other], [bytes], { repeatable: true })) === 1;
  });
}

/** Counts the bits that are set. */
export async function countBits({ runner, readOnly }: Connection, current: Current): Promise<number> {
  let counts: number[] = [];
  await forPieces(current, async ({ key, byteLength }, index) => {
    if (index === 0) counts = [];
    const count = Number(await runner.run(COUNT, [key], [String(byteLength)], { readOnly, repeatable: true }));
    counts[index] = count;
    return count >= 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

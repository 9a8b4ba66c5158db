// Moving the bits of a whole filter between Redis and memory, a piece at a time.

import { CELLS } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import type { BlockedBloomFilter } from '../kinds/blocked/filter.ts';
import type * as main from '../kinds/wasm.ts';
import type { Connection } from './connection.ts';
import { typedError } from './error.ts';
import type { Layout, Piece } from './layout.ts';
import { parametersOf } from './parameters.ts';
import { forAll } from './pieces.ts';
import { integerIn } from './replies.ts';
import type { RunOptions } from './run-script.ts';
import { COUNT, EXPORT, MERGE } from './scripts.ts';
import type { FixedTarget } from './target.ts';

/** Copies a piece of a filter in memory. */
export function bytesOf(filter: BlockedBloomFilter, { offset, byteLength }: Piece): Uint8Array {
  return filter[CELLS].region.bytes.slice(offset, offset + byteLength);
}

/** Calls `visit` for each piece. If it returns false, the piece was missing: all are located and visited again. */
async function forPieces(
  connection: Connection,
  target: FixedTarget,
  visit: (piece: Piece, index: number, layout: Layout) => Promise<boolean>,
): Promise<void> {
  const { events, store } = connection;
  const begun = Date.now();
  let missing: string | undefined;
  try {
    for (;;) {
      const { layout } = target;
      missing = undefined;
      await forAll([...layout.pieces()].entries(), async ([index, piece]) => {
        if (missing === undefined && !(await visit(piece, index, layout))) missing = piece.key;
      });
      // Pieces may be left of a filter that is lost. Once the list does not have it, it never has it again.
      if (missing === undefined && (await isRead(connection, (options) => store.pieces.isListed(layout, 0, options))))
        return;
      await target.renew(layout);
    }
  } catch (error) {
    if (typedError(error).code === 'LOST') events.emit('lost', { key: missing, begun, error });
    throw error;
  }
}

/** Reads a piece. If it is missing on a replica, which may be late, asks the master. */
async function isRead(
  { readOnly }: Connection,
  readPiece: (options: RunOptions) => Promise<boolean>,
): Promise<boolean> {
  const options = { readOnly, repeatable: true };
  return (await readPiece(options)) || (readOnly && (await readPiece({ ...options, latest: true })));
}

/** Reads all bits into a filter in memory. */
export async function read(connection: Connection, target: FixedTarget): Promise<main.BlockedBloomFilter> {
  const { runner } = connection;
  const { stored, Local } = target;
  const parameters = parametersOf(stored);
  const region = Local.engine.reserve(parameters.cellCount / 8);
  const filter = wrap(Local, { parameters, cellBits: 1, own: undefined, segments: [region] });
  try {
    await forPieces(connection, target, ({ key, offset, byteLength }) =>
      isRead(connection, async (options) => {
        const bytes = await runner.run(EXPORT, [key], [], { ...options, binary: true });
        if (!(bytes instanceof Uint8Array) || bytes.length !== byteLength) return false;
        region.bytes.set(bytes, offset);
        return true;
      }),
    );
  } catch (error) {
    filter.dispose();
    throw error;
  }
  return filter;
}

/** Sets in Redis all bits that are set in a filter in memory. */
export function merge(connection: Connection, target: FixedTarget, filter: BlockedBloomFilter): Promise<void> {
  return forPieces(connection, target, async (piece, index, layout) => {
    const bytes = bytesOf(filter, piece);
    if (!bytes.some(Boolean)) return true;
    const other = layout.beside(index, `merge:${crypto.randomUUID()}`);
    return integerIn(await connection.runner.run(MERGE, [piece.key, other], [bytes], { repeatable: true })) === 1;
  });
}

/** Counts the bits that are set. */
export async function countBits(connection: Connection, target: FixedTarget): Promise<number> {
  let counts: number[] = [];
  await forPieces(connection, target, ({ key, byteLength }, index) => {
    if (index === 0) counts = [];
    return isRead(connection, async (options) => {
      const reply = await connection.runner.run(COUNT, [key], [String(byteLength)], options);
      const count = integerIn(reply, 8 * byteLength);
      counts[index] = count;
      return count >= 0;
    });
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

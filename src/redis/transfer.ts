// Moving the bits of a whole filter between Redis and memory, a piece at a time.

import { CELLS } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import { isBytes } from '../keys/key.ts';
import type { BlockedBloomFilter } from '../kinds/blocked/filter.ts';
import type * as main from '../kinds/wasm.ts';
import type { Connection } from './connection.ts';
import type { Layout, Part, Piece } from './layout.ts';
import { parametersOf } from './parameters.ts';
import { forAll, PIECES_AT_ONCE, wordsOf } from './pieces.ts';
import { integerIn } from './replies.ts';
import type { RunOptions } from './run-script.ts';
import { COUNT, EXPORT, MERGE } from './scripts.ts';
import type { FixedTarget } from './target.ts';

/** The bytes of a part of a filter in memory: a view, until memory grows. */
export function bytesOf(filter: BlockedBloomFilter, { offset, byteLength }: Piece): Uint8Array {
  return filter[CELLS].region.bytes.subarray(offset, offset + byteLength);
}

/**
 * Calls `visitAll`, which visits all pieces, and tells one that was missing. All are then located and visited again.
 *
 * @throws RedisFilterError LOST if they are lost
 */
async function visitWhole(
  connection: Connection,
  target: FixedTarget,
  visitAll: (layout: Layout) => Promise<string | undefined>,
): Promise<void> {
  const { events, store } = connection;
  let missing: string | undefined;
  const visit = async (): Promise<void> => {
    for (;;) {
      const { layout } = target;
      missing = await visitAll(layout);
      // Pieces may be left of a filter that is lost. Once the list does not have it, it never has it again.
      const isListed = (options: RunOptions): Promise<boolean> => store.pieces.isListed(layout, 0, options);
      if (missing === undefined && (await isRead(connection, isListed))) return;
      await target.renew(layout);
    }
  };
  await events.watch(visit, () => missing);
}

/** Visits pieces or their parts, some at once, until `visit` returns false. Returns the key of the piece then. */
async function firstMissing<T extends Piece>(
  items: Iterable<T>,
  visit: (item: T) => Promise<boolean> | undefined,
  atOnce?: number,
): Promise<string | undefined> {
  let missing: string | undefined;
  const visitNext = (item: T): Promise<void> | undefined => {
    if (missing !== undefined) return undefined;
    return visit(item)?.then((isThere) => {
      if (!isThere) missing ??= item.key;
    });
  };
  await forAll(items, visitNext, atOnce);
  return missing;
}

/** Reads a piece. If it is missing on a replica, which may be late, asks the master. */
async function isRead(
  { readOnly }: Connection,
  readPiece: (options: RunOptions) => Promise<boolean>,
): Promise<boolean> {
  const options = { readOnly };
  return (await readPiece(options)) || (readOnly && (await readPiece({ ...options, latest: true })));
}

/** Reads all bits into a filter in memory. */
export async function read(connection: Connection, target: FixedTarget): Promise<main.BlockedBloomFilter> {
  const { runner } = connection;
  const { stored, Local } = target;
  const parameters = parametersOf(stored);
  const region = Local.engine.reserve(parameters.cellCount / 8);
  const filter = wrap(Local, { parameters, cellBits: 1, own: undefined, segments: [region] });
  const readPart = ({ key, start, offset, byteLength, pieceLength }: Part): Promise<boolean> =>
    isRead(connection, async (options) => {
      // With what comes after the last part, where nothing must be.
      const end = start + byteLength === pieceLength ? pieceLength : start + byteLength - 1;
      const range = [String(start), String(end)];
      const bytes = await runner.run(EXPORT, [key], range, { ...options, binary: true });
      if (!isBytes(bytes) || bytes.length !== byteLength) return false;
      region.bytes.set(bytes, offset);
      return true;
    });
  try {
    await visitWhole(connection, target, (layout) => firstMissing(layout.parts(), readPart));
  } catch (error) {
    filter.dispose();
    throw error;
  }
  return filter;
}

/** Sets in Redis all bits that are set in a filter in memory. */
export function merge(connection: Connection, target: FixedTarget, filter: BlockedBloomFilter): Promise<void> {
  const { runner } = connection;
  return visitWhole(connection, target, (layout) => {
    const mergePiece = (piece: Piece): Promise<boolean> | undefined => {
      const bytes = bytesOf(filter, piece);
      if (!wordsOf(bytes).some(Boolean)) return undefined;
      const keys = [piece.key, layout.beside(piece.index, `merge:${crypto.randomUUID()}`)];
      return runner.run(MERGE, keys, [bytes.slice()]).then((reply) => integerIn(reply) === 1);
    };
    return firstMissing(layout.pieces(), mergePiece, PIECES_AT_ONCE);
  });
}

/** Counts the bits that are set. */
export async function countBits(connection: Connection, target: FixedTarget): Promise<number> {
  const counts: number[] = [];
  await visitWhole(connection, target, (layout) => {
    const countIn = ({ index, key, byteLength }: Piece): Promise<boolean> =>
      isRead(connection, async (options) => {
        const reply = await connection.runner.run(COUNT, [key], [String(byteLength)], options);
        const count = integerIn(reply, 8 * byteLength);
        counts[index] = count;
        return count >= 0;
      });
    return firstMissing(layout.pieces(), countIn);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

// Filters that forget, between Redis and memory. In memory, the blocks of the generations alternate.

import { estimateCount } from '../filters/estimate.ts';
import { CELLS } from '../filters/kind.ts';
import { wrap } from '../filters/stored-filter.ts';
import type { RotatingExports } from '../kernel/generated/rotating/exports.ts';
import type { RegionWith } from '../kernel/region.ts';
import { isBytes } from '../keys/key.ts';
import { BLOCK_BITS, WORDS } from '../kinds/blocked/sizing.ts';
import { systemClock } from '../kinds/rotating/cells.ts';
import type * as rotating from '../kinds/rotating/filter.ts';
import { quotaOf } from '../kinds/rotating/sizing.ts';
import type { RotatingBloomFilter } from '../kinds/rotating/wasm.ts';
import type { Connection } from './connection.ts';
import { lost, unsettled } from './error.ts';
import { Generation, type Made, madeIn } from './generations.ts';
import type { Piece } from './layout.ts';
import { requireSuccessor, type StoredParameters } from './parameters.ts';
import { forAll, PIECES_AT_ONCE } from './pieces.ts';
import { integerIn } from './replies.ts';
import type { RotatingTarget } from './rotating-target.ts';
import type { RunOptions } from './run-script.ts';
import { EXPORT, GENERATION, MERGE } from './scripts.ts';

const BLOCK_BYTES: number = BLOCK_BITS / 8;
/** In Redis, and of filters that come from there. */
export const GENERATIONS = 2;

/**
 * Whether pieces of a generation are left that no list knows, which is then lost: a piece is made together with the entry
 * of its filter in the list beside it. A generation that is being made has entries, and no keys.
 */
async function isLeft({ runner, store }: Connection, generation: Generation, options: RunOptions): Promise<boolean> {
  const isListed = (piece: number): Promise<boolean> => store.pieces.isListed(generation, piece, options);
  const unlisted = new Set<number>();
  await forAll(Array(generation.groups).keys(), async (group) => {
    if (!(await isListed(group))) unlisted.add(group);
  });
  const suspects = [...generation.pieces()].filter(({ index }) => unlisted.has(index % generation.groups));
  let isFound = false;
  await forAll(suspects, async ({ index, key }) => {
    if (isFound) return;
    const byte = await runner.run(EXPORT, [key], ['0', '0'], { ...options, binary: true });
    const isThere = !isBytes(byte) || byte.length > 0;
    // The list again, as the piece may have been made since.
    if (isThere && !(await isListed(index))) isFound = true;
  });
  return isFound;
}

/** Copies the generations that are known now to memory. */
export async function readGenerations(
  connection: Connection,
  stored: StoredParameters,
  Local: typeof RotatingBloomFilter,
): Promise<RotatingBloomFilter> {
  const { runner, store, readOnly } = connection;
  const { name } = store;
  const options = { readOnly, latest: true };
  const { bits, hashes, seed, capacity, errorRate, window } = stored;
  requireSuccessor(name, await store.require(), stored);
  const all: Made[] = [];
  await forAll(new Generation(name, stored, 0).lists, async (list) => {
    all.push(await madeIn(runner, readOnly, stored, list));
  });
  const askNow = async (): Promise<number> =>
    integerIn(await runner.run(GENERATION, [name], [String(window)], options));
  // As in the scripts, the clock does not go back behind what the lists have.
  const number = Math.max(await askNow(), ...all.map(({ last }) => last));
  const isMade = (wanted: number): boolean => all.some(({ last, before }) => last === wanted || before === wanted);
  const requireListed = async (wanted: number): Promise<void> => {
    if (isMade(wanted) || !(await isLeft(connection, new Generation(name, stored, wanted), options))) return;
    requireSuccessor(name, await store.require(), stored);
    // Unless both have expired meanwhile.
    if (wanted >= (await askNow()) - 1) throw lost(name);
  };
  for (const each of [number - 1, number]) await requireListed(each);

  const region = Local.engine.reserve((GENERATIONS * bits) / 8) as RegionWith<RotatingExports>;
  try {
    for (const each of [number - 1, number].filter(isMade)) {
      await forAll(new Generation(name, stored, each).parts(), async ({ key, start, offset, byteLength }) => {
        const range = [String(start), String(start + byteLength - 1)];
        const reply = await runner.run(EXPORT, [key], range, { ...options, binary: true });
        if (!isBytes(reply) || reply.length !== byteLength) {
          requireSuccessor(name, await store.require(), stored);
          // It has expired meanwhile: what was in it is forgotten.
          if (each < (await askNow()) - 1) return;
          throw lost(name);
        }
        const { bytes } = region;
        for (let at = 0; at < byteLength; at += BLOCK_BYTES) {
          const block = reply.subarray(at, at + BLOCK_BYTES);
          bytes.set(block, GENERATIONS * (offset + at) + (each % GENERATIONS) * BLOCK_BYTES);
        }
      });
    }
    const quota = quotaOf(capacity, GENERATIONS);
    const current = number % GENERATIONS;
    const { pointer, instance } = region;
    const used = instance.kernel.rotating_used(pointer, bits / BLOCK_BITS, GENERATIONS, current);
    const count = Math.min(quota, Math.round(estimateCount(used / bits, bits, hashes)));
    const own = { generations: GENERATIONS, quota, window, current, count, rotations: 0, begun: number * window };
    const parameters = { cellCount: GENERATIONS * bits, hashes, seed, capacity, errorRate };
    return wrap(Local, { parameters, cellBits: 1, own: { ...own, clock: systemClock }, segments: [region] });
  } catch (error) {
    region.dispose();
    throw error;
  }
}

/** The bits of all generations of a filter in memory, for a piece in Redis. */
function unionOf(filter: rotating.RotatingBloomFilter, { offset, byteLength }: Piece): Uint8Array {
  const { generations } = filter;
  const { buffer, byteOffset } = filter[CELLS].region.bytes;
  const cells = new Uint32Array(buffer, byteOffset + generations * offset, (generations * byteLength) / 4);
  const union = new Uint32Array(byteLength / 4);
  for (let word = 0; word < union.length; word++) {
    const first = generations * (word - (word % WORDS)) + (word % WORDS);
    let bits = 0;
    for (let generation = 0; generation < generations; generation++)
      bits |= cells[first + WORDS * generation] as number;
    union[word] = bits;
  }
  return new Uint8Array(union.buffer);
}

/** Adds all keys that a filter in memory knows to the current generation. */
export async function mergeGenerations(
  { runner, store }: Connection,
  target: RotatingTarget,
  filter: rotating.RotatingBloomFilter,
): Promise<void> {
  // Forgets what is to be forgotten by now.
  filter[CELLS].begin();
  for (let [generation, isLate] = [await target.turn(), false]; ; ) {
    const { expiry } = generation;
    const mergePiece = async (piece: Piece): Promise<void> => {
      const bytes = unionOf(filter, piece);
      if (!bytes.some(Boolean)) return;
      const keys = [piece.key, generation.beside(piece.index, `merge:${crypto.randomUUID()}`)];
      const isMerged = integerIn(await runner.run(MERGE, keys, [bytes, expiry])) === 1;
      if (!isMerged) await target.renew(generation);
    };
    await forAll(generation.pieces(), mergePiece, PIECES_AT_ONCE);
    // Pieces may be left of a filter that is lost.
    if (!(await store.pieces.isListed(generation, 0))) await target.renew(generation);
    const next = await target.turn();
    if (next === generation) return;
    const before = isLate;
    isLate = next.number > generation.number + 1;
    // A whole window has passed twice in a row, and will again.
    if (before && isLate) throw unsettled(`a window of ${target.stored.window} ms`);
    // The window ended meanwhile, and keys would be forgotten early.
    generation = next;
  }
}

import type { Instance } from '../kernel/kernel.ts';
import type { Engine } from '../kernel/region.ts';
import { changeAll } from './batch.ts';

/**
 * Hashes many keys, and returns `bytesPerKey` bytes for each, in order.
 *
 * @param mix what to do with the first `count` hashes in the scratch before the bytes are taken from there
 */
export function hashAll<Linked>(
  engine: Engine<Linked>,
  keys: unknown,
  seed: number,
  bytesPerKey: number,
  mix: (instance: Instance<Linked>, count: number) => void = () => {},
): Uint8Array<ArrayBuffer> {
  const region = engine.reserve(1);
  const pieces: Uint8Array[] = [];
  const take = (count: number): void => {
    const { instance } = region;
    mix(instance, count);
    pieces.push(new Uint8Array(instance.memory.buffer, instance.scratch.hashes, bytesPerKey * count).slice());
  };
  try {
    changeAll({ region, seed, take }, 'take', 'take', keys);
  } finally {
    region.dispose();
  }
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

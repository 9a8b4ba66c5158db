import type { WideExports } from '../../../src/kernel/generated/wide/exports.ts';
import {
  BODY,
  chunk,
  HASHES,
  inOnes,
  inZeros,
  KEYS,
  oneKey,
  ROUNDS,
  repeat,
  type Scenario,
  SEEDS,
  type Stage,
} from './stage.ts';

/** The greatest length of keys whose hash may be 2 x and 3 x, with their length as the seed. */
const SHORT = 8;

/** Makes 2 x and 3 x of every third hash. */
function writeMultiples({ bytes }: Stage): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = HASHES; at < HASHES + 16 * 1000; at += 48) {
    const x = view.getBigUint64(at, true);
    view.setBigUint64(at, 2n * x, true);
    view.setBigUint64(at + 8, 3n * x, true);
  }
}

const anySeed = ({ random }: Stage): number => random(random(2) ? SEEDS : 2 + SHORT);

/** A key and a seed. In half of the cases the key is short, and the seed may be its length. */
function keyAndSeed({ random }: Stage): [text: string | null, key: number, length: number, seed: number] {
  if (random(2)) return [...oneKey(random), random(SEEDS)];
  return [null, KEYS + random(1000), 1 + random(SHORT), 1 + random(SHORT)];
}

// Fifteen of sixteen bits are set where keys are looked up, so that some keys find all their sixteen bits set.
export const scenarios: Record<keyof WideExports, Scenario<WideExports>> = {
  wide_add(stage) {
    const { kernel, random } = stage;
    writeMultiples(stage);
    inZeros(() => kernel.wide_add(BODY, 1 + random(2 ** 10), ...chunk(random), anySeed(stage)))(stage);
  },
  wide_has(stage) {
    const { kernel, random } = stage;
    writeMultiples(stage);
    inOnes(4, () => kernel.wide_has(BODY, 1 + random(2 ** 10), ...chunk(random), anySeed(stage)))(stage);
  },
  wide_add_key: inZeros(
    (stage) => stage.kernel.wide_add_key(BODY, 1 + stage.random(2 ** 10), ...keyAndSeed(stage)),
    10 * ROUNDS,
  ),
  wide_has_key: inOnes(
    4,
    (stage) => stage.kernel.wide_has_key(BODY, 1 + stage.random(2 ** 10), ...keyAndSeed(stage)),
    10 * ROUNDS,
  ),
  wide_error_rate: repeat(({ kernel, random }) => kernel.wide_error_rate(BODY + 64 * random(100), 1 + random(500))),
};

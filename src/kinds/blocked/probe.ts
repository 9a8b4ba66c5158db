import { areAllSet, highOf, lowOf, type ProbeOf, scale32 } from '../probe.ts';
import { BLOCK_BITS, WORDS } from './sizing.ts';

const WORD_BITS = 32;
/** One for each word of a block. */
const SALTS: readonly number[] = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
];

/** Writes the bits that half a hash sets in eight words, one in each. `start` is the first bit of the first word. */
export function writeWordBits(half: number, start: number, bits: Float64Array, at: number): void {
  for (const [word, salt] of SALTS.entries()) {
    bits[at + word] = start + WORD_BITS * word + (Math.imul(half, salt) >>> 27);
  }
}

/** The block that a hash chooses. */
export function blockOf(h1: bigint, blocks: number): number {
  return scale32(highOf(h1), blocks);
}

export const probeBlock: ProbeOf = ({ parameters: { cellCount } }) => ({
  cells: WORDS,
  width: 1,
  run: WORDS,
  place([h1], bits) {
    writeWordBits(lowOf(h1), BLOCK_BITS * blockOf(h1, cellCount / BLOCK_BITS), bits, 0);
    return 0;
  },
  holds: areAllSet,
});

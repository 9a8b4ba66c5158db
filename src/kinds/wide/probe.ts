import { blockOf, writeWordBits } from '../blocked/probe.ts';
import { areAllSet, areMultiples, highOf, lowOf, type ProbeOf } from '../probe.ts';
import { BLOCK_BITS, WORDS } from './sizing.ts';

export const probeWideBlock: ProbeOf = ({ parameters: { cellCount, seed } }) => ({
  cells: WORDS,
  width: 1,
  run: WORDS,
  place(hash, bits) {
    const [h1, h2] = hash;
    const start = BLOCK_BITS * blockOf(h1, cellCount / BLOCK_BITS);
    const low = lowOf(h1);
    // For keys whose number of bytes is the seed, the low half of h2 depends on that of h1.
    const isDependent = seed >= 1 && seed <= 8 && areMultiples(hash);
    const other = isDependent ? Math.imul(low, 0x9e3779b1) + highOf(h2) : lowOf(h2);
    writeWordBits(low, start, bits, 0);
    writeWordBits(other, start + BLOCK_BITS / 2, bits, WORDS / 2);
    return 0;
  },
  holds: areAllSet,
});

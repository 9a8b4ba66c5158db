import { type ProbeOf, scale64 } from '../probe.ts';
import type { FuseParameters } from './file.ts';

const GOLDEN = 0x9e3779b97f4a7c15n;

/** MurmurHash3's finalizer of 64 bits. */
function mix64(x: bigint): bigint {
  const once = BigInt.asUintN(64, (x ^ (x >> 33n)) * 0xff51afd7ed558ccdn);
  const twice = BigInt.asUintN(64, (once ^ (once >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return twice ^ (twice >> 33n);
}

export const probeFuse: ProbeOf<FuseParameters> = ({ own: { exponent, segments, attempt, count }, cellBits }) => ({
  cells: 3,
  width: cellBits,
  run: 1,
  place([h1], bits) {
    const mixed = mix64(BigInt.asUintN(64, h1 + BigInt(attempt + 1) * GOLDEN));
    const length = 2 ** exponent;
    const first = scale64(mixed, segments * length);
    // Cells have numbers of 32 bits.
    const second = ((first + length) ^ Number(BigInt.asUintN(exponent, mixed >> 18n))) >>> 0;
    const third = ((first + 2 * length) ^ Number(BigInt.asUintN(exponent, mixed))) >>> 0;
    bits.set([first * cellBits, second * cellBits, third * cellBits]);
    return Number(BigInt.asUintN(cellBits, mixed ^ (mixed >> 32n)));
  },
  holds: ([first = 0, second = 0, third = 0], fingerprint) =>
    count > 0 && (first ^ second ^ third) >>> 0 === fingerprint,
});

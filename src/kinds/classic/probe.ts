import { areAllSet, type Hash, type ProbeOf, scale64 } from '../probe.ts';

/** Writes the indices of a key among m cells to the beginning of `indices`, which has room for k of them or more. */
export function writeIndices([h1, h2]: Hash, m: number, k: number, indices: Float64Array): void {
  const step = h2 ^ 0x9e3779b97f4a7c15n;
  let state = h1;
  for (let i = 0; i < k; i++) {
    indices[i] = scale64(state, m);
    state = BigInt.asUintN(64, state * 0xd1342543de82ef95n + step);
  }
}

/** Cells at the indices of the classic kind, none of which may be 0: bits, counters or labels. */
export const probeIndices: ProbeOf = ({ parameters: { cellCount, hashes }, cellBits }) => ({
  cells: hashes,
  width: cellBits,
  run: 1,
  place(hash, bits) {
    writeIndices(hash, cellCount, hashes, bits);
    for (let i = 0; i < hashes; i++) bits[i] = (bits[i] as number) * cellBits;
    return 0;
  },
  holds: areAllSet,
});

import { halfOf, mix32, type ProbeOf, scale32, scale64 } from '../probe.ts';

const SLOTS = 4;

export const probeBuckets: ProbeOf = ({ parameters: { cellCount }, cellBits }) => ({
  cells: 2 * SLOTS,
  width: cellBits,
  run: SLOTS,
  place(hash, bits) {
    const buckets = cellCount / SLOTS;
    const fingerprint = 1 + scale32(halfOf(hash), 2 ** cellBits - 1);
    const first = scale64(hash[0], buckets);
    const odd = 2 * scale32(mix32(fingerprint), buckets / 2) + 1;
    const second = (odd - first + buckets) % buckets;
    for (let slot = 0; slot < SLOTS; slot++) {
      bits[slot] = (SLOTS * first + slot) * cellBits;
      bits[SLOTS + slot] = (SLOTS * second + slot) * cellBits;
    }
    return fingerprint;
  },
  holds: (slots, fingerprint) => slots.includes(fingerprint),
});

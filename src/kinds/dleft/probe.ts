import { halfOf, mix32, type ProbeOf, scale32, scale64 } from '../probe.ts';

const TABLES = 4;
const BUCKET_CELLS = 8;
/** The low bits of a cell, which hold its count. */
const COUNT_BITS = 2;

export const probeTables: ProbeOf = ({ parameters: { cellCount }, cellBits }) => ({
  cells: TABLES * BUCKET_CELLS,
  width: cellBits,
  run: BUCKET_CELLS,
  place(hash, bits) {
    const buckets = cellCount / TABLES / BUCKET_CELLS;
    const remainder = halfOf(hash) >>> (32 + COUNT_BITS - cellBits);
    const base = scale64(hash[0], buckets);
    for (let table = 0; table < TABLES; table++) {
      const step = table === 0 ? 0 : scale32(mix32(remainder + Math.imul(table, 0x9e3779b9)), buckets);
      const bucket = table * buckets + ((base + step) % buckets);
      for (let cell = 0; cell < BUCKET_CELLS; cell++) {
        bits[BUCKET_CELLS * table + cell] = (BUCKET_CELLS * bucket + cell) * cellBits;
      }
    }
    return remainder;
  },
  holds: (cells, remainder) => cells.some((cell) => cell >>> COUNT_BITS === remainder && cell % 2 ** COUNT_BITS > 0),
});

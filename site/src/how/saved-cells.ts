// The cells of a filter, read from the file that it saves: see docs/format.md.

/** The value of each bit or counter. */
export function cellsOf(saved: Uint8Array): number[] {
  const header = new DataView(saved.buffer, saved.byteOffset, saved.byteLength);
  const cellBits = header.getUint8(7);
  const count = Number(header.getBigUint64(16, true));
  const body = header.getUint32(40, true);
  return Array.from({ length: count }, (_, cell) => {
    const at = cell * cellBits;
    return ((saved[body + Math.floor(at / 8)] ?? 0) >> (at % 8)) & (2 ** cellBits - 1);
  });
}

// The cells of a filter, read from the file that it saves: see docs/format.md.

function read(saved: Uint8Array) {
  const header = new DataView(saved.buffer, saved.byteOffset, saved.byteLength);
  return {
    cellBits: header.getUint8(7),
    count: Number(header.getBigUint64(16, true)),
    body: saved.subarray(header.getUint32(40, true)),
  };
}

/** The bytes that have the cells. */
export function bodyOf(saved: Uint8Array): Uint8Array {
  return read(saved).body;
}

/** The value of each cell. A cell may lie in several bytes. */
export function cellsOf(saved: Uint8Array): number[] {
  const { cellBits, count, body } = read(saved);
  const bitAt = (at: number): number => ((body[Math.floor(at / 8)] ?? 0) >> (at % 8)) & 1;
  return Array.from({ length: count }, (_, cell) => {
    let value = 0;
    for (let bit = 0; bit < cellBits; bit++) value += bitAt(cell * cellBits + bit) * 2 ** bit;
    return value;
  });
}

/** The parts of a list, so many of it in each. */
export function partsOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size));
}

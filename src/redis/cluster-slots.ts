import { utf8Of } from '../kernel/utf8.ts';

/** The number of hash slots of a Redis Cluster. */
const SLOTS = 16384;

/** CRC-16/XMODEM. Redis Cluster assigns keys to slots by it. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return crc & 0xffff;
}

/** The slot of a key in a Redis Cluster: that of its hash tag, `{…}`, if it has one. For authors of adapters. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return crc16(utf8Of(close > open + 1 ? key.slice(open + 1, close) : key)) % SLOTS;
}

const GOLDEN_RATIO = 0.6180339887498949;

/**
 * Returns hash tags whose slots are spread evenly: one in each of `count` equal ranges, in an order in which neighbors
 * are far apart. Plain tags would give one of three masters 1.3 times its share, and often twice.
 */
export function spreadTags(id: string, count: number): string[] {
  const inRange = new Map<number, string>();
  for (let attempt = 0; inRange.size < count; attempt++) {
    const tag = `${id}.${attempt}`;
    const range = Math.floor((slotOf(tag) * count) / SLOTS);
    if (!inRange.has(range)) inRange.set(range, tag);
  }
  const turns = Array.from({ length: count }, (_, group) => (group * GOLDEN_RATIO) % 1);
  const ranks = new Map(turns.toSorted((one, other) => one - other).map((turn, rank) => [turn, rank]));
  return turns.map((turn) => inRange.get(ranks.get(turn) ?? 0) as string);
}

// The hash of Spark, written slowly and plainly.

const rotate = (x: number, bits: number): number => (x << bits) | (x >>> (32 - bits));

function mixed(h: number, block: number): number {
  const k = Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotate(h ^ k, 13), 5) + 0xe6546b64) | 0;
}

/** Hashes bytes, and returns a signed integer of 32 bits. */
export function slowSparkHash(bytes: Uint8Array, seed: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length - (bytes.length % 4);
  let h = seed | 0;
  for (let at = 0; at < whole; at += 4) h = mixed(h, view.getInt32(at, true));
  for (let at = whole; at < bytes.length; at++) h = mixed(h, view.getInt8(at));
  h ^= bytes.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

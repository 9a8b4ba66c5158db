/**
 * Returns the array if it has room for `length` bytes, else a longer copy. The copy is at least twice as long, so that an
 * array which grows in small steps is seldom copied.
 */
export function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes;
  const longer = new Uint8Array(Math.max(length, 2 * bytes.length));
  longer.set(bytes);
  return longer;
}

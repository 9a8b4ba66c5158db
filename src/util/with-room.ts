/**
 * The same array while it has room for `length` bytes; then a copy with room for them, and at least twice as long, so that
 * bytes which come bit by bit are not copied each time.
 */
export function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes;
  const longer = new Uint8Array(Math.max(length, 2 * bytes.length));
  longer.set(bytes);
  return longer;
}

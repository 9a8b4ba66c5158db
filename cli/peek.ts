async function* after(
  head: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (head.length > 0) yield head;
  yield* rest;
}

/**
 * Peeks at the first bytes: `head` has at least `count` of them, unless there are fewer. `chunks` yields all bytes,
 * `head` included.
 */
export async function peek(
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
  count: number,
): Promise<{ head: Uint8Array; chunks: AsyncGenerator<Uint8Array, void, undefined> }> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < count) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return { head, chunks: after(head, chunks) };
}

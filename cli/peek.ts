/** The bytes of a file. */
export type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

async function* after(head: Uint8Array, rest: Chunks): Chunks {
  try {
    if (head.length > 0) yield head;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Reads ahead while the bytes so far may be the beginning of one of the signatures, but are not long enough to tell.
 * Then `head` has these bytes, and `chunks` yields all bytes, `head` included.
 */
export async function peek(
  chunks: Chunks,
  signatures: readonly Uint8Array[],
): Promise<{ head: Buffer; chunks: Chunks }> {
  let head = Buffer.alloc(0);
  const isOpen = (signature: Uint8Array): boolean =>
    head.length < signature.length && head.equals(signature.subarray(0, head.length));
  while (signatures.some(isOpen)) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { head, chunks: after(head, chunks) };
}

export function startsWith(head: Buffer, signature: Uint8Array): boolean {
  return head.subarray(0, signature.length).equals(signature);
}

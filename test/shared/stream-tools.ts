export const text = (string: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(string);

export function concat(given: Iterable<Uint8Array>): Uint8Array<ArrayBuffer> {
  const parts = [...given];
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Splits bytes into chunks of `size` bytes; the last one may be shorter. */
export function inChunks(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
}

/** A stream that provides each chunk only when it is pulled. */
export function sourceOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Reads a stream to its end, and throws if a chunk is empty. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  await stream.pipeTo(
    new WritableStream({
      write(chunk) {
        if (chunk.length === 0) throw new Error('a chunk is empty');
        chunks.push(chunk);
      },
    }),
  );
  return chunks;
}

/** Reads a stream to its end, and returns its number of bytes. */
export async function drain(stream: ReadableStream<Uint8Array>): Promise<number> {
  let length = 0;
  const write = (chunk: Uint8Array): void => {
    length += chunk.length;
  };
  await stream.pipeTo(new WritableStream({ write }));
  return length;
}

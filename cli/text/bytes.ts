// Bytes and what they mean, with what browsers have too, where there is no Buffer.

/** The bytes of a text, in parts. A part is valid until the next one is asked for. */
export type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/** The UTF-8 byte order mark. It is not part of the first key. */
export const MARK: Uint8Array = Uint8Array.of(0xef, 0xbb, 0xbf);
export const NOTHING: Uint8Array = new Uint8Array(0);

export const encoder: TextEncoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A text in UTF-8. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}

/** What bytes from one place to another mean in UTF-8. */
export function textOf(bytes: Uint8Array, from = 0, to: number = bytes.length): string {
  return decoder.decode(bytes.subarray(from, to));
}

export function areSame(some: Uint8Array, others: Uint8Array): boolean {
  return some.length === others.length && some.every((byte, i) => byte === others[i]);
}

/**
 * Makes UTF-8 of another encoding, without a byte order mark. Nothing is replaced, because different keys could become one.
 *
 * @param refusal makes the error for bytes that are not in the encoding
 */
export async function* toUtf8(chunks: Chunks, encoding: string, refusal: (cause: unknown) => Error): Chunks {
  const other = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return other.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw refusal(error);
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk);
    if (text !== '') yield encoder.encode(text);
  }
  decode();
}

/** Joins parts of a text in memory of their own, which other threads can get. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const part of parts) {
    whole.set(part, length);
    length += part.length;
  }
  return whole;
}

// Text as UTF-8, also where there is no TextEncoder: in Jest's jsdom, and in Hermes before React Native 0.74.

const native: TextEncoder | undefined = globalThis.TextEncoder && new TextEncoder();

/** Whether the units before and after a place in a string are one character. */
export function isInPair(text: string, at: number): boolean {
  // At the end of a slice, V8 in Node 24 and 26 takes the next unit of the string that the slice was cut from.
  return at < text.length && (text.codePointAt(at - 1) as number) > 0xffff;
}

/**
 * Writes a string as UTF-8, from `start` on, and returns where it ends. A lone surrogate becomes U+FFFD, as in
 * `encodeInto`, which takes longer for a short string. May write one byte after the end.
 */
export function writeUtf8(text: string, bytes: Uint8Array, view: DataView, start: number): number {
  let at = start;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Three-byte characters come first: text in Chinese, Japanese or Korean has few others.
    if (unit >= 0x800 && (unit & 0xf800) !== 0xd800) {
      view.setUint32(at, 0x8080e0 | (unit >> 12) | ((unit & 0xfc0) << 2) | ((unit & 0x3f) << 16), true);
      at += 3;
    } else if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      view.setUint16(at, 0x80c0 | (unit >> 6) | ((unit & 0x3f) << 8), true);
      at += 2;
    } else {
      if (isInPair(text, i + 1)) {
        const point = text.codePointAt(i) as number;
        bytes[at++] = 0xf0 | (point >> 18);
        const second = (point >> 12) & 0x3f;
        view.setUint32(at, 0x808080 | second | ((point & 0xfc0) << 2) | ((point & 0x3f) << 16), true);
        i++;
      } else {
        view.setUint32(at, 0xbdbfef, true);
      }
      at += 3;
    }
  }
  return at;
}

/** Writes the UTF-8 of strings. There must be room for three bytes per unit. */
export const encoder: Pick<TextEncoder, 'encodeInto'> = native ?? {
  encodeInto: (text, bytes) => ({
    read: text.length,
    written: writeUtf8(text, bytes, new DataView(bytes.buffer, bytes.byteOffset), 0),
  }),
};

/** The UTF-8 of a string. A lone surrogate becomes U+FFFD. Without `writeUtf8`, which would weigh more. */
export function utf8Of(text: string): Uint8Array<ArrayBuffer> {
  if (native) return native.encode(text);
  const escaped = encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
  return Uint8Array.from(unescape(escaped), (byte) => byte.charCodeAt(0));
}

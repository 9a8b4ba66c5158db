// What `runtime.ts` exports, for React Native, whose bundler takes this file instead: see package.json. Its engines have
// no WebAssembly, and not all of them have a TextEncoder: Hermes got one in React Native 0.74.

export function isFirefox(): boolean {
  return false;
}

export const STRINGS = 'wasm:js-string';

export const stringFunctions = {
  charCodeAt: (text: string, index: number): number => text.charCodeAt(index),
};

export function unitByUnit(elsewhere: number): number {
  return elsewhere;
}

/** Its memories are ArrayBuffers, which the engines count themselves. */
export function countMemory(): void {}

/** The part of TextEncoder that the package uses. */
type Encoder = Pick<TextEncoder, 'encode' | 'encodeInto'>;

/** Writes UTF-8 as a TextEncoder does: a lone surrogate becomes U+FFFD. */
export const textEncoder: Encoder = {
  encode(text = '') {
    const bytes = new Uint8Array(3 * text.length);
    return bytes.slice(0, textEncoder.encodeInto(text, bytes).written);
  },

  encodeInto(text, bytes) {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      let point = text.charCodeAt(read);
      if (point < 0x80) {
        if (written === bytes.length) break;
        bytes[written++] = point;
        read++;
        continue;
      }
      if ((point & 0xf800) === 0xd800) {
        point = text.codePointAt(read) as number;
        if (point < 0x10000) point = 0xfffd;
      }
      const length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + length > bytes.length) break;
      let shift = 6 * (length - 1);
      bytes[written++] = (0xf00 >> length) | (point >> shift);
      while (shift > 0) {
        shift -= 6;
        bytes[written++] = 0x80 | ((point >> shift) & 0x3f);
      }
      read += length < 4 ? 1 : 2;
    }
    return { read, written };
  },
};

export const encoder: Encoder = globalThis.TextEncoder ? new TextEncoder() : textEncoder;

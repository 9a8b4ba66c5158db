// How long it takes just to bring the bytes of keys into memory, where WebAssembly can read them. Each way overwrites what
// it wrote before, and notes no ends, so it is less than a filter has to do. Uses nothing of Node, so it also runs in
// browsers.

import type { PlainKey } from './plain.ts';

/** As many keys, or UTF-16 units, as are joined. More take longer per key. */
const MOST_KEYS = 768;
const MOST_UNITS = 16_384;

const encoder = new TextEncoder();
const { buffer } = new WebAssembly.Memory({ initial: 2 });
const bytes = new Uint8Array(buffer);
const view = new DataView(buffer);
const words = new Uint32Array(buffer);

/** Strings are joined, and encoded at once. */
function join(keys: readonly string[]): number {
  let written = 0;
  let text = '';
  let count = 0;
  for (let i = 0; i < keys.length; i++) {
    text += keys[i];
    if (++count < MOST_KEYS && i < keys.length - 1 && text.length < MOST_UNITS) continue;
    written += encoder.encodeInto(text, bytes).written;
    text = '';
    count = 0;
  }
  return written;
}

/** Writes a string as UTF-8, unit by unit. Returns the number of bytes. No key has a surrogate. */
function write(key: string): number {
  let at = 0;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      view.setUint16(at, 0x80c0 | (unit >> 6) | ((unit & 0x3f) << 8), true);
      at += 2;
    } else {
      view.setUint32(at, 0x8080e0 | (unit >> 12) | ((unit & 0xfc0) << 2) | ((unit & 0x3f) << 16), true);
      at += 3;
    }
  }
  return at;
}

function writeEach(keys: readonly string[]): number {
  let written = 0;
  for (let i = 0; i < keys.length; i++) written += write(keys[i] as string);
  return written;
}

function copyEach(keys: readonly Uint8Array[]): number {
  let copied = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Uint8Array;
    bytes.set(key);
    copied += key.length;
  }
  return copied;
}

/** A safe integer, in two's complement. */
function writeInteger(key: number): number {
  const low = key >>> 0;
  words[0] = low;
  words[1] = (key - low) / 2 ** 32;
  return 8;
}

function writeMixed(keys: readonly PlainKey[]): number {
  let written = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    written += typeof key === 'string' ? write(key) : writeInteger(key as number);
  }
  return written;
}

/**
 * Ways to bring such keys into memory. Which is the fastest depends on the keys and on the runtime. Each returns the
 * number of bytes.
 */
export function waysToRead(keys: readonly PlainKey[]): Readonly<Record<string, () => number>> {
  if (typeof keys[0] === 'object') return { copied: () => copyEach(keys as Uint8Array[]) };
  if (keys.some((key) => typeof key === 'number')) return { written: () => writeMixed(keys) };
  return { joined: () => join(keys as string[]), written: () => writeEach(keys as string[]) };
}

/** The bytes of keys, behind each other, and where each begins, and the last ends. */
export function packed(keys: readonly PlainKey[]): { readonly data: Uint8Array; readonly offsets: Uint32Array } {
  const all = keys.map((key) => {
    if (typeof key === 'string') return encoder.encode(key);
    return typeof key === 'number' ? new Uint8Array(BigInt64Array.of(BigInt(key)).buffer) : key;
  });
  const offsets = new Uint32Array(all.length + 1);
  for (const [i, { length }] of all.entries()) offsets[i + 1] = (offsets[i] as number) + length;
  const data = new Uint8Array(offsets.at(-1) as number);
  for (const [i, each] of all.entries()) data.set(each, offsets[i]);
  return { data, offsets };
}

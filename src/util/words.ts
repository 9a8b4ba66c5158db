// 64-bit arithmetic in halves of 32 bits, because BigInt is ten times slower.

/** A 64-bit constant, in halves. */
export interface Constant {
  readonly low: number;
  readonly high: number;
}

// The functions below change a 64-bit word: its lower half is `words[at]`, its upper half `words[at + 1]`.

/** The upper half of the product of two unsigned 32-bit integers. */
export function upperHalf(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16);
  const other = Math.imul(aLow, bHigh) + (middle & 0xffff);
  return Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16);
}

export function multiply(words: Int32Array, at: number, { low, high }: Constant): void {
  const ownLow = words[at] as number;
  const cross = Math.imul(words[at + 1] as number, low) + Math.imul(ownLow, high);
  words[at + 1] = upperHalf(ownLow, low) + cross;
  words[at] = Math.imul(ownLow, low);
}

export function add(words: Int32Array, at: number, low: number, high: number): void {
  const sum = ((words[at] as number) >>> 0) + (low >>> 0);
  words[at] = sum;
  words[at + 1] = (words[at + 1] as number) + high + (sum >= 2 ** 32 ? 1 : 0);
}

export function addConstant(words: Int32Array, at: number, { low, high }: Constant): void {
  add(words, at, low, high);
}

export function xor(words: Int32Array, at: number, low: number, high: number): void {
  words[at] = (words[at] as number) ^ low;
  words[at + 1] = (words[at + 1] as number) ^ high;
}

/** Rotates to the left, by 1 to 31 bits. */
export function rotate(words: Int32Array, at: number, count: number): void {
  const low = words[at] as number;
  const high = words[at + 1] as number;
  words[at] = (low << count) | (high >>> (32 - count));
  words[at + 1] = (high << count) | (low >>> (32 - count));
}

/** Xors a word with itself, shifted to the right by 29 bits. */
export function fold29(words: Int32Array, at: number): void {
  const low = words[at] as number;
  const high = words[at + 1] as number;
  xor(words, at, (low >>> 29) | (high << 3), high >>> 29);
}

/** Xors a word with itself, shifted to the right by 33 bits. */
export function fold33(words: Int32Array, at: number): void {
  xor(words, at, (words[at + 1] as number) >>> 1, 0);
}

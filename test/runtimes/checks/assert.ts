// Assertions for every runtime: `node:assert` is not everywhere.

function show(value: unknown): string {
  if (value instanceof Error) return String(value);
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
  return text === undefined ? String(value) : text.slice(0, 300);
}

export function holds(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

export function same<T extends string | number | bigint | boolean | undefined>(got: T, wanted: T, what: string): void {
  holds(Object.is(got, wanted), `${what}: wanted ${show(wanted)}, got ${show(got)}`);
}

/** @throws Error unless both have the same elements. Elements are compared by `Object.is`. */
export function sameList(got: ArrayLike<unknown>, wanted: ArrayLike<unknown>, what: string): void {
  same(got.length, wanted.length, `${what}, length`);
  for (let at = 0; at < got.length; at++) {
    holds(Object.is(got[at], wanted[at]), `${what}, element ${at}: wanted ${show(wanted[at])}, got ${show(got[at])}`);
  }
}

export function sameBytes(got: Uint8Array, wanted: Uint8Array, what: string): void {
  same(got.length, wanted.length, `${what}, length`);
  for (let at = 0; at < got.length; at++) {
    if (got[at] !== wanted[at]) throw new Error(`${what}, byte ${at}: wanted ${wanted[at]}, got ${got[at]}`);
  }
}

/** Calls a function that must fail, and gives what it throws or rejects with. */
export async function errorOf(call: () => unknown, what: string): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: no error`);
}

const PRIME = 0x01000193;

/** A digest of 64 bits in hexadecimal: FNV-1a twice, over the bytes and over the bytes plus their position. */
export function digestOf(bytes: Uint8Array): string {
  let a = 0x811c9dc5;
  let b = a;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    a = Math.imul(a ^ byte, PRIME);
    b = Math.imul(b ^ (byte + i), PRIME);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The integers `from` … `to` − 1. */
export const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** `count` integers from `from` on, as keys that are read fast. A loop, because `Uint32Array.from` takes ten times as long. */
export function integersFrom(from: number, count: number): Uint32Array<ArrayBuffer> {
  const keys = new Uint32Array(count);
  for (let i = 0; i < count; i++) keys[i] = from + i;
  return keys;
}

/** A source of distinct keys: integers that count up from one call to the next. */
export function counter(): (count: number) => Uint32Array<ArrayBuffer> {
  let next = 0;
  return (count) => {
    next += count;
    return integersFrom(next - count, count);
  };
}

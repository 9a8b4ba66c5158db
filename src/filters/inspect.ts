/** The key under which Node, Deno and Bun look for what `console.log` is to print. */
export const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** Their inspect function, as far as it is used here. */
export type Inspect = (value: unknown, options: object) => string;

/** `Name { capacity: 1000, … }`, in the colours and at the width of what is printed around it. */
export function inspectAs(
  name: string,
  properties: object,
  fillRatio: number | undefined,
  depth: number,
  options: object,
  inspect: Inspect,
): string {
  if (depth < 0) return `[${name}]`;
  const state = fillRatio === undefined ? { disposed: true } : { fillRatio: Number(fillRatio.toPrecision(3)) };
  return `${name} ${inspect({ ...properties, ...state }, options)}`;
}

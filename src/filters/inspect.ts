/** The key under which Node, Deno and Bun look for what `console.log` prints. */
export const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** Their inspect function, as far as it is used here. */
export type Inspect = (value: unknown, options: object) => string;

/** `Name { capacity: 1000, … }`, in the colors and at the width of what is printed around it. */
export function inspectAs(name: string, shown: object, depth: number, options: object, inspect: Inspect): string {
  return depth < 0 ? `[${name}]` : `${name} ${inspect(shown, options)}`;
}

/** The symbol of the method that Node, Deno and Bun call to print an object with `console.log`. */
export const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The inspect function that these runtimes pass to the method, as far as it is used here. */
export type Inspect = (value: unknown, options: object) => string;

/** `Name { capacity: 1000, … }`, in the colors and width of the surrounding output. */
export function inspectAs(name: string, shown: object, depth: number, options: object, inspect: Inspect): string {
  return depth < 0 ? `[${name}]` : `${name} ${inspect(shown, options)}`;
}

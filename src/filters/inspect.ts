/** The symbol of the method that Node, Deno and Bun call to print an object with `console.log`. */
export const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The inspect function that these runtimes pass to the method, as far as it is used here. */
export type Inspect = (value: unknown, options: object) => string;

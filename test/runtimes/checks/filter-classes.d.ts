/** The classes of all kinds, by the table of `tools/entries.ts`. The bundle contains them: see `bundle.ts`. */
declare module 'filter-classes' {
  const classes: readonly {
    readonly kind: string;
    readonly className: string;
    readonly wasm: unknown;
    readonly js: unknown;
  }[];
  export default classes;
}

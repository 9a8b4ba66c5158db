/** The classes of all filters, by the table of `tools/entries.ts`. The bundle contains them: see `bundle.ts`. */
declare module 'filter-classes' {
  interface Row {
    readonly kind: string;
    readonly className: string;
    readonly wasm: unknown;
    readonly js: unknown;
  }
  /** The kinds. */
  const classes: readonly Row[];
  export default classes;
  /** The filters in the formats of other systems. */
  export const formats: readonly Row[];
}

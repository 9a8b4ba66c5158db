/** The classes of all filters, by the table of `tools/entries.ts`. */
declare module 'filter-classes' {
  type Row = { readonly kind: string; readonly wasm: unknown; readonly js: unknown };
  const classes: readonly Row[];
  export default classes;
  /** The filters in the formats of other systems. */
  export const formats: readonly Row[];
}

/** The files of `test/golden` as rows of its index. */
declare module 'golden-files' {
  type GoldenFile = {
    readonly file: string;
    readonly kind: string;
    readonly keys: 'strings' | 'integers';
    readonly count: number;
    readonly removed?: number;
    readonly hex: string;
  };
  const files: readonly GoldenFile[];
  export default files;
}

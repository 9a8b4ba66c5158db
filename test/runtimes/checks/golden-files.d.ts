/** The files of `test/golden` as rows of its index. The bundle contains them: see `bundle.ts`. */
declare module 'golden-files' {
  interface GoldenFile {
    readonly file: string;
    readonly kind: string;
    readonly keys: 'strings' | 'integers';
    readonly count: number;
    readonly cells: number;
    readonly hashes: number;
    readonly seed: number;
    readonly promise: { readonly capacity: number; readonly errorRate: number } | null;
    /** The number of bits per cell, for kinds that have cells of several widths. */
    readonly bits?: number;
    readonly base64: string;
  }
  const files: readonly GoldenFile[];
  export default files;
}
